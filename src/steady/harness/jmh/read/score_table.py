"""JMH's table of final scores, which holds no single measurements."""

from __future__ import annotations

import re

from steady.readers.sources import Document

_TABLE = re.compile(
    r"\A\s*\"?Benchmark\"?[ ,;].{0,500}?\"?Mode\"?[ ,;].{0,500}?\"?Units?\"?", re.ASCII
)


def unreadable(document: Document) -> str:
    """Say what to do about such a table; empty if a document is none."""
    if _TABLE.search(document.text) is None:
        return ""
    return (
        "is a table of JMH's final scores, without the single measurements; "
        "run JMH with -rf json, or keep its log (-o)"
    )

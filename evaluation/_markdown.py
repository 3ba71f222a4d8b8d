"""Markdown of small tables."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 120


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is text and whose others are numbers."""
    lines = [header, ["---", *["--:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def paragraph(text: str) -> str:
    """Return the words of a source text in lines as long as the other documents'."""
    words = " ".join(text.split())
    return textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)


def percent(share: float, digits: int = 0) -> str:
    """Return a share in per cent."""
    return number(100 * share, digits)


def number(value: float, digits: int = 2) -> str:
    """Return a number without a sign on zero; a dash where it is not a number."""
    return "–" if math.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"

"""Find out from its output why a process of a Go test binary left no result.

Go names a failed benchmark after ``--- FAIL:``, and the message of ``b.Fatal`` follows. But a panic
has neither, a parent's message follows the parent's name, and what a benchmark itself prints before
``b.FailNow`` comes before.
"""

from __future__ import annotations

import re
from pathlib import Path

from steady.readers.go_lines import cause_in
from steady.readers.go_output import HEADER, parse
from steady.readers.sources import Document
from steady.run.go_binaries import last_line
from steady.run.go_process import Ended

_SILENT = "it failed without saying why"
_LONGEST = 200
_CAUSE = re.compile(r"(?:^|\s)(?:panic: |fatal error: |\*\*\* Test killed)")
_OF_GO = re.compile(
    r"(?:{}): |--- [A-Z]+: |Benchmark|PASS$|FAIL$|ok\s|exit status ".format("|".join(HEADER))
)
_EARLIER = re.compile(r"\s{0,20}\[recovered.{0,200}\]$")


def reason_of(ended: Ended, name: str) -> str:
    """Return in one line why a process left no result of a benchmark; empty if nothing says so.

    Parameters
    ----------
    ended : Ended
        The process.
    name : str
        The benchmark as Go prints it.
    """
    lines = ended.output.splitlines()
    processes = parse(Document(Path(), ended.output)).processes
    whys = [p.failures[name] for p in processes if name in p.failures]
    whys += [why for p in processes for why in p.failures.values()]
    reported = next((why for why in whys if why != _SILENT), "")
    panic = next((_EARLIER.sub("", cause_in(line)) for line in lines if _CAUSE.search(line)), "")
    said = _said_before(lines) if whys else ""
    ending = last_line(ended) if ended.code != 0 and not whys else ""
    found = (text for text in (panic, reported, said, ending, *whys[:1]) if text)
    return next(found, "")[:_LONGEST]


def _said_before(lines: list[str]) -> str:
    """Return the benchmark's own last output before Go reports its failure."""
    verdict = next((n for n, line in enumerate(lines) if "--- FAIL: " in line), 0)
    own = (line.strip() for line in reversed(lines[:verdict]) if not _OF_GO.match(line))
    return next((line for line in own if line), "")

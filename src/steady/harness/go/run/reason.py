"""Find out from its output why a process of a Go test binary left no result.

Go names a failed benchmark after ``--- FAIL:``, and the message of ``b.Fatal`` follows. But a panic
has neither, a parent's message follows the parent's name, and what a benchmark itself prints before
``b.FailNow`` comes before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from steady.harness.go.read.lines import cause_in
from steady.harness.go.read.output import HEADER, REASON_LENGTH, SILENT, Process
from steady.harness.go.run.process import Ended
from steady.harness.go.run.test_binaries import last_line

_CAUSE = re.compile(r"(?:^|\s)(?:panic: |fatal error: |\*\*\* Test killed)")
_OF_GO = re.compile(
    r"(?:{}): |--- [A-Z]+: |Benchmark|PASS$|FAIL$|ok\s|exit status ".format("|".join(HEADER))
)
_EARLIER = re.compile(r"\s{0,20}\[recovered.{0,200}\]$")


def reason_of(ended: Ended, processes: Iterable[Process], name: str) -> str:
    """Return in one line why a process left no result of a benchmark; empty if nothing says so.

    Parameters
    ----------
    ended : Ended
        The process.
    processes : iterable of Process
        What its output shows.
    name : str
        The benchmark as Go prints it.
    """
    lines = ended.output.splitlines()
    failures = [p.failures for p in processes]
    reasons = [own[name] for own in failures if name in own]
    reasons += [reason for own in failures for reason in own.values()]
    reported = next((reason for reason in reasons if reason != SILENT), "")
    panic = next((_EARLIER.sub("", cause_in(line)) for line in lines if _CAUSE.search(line)), "")
    before = _last_output(lines) if reasons else ""
    ending = last_line(ended) if ended.code != 0 and not reasons else ""
    known = (text for text in (panic, reported, before, ending, *reasons[:1]) if text)
    return next(known, "")[:REASON_LENGTH]


def _last_output(lines: Sequence[str]) -> str:
    """Return the benchmark's own last output before Go reports its failure."""
    verdict = next((n for n, line in enumerate(lines) if "--- FAIL: " in line), 0)
    own = (line.strip() for line in reversed(lines[:verdict]) if not _OF_GO.match(line))
    return next((line for line in own if line), "")

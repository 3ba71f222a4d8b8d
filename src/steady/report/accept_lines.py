"""Lines of a comment that accept changes."""

import math
import re
from collections.abc import Collection, Iterator

from steady.compare import Change, Comparison
from steady.model import Identity
from steady.report.names import ShortNames, names_of
from steady.settings import matches
from steady.settings.repo_settings import DEFAULT_BOUND, parse_accept
from steady.text.escape import visible

MOST_LINES = 20
_REASON = "REASON"
_STEP = 5  # percent: bounds in round numbers
_UNSAFE = re.compile(r"[`*~]|<!--|-->")


def accept_lines(comparison: Comparison) -> tuple[str, ...]:
    """Return a comment that accepts each regression, metrics included, the worst first.

    A line is returned only if `parse_accept` reads it as intended: for benchmarks of this name
    alone, and for a change of this size. Names are untrusted.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    """
    if not comparison.comparable:
        return ()
    names = names_of(comparison)
    everybody = comparison.ledger.identities
    worse = (*comparison.regressions, *comparison.metrics.regressions)
    lines = (next(_lines(change, names, everybody), "") for change in worse[:MOST_LINES])
    return tuple(filter(None, dict.fromkeys(lines)))


def _lines(change: Change, names: ShortNames, everybody: Collection[Identity]) -> Iterator[str]:
    bound = _bound(change)
    if bound is None:
        return
    metric = f" --metric {change.metric}" if change.metric else ""
    for label in (names.label(change.identity), change.identity.label):
        quote = "'" if '"' in label else '"'
        line = f"/steady accept {quote}{label}{quote}{metric}{bound} {_REASON}"
        meant = {identity.name for identity in everybody if matches(label, identity)}
        if meant == {change.identity.name} and _is_read_as_meant(line, label, change):
            yield line


def _bound(change: Change) -> str | None:
    """Return the option that lets a change of this size pass, the ends of its interval included.

    None if no bound does, because base is zero.
    """
    if not math.isfinite(change.ratio):
        return "" if change.metric else None
    size = max(abs(end) for end in (change.ratio, *(change.interval or ())))
    if size <= DEFAULT_BOUND:
        return ""
    steps = math.ceil(round(100 * size, 6) / _STEP)  # 55, and not 55.000000001
    return f" --bound {steps * _STEP}%"


def _is_read_as_meant(line: str, label: str, change: Change) -> bool:
    if visible(line) != line or _UNSAFE.search(line):
        return False
    try:
        entry = parse_accept(line.removeprefix("/steady accept"), "")
    except ValueError:
        return False
    return (entry.pattern, entry.metric, entry.reason) == (label, change.metric, _REASON)

"""What was compared: the commits of both sides, on what, and how long it took."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from steady.compare import Comparison
from steady.model import Benchmark, Suite
from steady.text.counting import listed
from steady.text.escape import shorten
from steady.text.numbers import duration

_SHORT_HASH = 7  # characters; GitHub makes a link of as many
_LONGEST = 60
_OF_NO_NAME = re.compile("[<>`]")
"""Characters that stand in the name of no JDK or processor; the text is a stranger's."""

_SEPARATOR = " · "


@dataclass(frozen=True, slots=True)
class Measured:
    """What the results themselves do not say of a comparison.

    Parameters
    ----------
    base, head : str
        Full hashes of the two commits; empty where they are not known.
    seconds : float, optional
        How long all forks of both sides took together; None where that is not known.
    """

    base: str = ""
    head: str = ""
    seconds: float | None = None


def seconds_spent(*suites: Suite) -> float | None:
    """Return how long all forks took together; None where the time of any is not known."""
    times = [_seconds(benchmark) for suite in suites for benchmark in suite.values()]
    known = [time for time in times if time is not None]
    return sum(known) if known and len(known) == len(times) else None


def _seconds(benchmark: Benchmark) -> float | None:
    spent = [one.seconds for one in benchmark.spent if one is not None]
    return sum(spent) if spent and len(spent) == len(benchmark.spent) else None


def facts_line(comparison: Comparison, measured: Measured) -> str:
    """Say what was compared, in one line; empty where nothing is known of it."""
    sides = (("base", measured.base), ("head", measured.head))
    commits = ", ".join(f"{side} {commit[:_SHORT_HASH]}" for side, commit in sides if commit)
    environments = (*comparison.base_environments, *comparison.head_environments)
    facts = (
        commits[:1].upper() + commits[1:],
        _different("JDK ", (one.jdk for one in environments)),
        _different("", (one.cpu for one in environments)),
        "" if measured.seconds is None else f"{duration(measured.seconds)} of measuring",
    )
    return _SEPARATOR.join(filter(None, facts))


def _different(what: str, values: Iterable[str]) -> str:
    words = (_OF_NO_NAME.sub("", value) for value in values)
    known = [shorten(value, _LONGEST) for value in dict.fromkeys(words) if value]
    return f"{what}{listed(known, 2, last=' and ')}" if known else ""

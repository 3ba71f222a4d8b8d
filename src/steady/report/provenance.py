"""The provenance of results: environment, harness, duration, and metrics that were not read."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from steady.compare.summary import Summary
from steady.harnesses import harness_named
from steady.model import Environment, Spent, Suite
from steady.plan.suite_plan import Plan
from steady.text.escape import shorten
from steady.text.numbers import count, duration, listed

_SHORT_HASH = 7  # characters; GitHub turns a hash of this length into a link
_LONGEST = 60
_OF_NO_NAME = re.compile("[<>`]")
"""Characters that no name of a JDK or processor contains; the text is untrusted."""

_SEPARATOR = " · "
_SHOWN = 6
_LONGEST_NAME = 60
_MOST_VALUES = 3
_BRIEF = ("Processor", "JDK")


@dataclass(frozen=True, slots=True)
class Fact:
    """A property of the measurement and its value.

    Parameters
    ----------
    label : str
        Name of the property.
    text : str
        The value of both sides, or that of base if `head` differs. It may come from the results,
        and is then untrusted.
    head : str
        The value of head, if it differs.
    brief : bool
        Whether it is part of the short line that readers see first.
    """

    label: str
    text: str
    head: str = ""
    brief: bool = False

    @property
    def sides(self) -> tuple[tuple[str, str], ...]:
        """Each text with its side; the side is empty if base and head agree."""
        if not self.head or self.head == self.text:
            return (("", self.text),)
        return ("base", self.text), ("head", self.head)


_OF_ENVIRONMENT: dict[str, Callable[[Environment], str]] = {
    "Processor": lambda e: e.cpu,
    "System": lambda e: e.os,
    "JDK": lambda e: e.jdk,
    "JVM": lambda e: e.vm,
    "JVM arguments": lambda e: " ".join(e.jvm_args),
}


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The available results of a report.

    Parameters
    ----------
    base, head : Suite, optional
        The two runs that are compared.
    full : Suite, optional
        The run that the plan was made from.
    """

    base: Suite | None = None
    head: Suite | None = None
    full: Suite | None = None

    @property
    def compared(self) -> list[Suite]:
        """Base and head."""
        return [suite for suite in (self.base, self.head) if suite is not None]

    @property
    def sides(self) -> tuple[tuple[str, Suite | None], ...]:
        """All results with their names."""
        return ("full", self.full), ("base", self.base), ("head", self.head)


NO_RUNS = Runs()


def facts(runs: Runs, plan: Plan | None) -> list[Fact]:
    """Return the facts of results and plan on machine, harness and time.

    Parameters
    ----------
    runs : Runs
        The results.
    plan : Plan, optional
        The plan, whose full run replaces missing results.
    """
    full = [] if runs.full is None else [runs.full]
    suites = runs.compared or full
    sides = [suite.environments for suite in suites] or ([plan.environments] if plan else [])
    known = [
        _fact(label, [_values(map(get, one)) for one in sides])
        for label, get in _OF_ENVIRONMENT.items()
    ]
    known.append(_fact("Harness", [_harness(one) for one in suites]))
    known += [_spent("Time spent", runs.compared, brief=True), _spent("Full run", full)]
    return [fact for fact in known if fact.text or fact.head]


def _fact(label: str, texts: Sequence[str]) -> Fact:
    first, *others = texts or [""]
    text = first or ("unknown" if any(others) else "")
    return Fact(label, text, others[0] if others else "", label in _BRIEF)


def _values(values: Iterable[str]) -> str:
    return listed([v for v in dict.fromkeys(values) if v], _MOST_VALUES, separator="; ")


def _harness(suite: Suite) -> str:
    name = harness_named(suite.harness).title
    return f"{name} {suite.harness_version}".strip() if name else ""


def _spent(label: str, suites: Sequence[Suite], *, brief: bool = False) -> Fact:
    """Return the wall-clock time of all forks, if their run recorded it."""
    seconds = seconds_spent(*suites)
    if seconds is None:
        return Fact(label, "")
    harnesses = (harness_named(suite.harness) for suite in suites)
    nouns = {(harness.fork, harness.forks) for harness in harnesses}
    words = nouns.pop() if len(nouns) == 1 else ("fork", "forks")
    forks = count(sum(len(_forks(suite)) for suite in suites), *words)
    return Fact(label, f"{duration(seconds)} in {forks}", brief=brief)


def seconds_spent(*suites: Suite) -> float | None:
    """Return the total time of all forks; None if the time of any is unknown."""
    forks = [one for suite in suites for one in _forks(suite)]
    known = [one.seconds for one in forks if one is not None]
    return sum(known) if known and len(known) == len(forks) else None


def _forks(suite: Suite) -> list[Spent | None]:
    return [
        one
        for benchmark in suite.benchmarks
        for one in (benchmark.spent or (None,) * len(benchmark.measurements))
    ]


def left_out_sentence(suite: Suite) -> str:
    r"""Return a sentence on the secondary metrics that were not read; empty if there are none.

    The names come from the results, so the text is untrusted.

    >>> from steady.model import Benchmark, Identity, Level
    >>> measured = Benchmark(Identity("a"), "ns/op", [1.0], (Level("iteration"),),
    ...                      left_out=("B/op", "allocs/op"))
    >>> left_out_sentence(Suite((measured,)))
    'not read: B/op (1 benchmark), allocs/op (1 benchmark); not part of any verdict'
    """
    benchmarks = suite.left_out
    if not benchmarks:
        return ""
    shown = [
        f"{shorten(name, _LONGEST_NAME)} ({count(number, 'benchmark')})"
        for name, number in list(benchmarks.items())[:_SHOWN]
    ]
    rest = len(benchmarks) - len(shown)
    more = f" and {count(rest, 'other metric')}" if rest else ""
    return f"not read: {', '.join(shown)}{more}; not part of any verdict"


@dataclass(frozen=True, slots=True)
class Measured:
    """Facts on a comparison that the results do not contain.

    Parameters
    ----------
    base, head : str
        Full hashes of the two commits; empty if unknown.
    seconds : float, optional
        Total time of all forks of both sides; None if unknown.
    pages : str
        Address of the folder of steady's pages; empty if unknown.
    """

    base: str = ""
    head: str = ""
    seconds: float | None = None
    pages: str = ""


def facts_line(summary: Summary, measured: Measured) -> str:
    """Return commits, JDK, processor and time in one line; empty if all are unknown."""
    sides = (("base", measured.base), ("head", measured.head))
    commits = ", ".join(f"{side} {commit[:_SHORT_HASH]}" for side, commit in sides if commit)
    facts = (
        commits[:1].upper() + commits[1:],
        _different("JDK ", summary.jdks),
        _different("", summary.processors),
        "" if measured.seconds is None else f"{duration(measured.seconds)} of measurement",
    )
    return _SEPARATOR.join(filter(None, facts))


def _different(prefix: str, values: Iterable[str]) -> str:
    words = (_OF_NO_NAME.sub("", value) for value in values)
    known = [shorten(value, _LONGEST) for value in dict.fromkeys(words) if value]
    return f"{prefix}{listed(known, 2, last=' and ')}" if known else ""

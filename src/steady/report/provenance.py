"""The provenance of results: what ran where, how long it took, and what was not read."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from steady.compare.summary import Summary
from steady.harnesses import harness_named
from steady.model import Environment, Spent, Suite
from steady.plan.suite_plan import Plan
from steady.text.escape import shorten
from steady.text.numbers import count, duration, listed

_SHORT_HASH = 7  # characters; GitHub makes a link of as many
_LONGEST = 60
_OF_NO_NAME = re.compile("[<>`]")
"""Characters that stand in the name of no JDK or processor; the text is a stranger's."""

_SEPARATOR = " · "
_SHOWN = 6
_LONGEST_NAME = 60
_MOST_VALUES = 3
_BRIEF = ("Processor", "JDK")


@dataclass(frozen=True, slots=True)
class Fact:
    """One line: what it is about, and what is known of it.

    Parameters
    ----------
    label : str
        In a word or two.
    text : str
        Of both sides, or of base where `head` says something else. It may come from the results,
        so nobody knows what it holds.
    head : str
        Of head, where it differs.
    brief : bool
        Whether it belongs to the one line that readers see first.
    """

    label: str
    text: str
    head: str = ""
    brief: bool = False

    @property
    def sides(self) -> tuple[tuple[str, str], ...]:
        """Each text with the side that it is about; no side where both are meant."""
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
    """The results that a report draws, as far as they are there.

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
        """All of them with their names."""
        return ("full", self.full), ("base", self.base), ("head", self.head)


NO_RUNS = Runs()


def facts(runs: Runs, plan: Plan | None) -> list[Fact]:
    """Return what results and plan tell of machine, harness and time.

    Parameters
    ----------
    runs : Runs
        What was measured.
    plan : Plan, optional
        Its full run stands in for results that are not there.
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
    text = first or ("not known" if any(others) else "")
    return Fact(label, text, others[0] if others else "", label in _BRIEF)


def _values(values: Iterable[str]) -> str:
    return listed([v for v in dict.fromkeys(values) if v], _MOST_VALUES, separator="; ")


def _harness(suite: Suite) -> str:
    name = harness_named(suite.harness).title
    return f"{name} {suite.harness_version}".strip() if name else ""


def _spent(label: str, suites: Sequence[Suite], *, brief: bool = False) -> Fact:
    """Say how long forks took by the clock, where their run wrote it down."""
    seconds = seconds_spent(*suites)
    if seconds is None:
        return Fact(label, "")
    harnesses = (harness_named(suite.harness) for suite in suites)
    nouns = {(harness.fork, harness.forks) for harness in harnesses}
    words = nouns.pop() if len(nouns) == 1 else ("fork", "forks")
    forks = count(sum(len(_forks(suite)) for suite in suites), *words)
    return Fact(label, f"{duration(seconds)} in {forks}", brief=brief)


def seconds_spent(*suites: Suite) -> float | None:
    """Return how long all forks took together; None where the time of any is not known."""
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
    r"""Say which further results were not read, and of how many benchmarks; empty: of none.

    The names are the harness's own, so the text may hold anything that a file may hold.

    >>> from steady.model import Benchmark, Identity, Level
    >>> measured = Benchmark(Identity("a"), "ns/op", [1.0], (Level("iteration"),),
    ...                      left_out=("B/op", "allocs/op"))
    >>> left_out_sentence(Suite((measured,)))
    'not read: B/op (1 benchmark), allocs/op (1 benchmark); no verdict counts them'
    """
    benchmarks = suite.left_out
    if not benchmarks:
        return ""
    shown = [
        f"{shorten(name, _LONGEST_NAME)} ({count(number, 'benchmark')})"
        for name, number in list(benchmarks.items())[:_SHOWN]
    ]
    rest = len(benchmarks) - len(shown)
    more = f" and {count(rest, 'other result')}" if rest else ""
    return f"not read: {', '.join(shown)}{more}; no verdict counts them"


@dataclass(frozen=True, slots=True)
class Measured:
    """What the results themselves do not say of a comparison.

    Parameters
    ----------
    base, head : str
        Full hashes of the two commits; empty where they are not known.
    seconds : float, optional
        How long all forks of both sides took together; None where that is not known.
    pages : str
        Address of the folder of steady's pages; empty where it is not known.
    """

    base: str = ""
    head: str = ""
    seconds: float | None = None
    pages: str = ""


def facts_line(summary: Summary, measured: Measured) -> str:
    """Return commits, JDK, processor and time in one line; empty if nothing is known of them."""
    sides = (("base", measured.base), ("head", measured.head))
    commits = ", ".join(f"{side} {commit[:_SHORT_HASH]}" for side, commit in sides if commit)
    facts = (
        commits[:1].upper() + commits[1:],
        _different("JDK ", summary.jdks),
        _different("", summary.processors),
        "" if measured.seconds is None else f"{duration(measured.seconds)} of measuring",
    )
    return _SEPARATOR.join(filter(None, facts))


def _different(what: str, values: Iterable[str]) -> str:
    words = (_OF_NO_NAME.sub("", value) for value in values)
    known = [shorten(value, _LONGEST) for value in dict.fromkeys(words) if value]
    return f"{what}{listed(known, 2, last=' and ')}" if known else ""

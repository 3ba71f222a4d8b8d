"""What was measured where: the lines at the head of a page, as far as the results tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from steady.harness import harness_named
from steady.model import Environment, Spent, Suite
from steady.optimize.plan import Plan
from steady.text.counting import count, listed
from steady.text.numbers import duration

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


def facts(
    base: Suite | None, head: Suite | None, full: Suite | None, plan: Plan | None
) -> list[Fact]:
    """Return what results and plan tell of machine, harness and time.

    Parameters
    ----------
    base, head, full : Suite, optional
        What was measured.
    plan : Plan, optional
        Its full run stands in for results that are not there.
    """
    suites = [suite for suite in (base, head) if suite is not None] or (
        [full] if full is not None else []
    )
    sides = [suite.environments for suite in suites] or ([plan.environments] if plan else [])
    known = [_fact(label, [_values(map(get, one)) for one in sides])
             for label, get in _OF_ENVIRONMENT.items()]  # fmt: skip
    harness = _fact("Runs", [_harness(one) for one in suites])
    return [fact for fact in (*known, harness, *_spent(base, head, full)) if fact.text or fact.head]


def _fact(label: str, texts: Sequence[str]) -> Fact:
    first, *others = texts or [""]
    text = first or ("not known" if any(others) else "")
    return Fact(label, text, others[0] if others else "", label in _BRIEF)


def _values(values: Iterable[str]) -> str:
    return listed([v for v in dict.fromkeys(values) if v], _MOST_VALUES, separator="; ")


def _harness(suite: Suite) -> str:
    name = harness_named(suite.harness).title
    return f"{name} {suite.harness_version}".strip() if name else ""


def _spent(base: Suite | None, head: Suite | None, full: Suite | None) -> list[Fact]:
    """Say how long forks took by the clock, where their run wrote it down."""
    lines = []
    for label, suites in (("Time spent", (base, head)), ("Full run", (full,))):
        there = [suite for suite in suites if suite is not None]
        forks = [one for suite in there for one in _forks(suite)]
        known = [one.seconds for one in forks if one is not None]
        if known and len(known) == len(forks):
            of = (harness_named(suite.harness) for suite in there)
            nouns = {(harness.fork, harness.forks) for harness in of}
            words = nouns.pop() if len(nouns) == 1 else ("fork", "forks")
            text = f"{duration(sum(known))} in {count(len(forks), *words)}"
            lines.append(Fact(label, text, brief=label == "Time spent"))
    return lines


def _forks(suite: Suite) -> list[Spent | None]:
    return [
        one
        for benchmark in suite.benchmarks
        for one in (benchmark.spent or (None,) * len(benchmark.measurements))
    ]

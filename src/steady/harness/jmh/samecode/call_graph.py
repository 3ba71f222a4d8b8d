"""The call graph of a suite, and the nearest change to each of its benchmarks."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from steady.harness.builds import FAR
from steady.harness.jmh.samecode import facts
from steady.harness.jmh.samecode.facts import Fact
from steady.harness.jmh.samecode.method_rules import Rules
from steady.samecode.exploration import Exploration
from steady.samecode.reachability import NearestChange, Paths, Reachability

_PENALTIES = {
    facts.EXTENDS: FAR // 2,
    facts.ANY_MEMBER: FAR,
    facts.LINES: FAR,
    facts.EFFECT: 2 * FAR,
}
"""The number of methods added to the length of a path, by the kind of its end: a class that may be
loaded, inspected members, lines of a stack trace, or an effect of the JDK that may run anything. A
path through all members of a class is `FAR` longer, wherever it ends."""


class CallGraph:
    """The facts that hold for groups of benchmarks.

    Parameters
    ----------
    rules : Rules
        The rules by which facts follow from each other.
    starts : sequence of frozenset of Fact
        The facts with which each group begins, and by which it is known.
    """

    def __init__(self, rules: Rules, starts: Sequence[frozenset[Fact]]) -> None:
        self._rules = rules
        self._numbers = {start: number for number, start in enumerate(starts)}
        begins: dict[Fact, list[Fact]] = {
            (facts.BENCHMARK, str(number)): [*sorted(start), (facts.JVM_START,)]
            for start, number in self._numbers.items()
        }
        rules.starts = begins
        self._exploration = Exploration(rules.follow)
        self._exploration.explore(begins)
        self._begins = [self._exploration.number(fact) for fact in begins]
        self._facts = tuple(self._exploration.nodes)
        self._reachability = Reachability(
            self._exploration.graph, [(begin,) for begin in self._begins]
        )
        self._nearest: dict[int, NearestChange] = {}
        self._paths: dict[int, Paths] = {}

    def nearest(self, start: frozenset[Fact]) -> NearestChange:
        """Return the nearest change that a group reaches."""
        group = self._numbers[start]
        if group not in self._nearest:
            self._nearest[group] = self._find_nearest(group)
        return self._nearest[group]

    def path(self, start: frozenset[Fact]) -> tuple[Fact, ...]:
        """Return all steps to the nearest change that a group reaches; none if there is none."""
        return self._shortest(self._numbers[start])[1]

    def _find_nearest(self, group: int) -> NearestChange:
        penalty, steps = self._shortest(group)
        if not steps:
            return NearestChange()
        methods = sum(fact[0] == facts.RUN for fact in steps)
        why = facts.reason(steps[-1], steps[:-1])
        return NearestChange(why, max(methods, 1) + penalty, float(self._shares[group]))

    def _shortest(self, group: int) -> tuple[int, tuple[Fact, ...]]:
        """Return the penalty of the shortest path to a change, and its steps."""
        for penalty in (0, *sorted({*_PENALTIES.values()})):
            if penalty not in self._paths:
                self._paths[penalty] = self._find_paths(penalty)
            path = self._paths[penalty].path(self._begins[group], group)
            if path:
                return penalty, tuple(self._facts[fact] for fact in path)
        return 0, ()

    def _find_paths(self, penalty: int) -> Paths:
        """Return the paths to the changes with a penalty."""
        penalties = {
            one for one in (0, *_PENALTIES.values()) if one == penalty or one < penalty == FAR
        }
        numbered = list(enumerate(self._facts))
        changes = (
            number for number, fact in numbered
            if self._rules.is_change(fact) and _PENALTIES.get(fact[0], 0) in penalties
        )  # fmt: skip
        all_members = (number for number, fact in numbered if fact[0] == facts.MEMBERS)
        return self._reachability.paths(changes, all_members if penalty < FAR else ())

    @cached_property
    def _shares(self) -> npt.NDArray[np.float64]:
        """For each group, the share of changed code in all that it may run, by bytes."""
        methods = (number for number, fact in enumerate(self._facts) if fact[0] == facts.RUN)
        return self._reachability.changed_shares(
            methods,
            lambda number: self._rules.code_size(self._facts[number]),
            lambda number: self._rules.is_change(self._facts[number]),
        )

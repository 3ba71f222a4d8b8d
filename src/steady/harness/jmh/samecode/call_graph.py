"""The call graph of groups of benchmarks of JMH, and the nearest change to each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from steady.harness.builds import FAR
from steady.harness.jmh.samecode import facts
from steady.harness.jmh.samecode.facts import Fact
from steady.harness.jmh.samecode.method_reach import RunRules, reached_methods
from steady.harness.jmh.samecode.method_rules import Rules
from steady.samecode.exploration import Exploration
from steady.samecode.reachability import NearestChange, Paths, Reachability

_PENALTIES = {
    facts.EXTENDS: FAR // 2,
    facts.ANY_MEMBER: FAR,
    facts.LINES: FAR,
    facts.EFFECT: 2 * FAR,
}
"""Number of methods added to the length of a path, by the kind of its end.

A path through `MEMBERS`, all members of a class, is `FAR` longer in any case.
"""


class CallGraph:
    """The call graph of groups of benchmarks, and the nearest change to each.

    Parameters
    ----------
    rules : Rules
        Rules that derive facts from facts.
    starts : sequence of frozenset of Fact
        Initial facts of each group, by which it is identified.
    """

    def __init__(self, rules: Rules, starts: Sequence[frozenset[Fact]]) -> None:
        self._rules = rules
        self._numbers = {start: number for number, start in enumerate(starts)}
        begins: dict[Fact, Collection[Fact]] = {
            (facts.BENCHMARK, str(number)): [*sorted(start), (facts.JVM_START,)]
            for start, number in self._numbers.items()
        }
        rules.starts = begins
        self._starts = begins
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
        """Return the steps to the nearest change that a group reaches; empty if there is none."""
        return self._shortest(self._numbers[start])[1]

    def methods_beyond(self, rules: RunRules, stubs: Collection[Fact]) -> frozenset[Fact] | None:
        """Return the methods that a group or a further stub reaches; see `reached_methods`."""
        known = {fact for start in self._numbers for fact in start}
        more = [one for one in sorted(stubs) if one not in known]
        begins: dict[Fact, Collection[Fact]] = {
            (facts.BENCHMARK, str(len(self._starts) + place)): [stub, (facts.JVM_START,)]
            for place, stub in enumerate(more)
        }
        return reached_methods(self._exploration, rules, self._starts | begins)

    def _find_nearest(self, group: int) -> NearestChange:
        penalty, steps = self._shortest(group)
        if not steps:
            return NearestChange()
        methods = sum(fact[0] == facts.RUN for fact in steps)
        why = facts.reason(steps[-1], steps[:-1])
        return NearestChange(why, max(methods, 1) + penalty, float(self._shares[group]))

    def _shortest(self, group: int) -> tuple[int, tuple[Fact, ...]]:
        """Return the shortest path to a change: its penalty, and its steps."""
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
        """Share of changed code in the code that each group may run, in bytes."""
        methods = (number for number, fact in enumerate(self._facts) if fact[0] == facts.RUN)
        return self._reachability.changed_shares(
            methods,
            lambda number: self._rules.code_size(self._facts[number]),
            lambda number: self._rules.is_change(self._facts[number]),
        )

"""What each group of benchmarks reaches, and the nearest change on its ways."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np

from steady.harness.builds import FAR
from steady.harness.jmh.samecode import facts
from steady.harness.jmh.samecode.code_rules import Rules
from steady.harness.jmh.samecode.facts import Fact, Following, Join
from steady.harness.jmh.samecode.kernel import Graph, Levels, distance, way


class Explorer:
    """The graph of facts that may hold.

    Parameters
    ----------
    follow : callable
        Returns what follows from a fact.
    """

    def __init__(self, follow: Callable[[Fact], Following]) -> None:
        self.graph = Graph()
        self.facts: list[Fact] = []
        self._follow = follow
        self._numbers: dict[Fact, int] = {}
        self._holds: list[bool] = []
        self._waiting: list[list[int]] = []
        self._left: list[int] = []

    def number(self, fact: Fact) -> int:
        """Return the number of a fact, which may be new."""
        known = self._numbers.get(fact)
        if known is None:
            known = self._numbers[fact] = len(self.facts)
            self.facts.append(fact)
            self.graph.edges.append([])
            self._holds.append(False)
            self._waiting.append([])
        return known

    def explore(self, starts: Iterable[Fact]) -> None:
        """Follow everything from some facts."""
        for start in starts:
            self._hold(self.number(start))
        while self._left:
            self._expand(self._left.pop())

    def _hold(self, fact: int) -> None:
        if not self._holds[fact]:
            self._holds[fact] = True
            self._left.append(fact)

    def _expand(self, fact: int) -> None:
        following = dict.fromkeys(self._follow(self.facts[fact]))
        for target in following:
            if not isinstance(target, Join):
                number = self.number(target)
                self.graph.edges[fact].append(number)
                self._hold(number)
        for join in following:
            if isinstance(join, Join):
                self._join(fact, self.number(join.other), self.number(join.then))
        for place in self._waiting[fact]:
            self._try(place)

    def _join(self, one: int, other: int, target: int) -> None:
        place = len(self.graph.joins)
        self.graph.joins.append((one, other, target))
        self._waiting[other].append(place)
        self._try(place)

    def _try(self, place: int) -> None:
        one, other, target = self.graph.joins[place]
        if self._holds[one] and self._holds[other]:
            self._hold(target)


_MORE = {
    facts.EXTENDS: FAR // 2,
    facts.RAW: FAR,
    facts.LINES: FAR,
    facts.DOOR: 2 * FAR,
}
"""By how many methods a way counts as longer if it ends at a class that may be loaded, at members
that are looked at or lines of a stack trace, or at a door of the JDK, by which anything may run.
One that leads through all members of a class counts `FAR` more, wherever it ends."""


Nearest = tuple[str, int, float]
"""Why, how far and how much: see `Decision`. Without a change, `NONE_NEAR`."""

NONE_NEAR: Nearest = ("", 0, 0.0)


class Reached:
    """What groups of benchmarks reach.

    Parameters
    ----------
    rules : Rules
        What follows from what.
    starts : sequence of frozenset of Fact
        With what each group begins; a group is known by this.
    """

    def __init__(self, rules: Rules, starts: Sequence[frozenset[Fact]]) -> None:
        self._rules = rules
        self._bits = {start: bit for bit, start in enumerate(starts)}
        self._explorer = Explorer(rules.follow)
        begins = {_beginning(bit): [*sorted(s), (facts.ALWAYS,)] for s, bit in self._bits.items()}
        rules.starts = begins
        self._explorer.explore(begins)
        numbers = map(self._explorer.number, begins)
        self._holds = self._explorer.graph.spread({n: 1 << b for b, n in enumerate(numbers)})
        self._known: dict[int, Nearest] = {}
        self._by_kind: dict[int, Levels] = {}

    def nearest(self, start: frozenset[Fact]) -> Nearest:
        """Return the nearest change that a group reaches."""
        bit = self._bits[start]
        if bit not in self._known:
            self._known[bit] = self._nearest(bit)
        return self._known[bit]

    def way(self, start: frozenset[Fact]) -> tuple[Fact, ...]:
        """Return all steps to the nearest change that a group reaches; none if there is none."""
        return self._way(self._bits[start])[1]

    def _nearest(self, bit: int) -> Nearest:
        more, steps = self._way(bit)
        if not steps:
            return NONE_NEAR
        methods = sum(fact[0] == facts.RUN for fact in steps)
        why = facts.end_text(steps[-1], steps[:-1])
        return why, max(methods, 1) + more, float(self._shares[bit])

    def _way(self, bit: int) -> tuple[int, tuple[Fact, ...]]:
        number = self._explorer.number(_beginning(bit))
        for more in (0, *sorted({*_MORE.values()})):
            levels = self._levels(more)
            if distance(levels, number, bit) >= 0:
                return more, tuple(self._explorer.facts[n] for n in way(levels, number, bit))
        return 0, ()

    def _levels(self, more: int) -> Levels:
        """Return how far it is to changes, to lines that moved, or to doors."""
        if more not in self._by_kind:
            kinds = {kind for kind in (0, *_MORE.values()) if kind == more or kind < more == FAR}
            numbered = list(enumerate(self._explorer.facts))
            ends = [n for n, f in numbered if self._rules.is_end(f) and _MORE.get(f[0], 0) in kinds]
            closed = [n for n, f in numbered if f[0] == facts.OPEN] if more < FAR else []
            self._by_kind[more] = self._explorer.graph.levels(self._holds, ends, closed)
        return self._by_kind[more]

    @cached_property
    def _shares(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """For each group, the share of changed code in all that it may run, by bytes."""
        sizes: dict[int, list[int]] = defaultdict(lambda: [0, 0])
        for fact, bits in zip(self._explorer.facts, self._holds, strict=False):
            if fact[0] == facts.RUN and bits:
                size = self._rules.size(fact)
                sizes[bits][0] += size
                sizes[bits][1] += size * self._rules.is_end(fact)
        count = len(self._bits)
        sums = np.zeros((2, count))
        for bits, own in sizes.items():
            packed = np.frombuffer(bits.to_bytes(-(-count // 8), "little"), np.uint8)
            sums += np.outer(own, np.unpackbits(packed, count=count, bitorder="little"))
        changed: np.ndarray[tuple[int], np.dtype[np.float64]] = sums[1] / np.maximum(sums[0], 1.0)
        return changed


def _beginning(bit: int) -> Fact:
    return facts.BENCHMARK, str(bit)

"""A graph of which fact follows from which, solved for all benchmarks at once.

A graph has facts that follow from one other (edges), and facts that follow from two (joins). For
each fact there is one whole number with a bit for each benchmark in which it holds: facts spread
until nothing is new. Ways to a change are found backwards from all changes, level by level, within
the facts that hold. `tests/harness/jmh/samecode` has the same with sets, benchmark by benchmark.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

Levels = Sequence[Sequence[tuple[int, int, int]]]
"""For each fact, by distance: how far the nearest change is, in which benchmarks, and which fact
comes next on the way to it; -1 at its end."""


@dataclass(eq=False)
class Graph:
    """A graph of facts, which are numbers here.

    Parameters
    ----------
    edges : list of list of int
        For each fact, what follows from it.
    joins : list of (int, int, int)
        Two facts, and what follows from both; ways go by the first.
    """

    edges: list[list[int]] = field(default_factory=list)
    joins: list[tuple[int, int, int]] = field(default_factory=list)

    @cached_property
    def _joined(self) -> Sequence[Sequence[tuple[int, int]]]:
        """For each fact, with which other one what follows."""
        joined: list[list[tuple[int, int]]] = [[] for _ in self.edges]
        for one, other, target in self.joins:
            joined[one].append((other, target))
            joined[other].append((one, target))
        return joined

    def spread(self, seeds: Mapping[int, int]) -> list[int]:
        """Return in which benchmarks each fact holds.

        Parameters
        ----------
        seeds : mapping of int to int
            Facts that hold by themselves, each with the bits of benchmarks.
        """
        holds = [0] * len(self.edges)
        for fact, bits in seeds.items():
            holds[fact] |= bits
        new = bytearray(len(self.edges))
        for fact in seeds:
            new[fact] = 1
        order = self._order(seeds)
        while any(new):
            for fact in order:
                if new[fact]:
                    new[fact] = 0
                    self._pass_on(fact, holds, new)
        return holds

    def _pass_on(self, fact: int, holds: list[int], new: bytearray) -> None:
        """Let follow what follows from one fact, and note where that says something new."""
        bits = holds[fact]
        for target in self.edges[fact]:
            old = holds[target]
            if bits | old != old:
                holds[target] = bits | old
                new[target] = 1
        for other, target in self._joined[fact]:
            both = bits & holds[other]
            old = holds[target]
            if both | old != old:
                holds[target] = both | old
                new[target] = 1

    def _order(self, starts: Iterable[int]) -> list[int]:
        """Return all facts, as far as possible after those from which they follow."""
        seen = bytearray(len(self.edges))
        order: list[int] = []
        for start in (*starts, *range(len(self.edges))):
            if seen[start]:
                continue
            seen[start] = 1
            left = [(start, self._targets(start))]
            while left:
                targets = left[-1][1]
                after = next((t for t in targets if not seen[t]), None)
                if after is None:
                    order.append(left.pop()[0])
                else:
                    seen[after] = 1
                    left.append((after, self._targets(after)))
        return order[::-1]

    def _targets(self, fact: int) -> Iterator[int]:
        yield from self.edges[fact]
        yield from (target for _, target in self._joined[fact])

    def levels(
        self, holds: Sequence[int], ends: Collection[int], closed: Collection[int] = ()
    ) -> Levels:
        """Return how far each fact is from the nearest end that holds, in each benchmark.

        No way leads through facts that are `closed`.
        """
        before = self._before
        found: list[list[tuple[int, int, int]]] = [[] for _ in self.edges]
        seen = [0] * len(self.edges)
        for fact in closed:
            seen[fact] = holds[fact]
        now = {end: holds[end] for end in ends if holds[end]}
        for end, bits in now.items():
            seen[end] = bits
            found[end].append((0, bits, -1))
        level = 0
        while now:
            level += 1
            new: dict[int, int] = defaultdict(int)
            for fact, bits in now.items():
                for source, other in before.get(fact, ()):
                    more = bits & holds[source] & ~seen[source]
                    if other >= 0:
                        more &= holds[other]
                    if more:
                        seen[source] |= more
                        new[source] |= more
                        found[source].append((level, more, fact))
            now = new
        return found

    @cached_property
    def _before(self) -> Mapping[int, Sequence[tuple[int, int]]]:
        """For each fact, from which it follows, and together with which other one, or -1."""
        before: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for fact, targets in enumerate(self.edges):
            for target in targets:
                before[target].append((fact, -1))
        for one, other, target in self.joins:
            before[target].append((one, other))
        return before


def distance(levels: Levels, fact: int, bit: int) -> int:
    """Return how far a fact is from the nearest change; -1 if it reaches none."""
    return next((level for level, bits, _ in levels[fact] if bits >> bit & 1), -1)


def way(levels: Levels, start: int, bit: int) -> list[int]:
    """Return the facts on a shortest way from one to a change, in one benchmark."""
    facts = list[int]()
    fact = start
    while fact >= 0:
        facts.append(fact)
        fact = next(after for _, bits, after in levels[fact] if bits >> bit & 1)
    return facts

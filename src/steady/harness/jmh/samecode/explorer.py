"""Builds the call graph, as far as any benchmark may come.

A fact is expanded when it is first met, so code that nobody can reach is not even decoded. What
follows from two facts is kept as a join: a call reaches the methods of classes of which there may
be objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from steady.harness.jmh.samecode.facts import Fact
from steady.harness.jmh.samecode.kernel import Graph
from steady.harness.jmh.samecode.rules import Following


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
        edges, joins = self._follow(self.facts[fact])
        numbers = self.graph.edges[fact]
        for target in dict.fromkeys(edges):
            number = self.number(target)
            numbers.append(number)
            self._hold(number)
        for other, target in joins:
            self._join(fact, self.number(other), self.number(target))
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

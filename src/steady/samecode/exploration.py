"""A graph that is built by rules, as far as any benchmark reaches.

A node is what may be the case, such as that a method runs. A rule returns what follows from a node,
alone or together with another one. So only what may be reached is ever read.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from steady.samecode.reachability import Graph

Node = tuple[str, ...]
"""What may be the case: of which kind, and of which class, method or file."""


class Join(NamedTuple):
    """A node that follows from two others together.

    Parameters
    ----------
    other : Node
        The second one; the first is the node whose successors the join is among.
    then : Node
        The node that follows from both.
    """

    other: Node
    then: Node


Successors = Iterable[Node | Join]
"""What follows from a node, alone or together with another one."""


class Exploration:
    """A graph, built from some nodes on.

    Parameters
    ----------
    follow : callable
        Returns the successors of a node; it is asked once for each node that may be reached.
    """

    def __init__(self, follow: Callable[[Node], Successors]) -> None:
        self.graph = Graph()
        self.nodes: list[Node] = []
        """The nodes, by their numbers in the graph."""
        self._follow = follow
        self._numbers: dict[Node, int] = {}
        self._is_reached: list[bool] = []
        self._waiting: list[list[int]] = []
        self._pending: list[int] = []

    def number(self, node: Node) -> int:
        """Return the number of a node, which may be new."""
        known = self._numbers.get(node)
        if known is None:
            known = self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
            self.graph.edges.append([])
            self._is_reached.append(False)
            self._waiting.append([])
        return known

    def explore(self, starts: Iterable[Node]) -> None:
        """Add all nodes that may be reached from some."""
        for start in starts:
            self._reach(self.number(start))
        while self._pending:
            self._expand(self._pending.pop())

    def _reach(self, node: int) -> None:
        if not self._is_reached[node]:
            self._is_reached[node] = True
            self._pending.append(node)

    def _expand(self, node: int) -> None:
        successors = dict.fromkeys(self._follow(self.nodes[node]))
        for target in successors:
            if not isinstance(target, Join):
                number = self.number(target)
                self.graph.edges[node].append(number)
                self._reach(number)
        for join in successors:
            if isinstance(join, Join):
                self._add_join(node, self.number(join.other), self.number(join.then))
        for place in self._waiting[node]:
            self._try_join(place)

    def _add_join(self, one: int, other: int, target: int) -> None:
        place = len(self.graph.joins)
        self.graph.joins.append((one, other, target))
        self._waiting[other].append(place)
        self._try_join(place)

    def _try_join(self, place: int) -> None:
        one, other, target = self.graph.joins[place]
        if self._is_reached[one] and self._is_reached[other]:
            self._reach(target)

"""On-demand construction of a graph, from rules that return the successors of a node.

A node is a statement, such as "this method may run". Rules are applied only to reachable nodes, so
classes that no benchmark reaches are never decoded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from steady.samecode.reachability import Graph

Node = tuple[str, ...]
"""A statement: its kind, followed by the names of a class, method or file."""


class Join(NamedTuple):
    """A node that is reachable if two others are.

    Parameters
    ----------
    other : Node
        The second node; the first is the node whose rule returns the join.
    then : Node
        The node that is reachable if both are.
    """

    other: Node
    then: Node


Successors = Iterable[Node | Join]
"""Successors of a node, and its joins with other nodes."""


class Exploration:
    """A graph under construction.

    Parameters
    ----------
    follow : callable
        Returns the successors of a node; it is called once for each reachable node.
    """

    def __init__(self, follow: Callable[[Node], Successors]) -> None:
        self.graph = Graph()
        self.nodes: list[Node] = []
        """Nodes of the graph, by number."""
        self._follow = follow
        self._numbers: dict[Node, int] = {}
        self._is_reached: list[bool] = []
        self._waiting: list[list[int]] = []
        self._pending: list[int] = []

    def number(self, node: Node) -> int:
        """Return the number of a node; a new node is added to the graph."""
        known = self._numbers.get(node)
        if known is None:
            known = self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
            self.graph.edges.append([])
            self._is_reached.append(False)
            self._waiting.append([])
        return known

    def explore(self, starts: Iterable[Node]) -> None:
        """Add all nodes that are reachable from `starts`."""
        for start in starts:
            self._reach(self.number(start))
        while self._pending:
            self._expand(self._pending.pop())

    def continued(self, follow: Callable[[Node], Successors], ends: Iterable[Node]) -> Exploration:
        """Return a copy that goes on from nodes that had no successors.

        Parameters
        ----------
        follow : callable
            Returns the successors of a node. For all nodes except `ends`, it must agree with the
            rules of this exploration.
        ends : iterable of Node
            Nodes of which this exploration did not look for successors. `explore` follows those
            that are reachable.
        """
        copy = Exploration(follow)
        copy.graph.edges = [list(targets) for targets in self.graph.edges]
        copy.graph.joins = list(self.graph.joins)
        copy.nodes, copy._numbers = list(self.nodes), dict(self._numbers)
        copy._is_reached = list(self._is_reached)
        copy._waiting = [list(places) for places in self._waiting]
        copy._pending = [
            n for n in map(self._numbers.get, ends) if n is not None and self._is_reached[n]
        ]
        return copy

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

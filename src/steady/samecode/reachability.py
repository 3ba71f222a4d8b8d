"""Reachability of changed code, for all benchmarks of two builds at once.

A harness supplies a graph, the start nodes of each benchmark, and the changed nodes. This module
computes the nodes that each benchmark reaches, its shortest path to a changed node, and the
fraction of changed code in the nodes that it reaches.

The set of benchmarks that reach a node is an integer with one bit per benchmark. These sets
propagate along the edges to a fixed point. Shortest paths come from one breadth-first search,
backwards from all changed nodes.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

Key = TypeVar("Key", bound=Hashable)


class NearestChange(NamedTuple):
    """The change nearest to a benchmark; see `steady.harness.builds.Decision`.

    Parameters
    ----------
    why : str
        Reason why the benchmark may run different code; empty if it reaches no change.
    distance : int
        Number of methods on the shortest path to the change.
    share : float
        Fraction of changed code in all code that the benchmark reaches, by bytes.
    """

    why: str = ""
    distance: int = 0
    share: float = 0.0


def closure(starts: Iterable[Key], successors: Callable[[Key], Iterable[Key]]) -> set[Key]:
    """Return all nodes that are reachable from `starts`, including `starts`."""
    found = set(starts)
    pending = list(found)
    while pending:
        for node in successors(pending.pop()):
            if node not in found:
                found.add(node)
                pending.append(node)
    return found


@dataclass(eq=False)
class Graph:
    """A directed graph; nodes are numbered from 0.

    Parameters
    ----------
    edges : list of list of int
        Successors of each node.
    joins : list of (int, int, int)
        Two nodes, and a third one that is reachable if both are. Paths to the third node pass
        through the first.
    """

    edges: list[list[int]] = field(default_factory=list)
    joins: list[tuple[int, int, int]] = field(default_factory=list)

    def spread(self, starts: Mapping[int, int]) -> list[int]:
        """Return the benchmarks that reach each node.

        Parameters
        ----------
        starts : mapping of int to int
            Bits of the benchmarks that start at each start node.

        Returns
        -------
        list of int
            Bits of the benchmarks that reach each node.
        """
        reached = [0] * len(self.edges)
        changed = bytearray(len(self.edges))
        for node, bits in starts.items():
            reached[node] |= bits
            changed[node] = 1
        order = self._topological_order(starts)
        while any(changed):
            for node in order:
                if changed[node]:
                    changed[node] = 0
                    self._pass_on(node, reached, changed)
        return reached

    def _pass_on(self, node: int, reached: list[int], changed: bytearray) -> None:
        """Add the bits of a node to its successors, and mark successors that gain bits."""
        bits = reached[node]
        for target in self.edges[node]:
            old = reached[target]
            if bits | old != old:
                reached[target] = bits | old
                changed[target] = 1
        for other, target in self._joined[node]:
            both = bits & reached[other]
            old = reached[target]
            if both | old != old:
                reached[target] = both | old
                changed[target] = 1

    def _topological_order(self, starts: Iterable[int]) -> list[int]:
        """Return the nodes reachable from `starts`, in topological order except within cycles."""
        seen = bytearray(len(self.edges))
        order: list[int] = []
        for start in starts:
            if seen[start]:
                continue
            seen[start] = 1
            stack = [(start, self._targets(start))]
            while stack:
                targets = stack[-1][1]
                after = next((one for one in targets if not seen[one]), None)
                if after is None:
                    order.append(stack.pop()[0])
                else:
                    seen[after] = 1
                    stack.append((after, self._targets(after)))
        return order[::-1]

    def _targets(self, node: int) -> Iterator[int]:
        yield from self.edges[node]
        yield from (target for _, target in self._joined[node])

    @cached_property
    def _joined(self) -> Sequence[Sequence[tuple[int, int]]]:
        """Joins of each node, as pairs of the other node and the target."""
        joined: list[list[tuple[int, int]]] = [[] for _ in self.edges]
        for one, other, target in self.joins:
            joined[one].append((other, target))
            joined[other].append((one, target))
        return joined

    @cached_property
    def predecessors(self) -> Mapping[int, Sequence[tuple[int, int]]]:
        """Predecessors of each node, each with the other node of the join, or -1 for an edge."""
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for node, targets in enumerate(self.edges):
            for target in targets:
                found[target].append((node, -1))
        for one, other, target in self.joins:
            found[target].append((one, other))
        return found


@dataclass(frozen=True)
class Paths:
    """The shortest paths from the nodes of a graph to changed nodes.

    Parameters
    ----------
    steps : sequence of sequence of (int, int)
        Pairs for each node: the bits of some benchmarks, and the next node on their shortest path,
        or -1 at a changed node.
    """

    steps: Sequence[Sequence[tuple[int, int]]]

    def path(self, start: int, benchmark: int) -> list[int]:
        """Return the nodes on a shortest path to a changed node; empty if there is none.

        Parameters
        ----------
        start : int
            The first node.
        benchmark : int
            Number of the benchmark; it reaches all nodes of the path.
        """
        nodes: list[int] = []
        node = start
        while node >= 0:
            step = next((after for bits, after in self.steps[node] if bits >> benchmark & 1), None)
            if step is None:
                return []
            nodes.append(node)
            node = step
        return nodes


class Reachability:
    """The nodes that each benchmark reaches.

    Parameters
    ----------
    graph : Graph
        The graph.
    starts : sequence of iterable of int
        Start nodes of each benchmark.
    """

    def __init__(self, graph: Graph, starts: Sequence[Iterable[int]]) -> None:
        bits: dict[int, int] = defaultdict(int)
        for benchmark, nodes in enumerate(starts):
            for node in nodes:
                bits[node] |= 1 << benchmark
        self._graph = graph
        self._benchmarks = len(starts)
        self.reached: Sequence[int] = graph.spread(bits)
        """Bits of the benchmarks that reach each node."""

    def paths(self, changed: Iterable[int], closed: Iterable[int] = ()) -> Paths:
        """Return the shortest paths to changed nodes.

        Parameters
        ----------
        changed : iterable of int
            Changed nodes. Among those at the same distance, the first one takes precedence.
        closed : iterable of int
            Nodes that paths must not pass through.
        """
        reached, predecessors = self.reached, self._graph.predecessors
        steps: list[list[tuple[int, int]]] = [[] for _ in reached]
        seen = [0] * len(reached)
        for node in closed:
            seen[node] = reached[node]
        level = {node: reached[node] for node in changed if reached[node]}
        for node, bits in level.items():
            seen[node] = bits
            steps[node].append((bits, -1))
        while level:
            farther: dict[int, int] = defaultdict(int)
            for node, bits in level.items():
                for source, other in predecessors.get(node, ()):
                    more = bits & reached[source] & ~seen[source]
                    if other >= 0:
                        more &= reached[other]
                    if more:
                        seen[source] |= more
                        farther[source] |= more
                        steps[source].append((more, node))
            level = farther
        return Paths(steps)

    def changed_shares(
        self,
        nodes: Iterable[int],
        size: Callable[[int], int],
        is_changed: Callable[[int], bool],
    ) -> npt.NDArray[np.float64]:
        """Return the fraction of changed code in the nodes that each benchmark reaches.

        Parameters
        ----------
        nodes : iterable of int
            Nodes with code.
        size : callable
            Returns the size of a node's code in bytes.
        is_changed : callable
            Returns whether a node changed.

        Returns
        -------
        array of float, shape (benchmarks,)
            Between 0 and 1.
        """
        sizes: dict[int, list[int]] = defaultdict(lambda: [0, 0])
        for node in nodes:
            if bits := self.reached[node]:
                own = size(node)
                sizes[bits][0] += own
                sizes[bits][1] += own * is_changed(node)
        count = self._benchmarks
        sums = np.zeros((2, count))
        for bits, both in sizes.items():
            packed = np.frombuffer(bits.to_bytes(-(-count // 8), "little"), np.uint8)
            sums += np.outer(both, np.unpackbits(packed, count=count, bitorder="little"))
        shares: npt.NDArray[np.float64] = sums[1] / np.maximum(sums[0], 1.0)
        return shares

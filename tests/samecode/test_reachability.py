"""Reachability compared with plain searches for each benchmark."""

from collections import deque
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from steady.samecode.exploration import Exploration, Join, Node
from steady.samecode.reachability import Graph, Reachability, closure

COUNT = 9
numbers = st.integers(0, COUNT - 1)
sets = st.sets(numbers, max_size=3)
edge_lists = st.lists(st.tuples(numbers, numbers), max_size=16)


def graph_of(edges: list[tuple[int, int]], joins: list[tuple[int, int, int]]) -> Graph:
    return Graph([[t for s, t in edges if s == node] for node in range(COUNT)], list(joins))


graphs = st.builds(graph_of, edge_lists, st.lists(st.tuples(numbers, numbers, numbers), max_size=8))
start_sets = st.lists(st.sets(numbers, min_size=1, max_size=3), min_size=1, max_size=4)


def reached(graph: Graph, starts: set[int]) -> set[int]:
    """Apply all edges and joins to all nodes until no node is added."""
    found = set(starts)
    while True:
        new = {t for s in found for t in graph.edges[s]}
        new |= {t for one, other, t in graph.joins if one in found and other in found}
        if new <= found:
            return found
        found |= new


def successors(graph: Graph, found: set[int], node: int) -> list[int]:
    """Return the successors of a node by edges and joins."""
    joined = [t for one, other, t in graph.joins if one == node and other in found]
    return [*graph.edges[node], *joined]


def steps_to(graph: Graph, found: set[int], start: int, ends: set[int], closed: set[int]) -> int:
    """Return the number of edges from a node to the nearest end, or -1, by a plain search."""
    distances, queue = {start: 0}, deque([start])
    while queue:
        node = queue.popleft()
        if node in ends:
            return distances[node]
        for target in successors(graph, found, node):
            if target not in distances and (target not in closed or target in ends):
                distances[target] = distances[node] + 1
                queue.append(target)
    return -1


@given(graphs, start_sets)
def test_reached_nodes_equal_those_of_a_plain_search(graph: Graph, starts: list[set[int]]) -> None:
    bits = Reachability(graph, starts).reached
    for benchmark, own in enumerate(starts):
        found = {node for node in range(COUNT) if bits[node] >> benchmark & 1}
        assert found == reached(graph, own)


@given(graphs, start_sets, st.sets(numbers, min_size=1, max_size=3), sets)
def test_paths_are_shortest_and_avoid_closed_nodes(
    graph: Graph, starts: list[set[int]], changes: set[int], closed: set[int]
) -> None:
    paths = Reachability(graph, starts).paths(changes, closed)
    for benchmark, own in enumerate(starts):
        found = reached(graph, own)
        for start in found - closed:
            steps = paths.path(start, benchmark)
            nearest = steps_to(graph, found, start, changes & found, closed)
            assert len(steps) - 1 == nearest
            if steps:
                assert steps[0] == start
                assert steps[-1] in changes
                assert not closed.intersection(steps[:-1])
                assert set(steps) <= found
                assert all(two in successors(graph, found, one) for one, two in pairwise(steps))
        for node in set(range(COUNT)) - found:
            assert paths.path(node, benchmark) == []


@given(graphs, start_sets, sets, st.lists(st.integers(0, 50), min_size=COUNT, max_size=COUNT))
def test_shares_are_computed_from_reached_nodes(
    graph: Graph, starts: list[set[int]], changes: set[int], sizes: list[int]
) -> None:
    reachability = Reachability(graph, starts)
    shares = reachability.changed_shares(range(COUNT), sizes.__getitem__, changes.__contains__)
    assert shares.tolist() == [
        sum(sizes[n] for n in reached(graph, own) & changes)
        / max(sum(sizes[n] for n in reached(graph, own)), 1)
        for own in starts
    ]


@given(edge_lists, sets)
def test_a_closure_equals_a_plain_search(edges: list[tuple[int, int]], starts: set[int]) -> None:
    graph = graph_of(edges, [])
    assert closure(starts, graph.edges.__getitem__) == reached(graph, starts)


def test_the_first_of_two_nearest_changes_is_chosen() -> None:
    graph = Graph([[1, 2], [], []])
    for changes in ([1, 2], [2, 1]):
        assert Reachability(graph, [[0]]).paths(changes).path(0, 0) == [0, changes[0]]


@given(graphs, st.sets(numbers, min_size=1, max_size=3))
def test_an_exploration_follows_each_reached_node_once(graph: Graph, starts: set[int]) -> None:
    asked: list[Node] = []

    def follow(node: Node) -> list[Node | Join]:
        asked.append(node)
        number = int(node[0])
        joins = [
            Join((str(other),), (str(then),)) for one, other, then in graph.joins if one == number
        ]
        return [*((str(target),) for target in graph.edges[number]), *joins]

    exploration = Exploration(follow)
    exploration.explore((str(start),) for start in sorted(starts))
    assert len(asked) == len(set(asked))
    assert {int(node[0]) for node in asked} == reached(graph, starts)
    begins = [[exploration.number((str(start),)) for start in starts]]
    bits = Reachability(exploration.graph, begins).reached
    found = {int(n[0]) for n, own in zip(exploration.nodes, bits, strict=True) if own}
    assert found == reached(graph, starts)


@given(graphs, st.sets(numbers, min_size=1, max_size=3), sets)
def test_a_continued_exploration_equals_one_without_ends(
    graph: Graph, starts: set[int], ends: set[int]
) -> None:
    def follow(node: Node) -> list[Node | Join]:
        number = int(node[0])
        joins = [
            Join((str(other),), (str(then),)) for one, other, then in graph.joins if one == number
        ]
        return [*((str(target),) for target in graph.edges[number]), *joins]

    first = Exploration(lambda node: [] if int(node[0]) in ends else follow(node))
    first.explore((str(start),) for start in sorted(starts))
    before = [list(targets) for targets in first.graph.edges]
    whole = first.continued(follow, [(str(end),) for end in sorted(ends)])
    whole.explore(())
    begins = [[whole.number((str(start),)) for start in starts]]
    bits = Reachability(whole.graph, begins).reached
    found = {int(n[0]) for n, own in zip(whole.nodes, bits, strict=True) if own}
    assert found == reached(graph, starts)
    assert first.graph.edges == before

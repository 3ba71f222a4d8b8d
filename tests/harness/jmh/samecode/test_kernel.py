"""The kernel says what a slow walk with sets says, benchmark by benchmark."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from steady.harness.jmh.samecode.kernel import Graph, distance, way

COUNT = 9
numbers = st.integers(0, COUNT - 1)
graphs = st.builds(
    lambda edges, joins: Graph(
        [[t for s, t in edges if s == place] for place in range(COUNT)], list(joins)
    ),
    st.lists(st.tuples(numbers, numbers), max_size=16),
    st.lists(st.tuples(numbers, numbers, numbers), max_size=8),
)
seed_sets = st.lists(st.sets(numbers, min_size=1, max_size=3), min_size=1, max_size=4)


def reached(graph: Graph, seeds: set[int]) -> set[int]:
    """Apply every rule to every fact, until nothing is new."""
    found = set(seeds)
    while True:
        new = {t for s in found for t in graph.edges[s]}
        new |= {t for one, other, t in graph.joins if one in found and other in found}
        if new <= found:
            return found
        found |= new


def follows(graph: Graph, found: set[int], fact: int, target: int) -> bool:
    """Tell whether a fact leads to another one, by an edge or together with what holds."""
    joined = (t for one, other, t in graph.joins if one == fact and other in found)
    return target in graph.edges[fact] or target in joined


def nearest(graph: Graph, found: set[int], start: int, ends: set[int]) -> int:
    """Walk forward from a fact, only over facts that hold, level by level."""
    level, now, seen = 0, {start}, {start}
    while now:
        if now & ends:
            return level
        new = {t for s in now for t in graph.edges[s]}
        new |= {t for one, other, t in graph.joins if one in now and other in found}
        now = new - seen
        seen |= now
        level += 1
    return -1


@given(graphs, seed_sets)
def test_facts_spread_as_with_sets(graph: Graph, seeds: list[set[int]]) -> None:
    holds = graph.spread({n: sum(1 << b for b, s in enumerate(seeds) if n in s) for n in range(9)})
    for bit, own in enumerate(seeds):
        assert {n for n in range(COUNT) if holds[n] >> bit & 1} == reached(graph, own)


@given(graphs, seed_sets, st.sets(numbers, min_size=1, max_size=3), st.sets(numbers, max_size=3))
def test_ways_are_the_shortest_and_none_leads_through_what_is_closed(
    graph: Graph, seeds: list[set[int]], ends: set[int], closed: set[int]
) -> None:
    holds = graph.spread({n: sum(1 << b for b, s in enumerate(seeds) if n in s) for n in range(9)})
    levels = graph.levels(holds, ends, closed)
    opened = Graph([[] if n in closed else own for n, own in enumerate(graph.edges)])
    opened.joins = [join for join in graph.joins if join[0] not in closed]
    for bit, own in enumerate(seeds):
        found = reached(graph, own)
        for start in found - closed:
            far = nearest(opened, found, start, ends & found)
            assert distance(levels, start, bit) == far
            if far >= 0:
                steps = way(levels, start, bit)
                assert len(steps) == far + 1
                assert steps[0] == start
                assert steps[-1] in ends
                assert set(steps) <= found
                assert all(follows(opened, found, *pair) for pair in pairwise(steps))

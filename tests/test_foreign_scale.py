"""Adversarial names take time in proportion to their length."""

import time
from collections.abc import Callable

import numpy as np

from steady.compare import compare
from steady.compare.ledger_building import find_renames
from steady.compare.pair import grouped
from steady.model import Benchmark, Identity, Level, Suite
from steady.report.names import ShortNames
from steady.settings import matches
from steady.text.escape import visible
from tests.looped import looped

LEVELS = (Level("fork"), Level("iteration"))
GROWTH = 4
MOST_GROWTH = 2.5 * GROWTH
"""Maximum ratio of the times for input `GROWTH` times as large; 16 if quadratic."""

FLOOR = 0.05
"""CPU seconds below which times are not compared, because of the clock's noise."""


def seconds(work: Callable[[int], object], size: int) -> float:
    begin = time.process_time()
    work(size)
    return time.process_time() - begin


def rename(size: int) -> object:
    """Align names of one class, which are permutations of the same two letters."""
    lost = [Identity(f"c.{'ab' * 100}{n:04}") for n in range(size)]
    return find_renames(lost, [Identity(f"c.{'ba' * 100}{n:04}") for n in range(size)])


def pattern(size: int) -> object:
    name = Identity("a." * size)
    return [matches(p, name) for p in ("a.*b", "a.a.*a.b*", "b", "*a.a.a.a.b", f"{'a.' * 50}b*a.")]


def prefix(size: int) -> object:
    return ShortNames.of(Identity(f"{'a.' * 500}b{n}.c.d") for n in range(size))


def units(size: int) -> object:
    runs = [
        Suite(tuple(Benchmark(Identity(f"b{n}"), f"u{n}", values, LEVELS) for n in range(size)))
        for values in (np.ones((2, 2)), np.full((2, 2), 2.0))
    ]
    return compare(runs[0], runs[1], rule="paired-t")


def seen(size: int) -> object:
    return visible("é" * 100 * size)


@looped(
    ("work", "size"),
    [(rename, 20), (pattern, 5_000), (prefix, 200), (units, 40), (seen, 5_000)],
)
def test_time_grows_with_the_input(work: Callable[[int], object], size: int) -> None:
    work(1)  # exclude imports and compilation
    small = min(seconds(work, size) for _ in range(2))
    large = min(
        seconds(work, GROWTH * size) for _ in range(2)
    )  # other processes may disturb one of them
    if work is rename:  # the number of pairs of names is limited separately
        assert large < FLOOR + GROWTH * MOST_GROWTH * small
    else:
        assert large < FLOOR + MOST_GROWTH * small


def test_adversarial_names_are_aligned_quickly() -> None:
    """With `difflib.SequenceMatcher`, comparing 5,000 pairs would take ten minutes."""
    assert seconds(rename, 300) < 10

    def match(size: int) -> None:
        name = Identity("a." * size)
        assert [matches(pattern, name) for pattern in ("a.*b", "a.a.*", "a.b")] == [0, 1, 0]

    assert seconds(match, 100_000) < 1


def test_names_are_compared_within_one_unit() -> None:
    parted = grouped({1: "s", 2: "ms", 3: "s"}, lambda _, unit: unit)
    assert parted == [{1: "s", 3: "s"}, {2: "ms"}]

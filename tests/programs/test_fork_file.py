"""Iterations of equal time, and the forks of a run in the JSON of another harness."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.programs.fork_file import iterations_of


def literal(samples: list[float], count: int) -> list[float]:
    """Return the same, sample by sample: each belongs to the iteration in which it begins."""
    if len(samples) <= count:
        return samples
    whole = sum(samples)
    groups: dict[int, list[float]] = {}
    passed = 0.0
    for sample in samples:
        groups.setdefault(min(int(passed / whole * count + 1e-9), count - 1), []).append(sample)
        passed += sample
    return [sum(own) / len(own) for own in groups.values()]


@given(st.lists(st.integers(1, 50).map(float), min_size=1, max_size=60), st.integers(1, 12))
def test_iterations_take_about_as_long(samples: list[float], count: int) -> None:
    found = iterations_of(np.array(samples), count)
    assert found.tolist() == pytest.approx(literal(samples, count))


def test_a_sample_longer_than_an_iteration_leaves_fewer_of_them() -> None:
    found = iterations_of(np.array([1.0, 1.0, 1.0, 7.0, 1.0, 1.0]), 4).tolist()
    assert found == [1.0, 7.0, 1.0]


def test_few_samples_stay_as_they_are() -> None:
    assert iterations_of(np.array([3.0, 1.0]), 4).tolist() == [3.0, 1.0]

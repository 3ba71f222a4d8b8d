"""Algorithm 1, compared with a loop that follows the paper line by line."""

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from steady.errors import InputError, UnknownNameError
from steady.model import FloatArray
from steady.papers.uoptime import MinimalConfiguration, configuration_grid, minimal_configuration
from steady.stats import METRICS, stability
from steady.stats.configurations import stability_of_configurations
from tests.looped import looped

Counts = tuple[int, ...]


def measured(shape: Counts, spread: float = 0.01, seed: int = 0) -> FloatArray:
    return np.random.default_rng([seed, *shape]).lognormal(4, spread, shape)


def block(measurements: FloatArray, counts: Counts) -> FloatArray:
    return measurements[tuple(slice(count) for count in counts)]


def literal_values(
    measurements: FloatArray, metric: str, counted: Sequence[int] | None = None
) -> dict[Counts, float]:
    """Algorithm 1, lines 3 to 12: the stability of one configuration after another."""
    levels = range(measurements.ndim) if counted is None else counted
    values = {}
    for counts in itertools.product(*(range(1, n + 1) for n in measurements.shape)):
        if math.prod(counts[level] for level in levels) >= 3:
            sample = block(measurements, counts)
            if np.count_nonzero(~np.isnan(sample)) > 0:
                values[counts] = stability(sample, metric)
    return values


def literal_minimum(
    values: dict[Counts, float],
    threshold: float,
    full: Counts,
    cost: Callable[[Counts], float] = math.prod,
) -> Counts:
    """Algorithm 1, lines 13 to 19."""
    stable = [(cost(counts), v, counts) for counts, v in values.items() if v <= threshold]
    return min(stable)[2] if stable else full


def test_grids_have_the_published_sizes() -> None:
    for shape, counted, configurations in (
        ((3, 5, 5), (0, 1), 60),
        ((3, 20), None, 57),
        ((5, 50), None, 247),
        ((5, 100), None, 497),
        ((3, 5, 5), None, 71),
        ((7,), None, 5),
        ((2, 2, 2, 2), None, 11),
        ((1, 2), None, 0),
    ):
        grid = configuration_grid(shape, counted_levels=counted)
        assert grid.shape == (configurations, len(shape))


def test_a_configuration_uses_the_first_repetitions_of_each_level() -> None:
    shapes: tuple[Counts, ...] = ((9,), (3, 5), (2, 3, 4), (2, 3, 2, 3))
    for shape in shapes:
        measurements = measured(shape)
        measurements[measurements > 55.3] = np.nan
        measurements.flat[0] = 55.0
        grid = configuration_grid(shape, minimum_repetitions=1)
        found = stability_of_configurations(measurements, grid, tuple(METRICS))
        for metric, values in found.items():
            expected = [stability(block(measurements, tuple(counts)), metric) for counts in grid]
            assert values == pytest.approx(expected, rel=1e-9)
    # Without two values they are never stable.
    measurements = np.array([[5.0, np.nan, np.nan], [np.nan, 5.0, 5.0]])
    grid = configuration_grid((2, 3), minimum_repetitions=1)
    values = stability_of_configurations(measurements, grid, ("cv",))["cv"]
    assert values.tolist() == [np.inf, np.inf, np.inf, np.inf, 0.0, 0.0]
    empty = stability_of_configurations(np.array([np.nan, 1.0, 2.0]), [[1]], ("rciw2",))
    assert empty["rciw2"].tolist() == [np.inf]


@looped("metric", METRICS)
def test_the_choice_equals_the_literal_loop(metric: str) -> None:
    shapes: tuple[Counts, ...] = ((12,), (3, 20), (3, 4, 3))
    for shape, spread, seed in itertools.product(shapes, (0.004, 0.02), range(2)):
        measurements = measured(shape, spread, seed)
        values = literal_values(measurements, metric)
        for threshold in (0.005, 0.01, 0.02):
            chosen = minimal_configuration(measurements, metric, threshold)
            assert chosen.levels == literal_minimum(values, threshold, shape)


def test_the_choice_by_seconds_equals_the_literal_loop() -> None:
    """A fork also costs its start-up and warm-up; 0.1 is not an exact fraction."""

    def seconds(grid: npt.NDArray[np.int64]) -> FloatArray:
        return np.asarray(grid[:, 0] * (0.3 + grid[:, 1] * 0.1))

    def literal_seconds(counts: Counts) -> float:
        return round(counts[0] * (0.3 + counts[1] * 0.1), 6)

    grid = configuration_grid((4, 15))
    for seed in range(20):
        measurements = measured((4, 15), 0.012, seed)
        by_function = minimal_configuration(measurements, "rmad", 0.006, costs=seconds)
        by_array = minimal_configuration(measurements, "rmad", 0.006, costs=seconds(grid))
        assert by_function == by_array
        values = literal_values(measurements, "rmad")
        assert by_function.levels == literal_minimum(values, 0.006, (4, 15), literal_seconds)


def test_counted_levels_equal_the_literal_loop() -> None:
    for seed in range(10):
        measurements = measured((3, 5, 5), 0.006, seed)
        chosen = minimal_configuration(measurements, "cv", counted_levels=(0, 1))
        values = literal_values(measurements, "cv", counted=(0, 1))
        assert chosen.levels == literal_minimum(values, 0.01, (3, 5, 5))
        assert chosen.levels[0] * chosen.levels[1] >= 3


def test_ties_are_broken_by_stability_and_then_by_order() -> None:
    # Costs that differ by rounding are equal.
    measurements = [[10.0, 10.2, 10.0], [10.1, 9.0, 9.0], [10.0, 9.0, 9.0]]
    options = {"candidates": [[1, 3], [3, 1]], "costs": [0.3, 0.1 + 0.2]}
    assert minimal_configuration(measurements, "cv", 0.05, **options).levels == (3, 1)  # type: ignore[arg-type]
    measurements = [[10.0, 10.1, 10.2], [10.1, 9.0, 9.0], [10.2, 9.0, 9.0]]
    assert minimal_configuration(measurements, "rmad", 0.05).levels == (1, 3)


def test_the_threshold_is_stable_unless_strict() -> None:
    measurements = np.array([99.0, 100.0, 101.0, 100.0, 100.0])
    assert minimal_configuration(measurements, "rmad", 0.01).levels == (3,)
    assert minimal_configuration(measurements, "rmad", 0.01, strict=True).levels == (4,)


def test_the_full_configuration_is_kept_if_none_is_stable() -> None:
    measurements = measured((3, 6), 0.5)
    chosen = minimal_configuration(measurements, "cv")
    value = stability(measurements, "cv")
    assert chosen == MinimalConfiguration((3, 6), value, reduced=False, stable=False)
    chosen = minimal_configuration([[5.0, 5.0]], "cv")
    assert chosen == MinimalConfiguration((1, 2), 0.0, reduced=False, stable=False)
    for fewest in (2, 7):
        chosen = minimal_configuration(np.ones((2, 9)), "cv", minimum_repetitions=fewest)
        assert chosen.levels == (1, fewest)


def test_only_candidates_and_the_full_configuration_are_chosen() -> None:
    measurements = measured((3, 20), 0.001)
    candidates = [[2, 20], [2, 10], [3, 1], [1, 2]]
    assert minimal_configuration(measurements, "cv", candidates=candidates).levels == (3, 1)
    priced = minimal_configuration(measurements, "cv", candidates=candidates, costs=[4, 3, 9, 1])
    assert priced.levels == (2, 10)
    none = minimal_configuration(measurements, "cv", 0.0, candidates=candidates)
    assert (none.levels, none.stable) == ((3, 20), False)
    # A stable full configuration is accepted even if it is not a candidate.
    four = np.array([100.0, 101.0, 99.0, 100.0])
    chosen = minimal_configuration(four, "rmad", 0.007, candidates=[[3]])
    assert chosen == MinimalConfiguration((4,), 0.005, reduced=False, stable=True)


def test_invalid_options_measurements_and_shapes_are_rejected() -> None:
    for options, problem in (
        ({"threshold": -0.1}, "threshold is -0.1"),
        ({"threshold": float("nan")}, "threshold is nan"),
        ({"counted_levels": (2,)}, "expected at least one of 0 to 1"),
        ({"counted_levels": ()}, "expected at least one of 0 to 1"),
        ({"candidates": [[4, 1]]}, "exceeds the measurements"),
        ({"candidates": [[0, 5]]}, "exceeds the measurements"),
        ({"candidates": [[1.5, 2.0]]}, "whole numbers"),
        ({"candidates": [3, 4]}, "rows of 2"),
        ({"costs": [1.0, 2.0]}, "for 12 configurations"),
        ({"costs": lambda grid: -grid[:, 0]}, "cost is negative or infinite"),
        ({"confidence": 2}, "between 0 and 1"),
    ):
        with pytest.raises(InputError, match=problem):
            minimal_configuration(measured((3, 5)), **options)
    bad: tuple[npt.ArrayLike, ...] = (5.0, [], [[np.nan]], [1.0, np.inf], [[1.0], [2.0, 3.0]])
    for measurements in bad:
        with pytest.raises(InputError):
            minimal_configuration(measurements)
        with pytest.raises(InputError):
            stability_of_configurations(measurements, [[1]])
    for shape in ((3, 0), ()):
        with pytest.raises(InputError, match="at least 1 repetition"):
            configuration_grid(shape)
    with pytest.raises(UnknownNameError, match="rciw3-mean"):
        minimal_configuration(measured((3, 5)), "rciw4")

"""What the benchmarks of a suite say about the spread between forks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import polygamma

from steady.compare.spread import _inverse_trigamma, shared_spread
from tests.looped import looped


def draw(
    generator: np.random.Generator, variance: float, prior: float, own: int, count: int
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Draw sample variances as the model has it: Smyth 2004, section 3."""
    true = variance * prior / generator.chisquare(prior, count)
    return np.asarray(true * generator.chisquare(own, count) / own)


@looped(("prior", "own"), [(4.0, 4), (1.5, 8), (20.0, 2)])
def test_parameters_of_the_model_are_found_again(prior: float, own: int) -> None:
    variances = draw(np.random.default_rng(1), 2e-4, prior, own, 50_000)
    found = shared_spread(variances, np.full(variances.size, float(own)))
    assert found.freedom == pytest.approx(prior, rel=0.1)
    assert found.variance == pytest.approx(2e-4, rel=0.05)


def test_equal_variances_are_worth_infinitely_many_degrees_of_freedom() -> None:
    found = shared_spread(np.full(10, 3.0), np.full(10, 4.0))
    assert found.freedom == np.inf
    np.testing.assert_allclose(
        found.moderate(np.array([0.1, 9.0]), np.array([4.0, 4.0])), found.variance
    )


@looped(
    ("variances", "freedoms"),
    [([], []), ([2.0], [4.0]), ([2.0, 0.0], [4.0, 4.0]), ([2.0, 0.0], [4.0, 0.0])],
)
def test_fewer_than_two_that_tell_something_share_nothing(
    variances: list[float], freedoms: list[float]
) -> None:
    found = shared_spread(np.array(variances), np.array(freedoms))
    assert found.freedom == 0
    kept = found.moderate(np.array([2.0]), np.array([4.0]))
    np.testing.assert_array_equal(kept, [2.0])


def test_moderated_variance_is_weighted_by_degrees_of_freedom() -> None:
    variances = draw(np.random.default_rng(3), 1.0, 4.0, 4, 1000)
    found = shared_spread(variances, np.full(1000, 4.0))
    [moderated] = found.moderate(np.array([10.0]), np.array([6.0]))
    expected = (found.freedom * found.variance + 6 * 10) / (found.freedom + 6)
    assert moderated == pytest.approx(expected)


@looped("value", [1e-5, 0.01, 0.5, 1.6449340668, 30.0, 1e5])
def test_inverse_trigamma(value: float) -> None:
    assert float(polygamma(1, _inverse_trigamma(value))) == pytest.approx(value, rel=1e-8)


def test_wildly_different_variances_are_worth_next_to_nothing() -> None:
    found = shared_spread(np.array([1e-300, 1e300]), np.array([4.0, 4.0]))
    assert 0 < found.freedom < 0.01
    assert np.isfinite(found.moderate(np.array([1.0]), np.array([4.0]))).all()


def test_variances_that_follow_the_noise_are_worth_more() -> None:
    generator = np.random.default_rng(4)
    noise = np.exp(generator.normal(0, 2, 20_000))
    variances = noise * draw(generator, 2e-4, 12.0, 4, 20_000)
    own = np.full(20_000, 4.0)
    flat, found = shared_spread(variances, own), shared_spread(variances, own, noise)
    assert flat.freedom < 2
    assert found.freedom == pytest.approx(12.0, rel=0.1)
    np.testing.assert_allclose(found.variance, 2e-4 * noise, rtol=0.2)


def test_the_line_never_falls_and_is_never_steeper_than_the_noise() -> None:
    noise = np.geomspace(1, 1000, 30)
    for power, slope in ((-1.0, 0.0), (0.5, 0.5), (2.0, 1.0)):
        shared = shared_spread(noise**power, np.full(30, 4.0), noise).variance
        logs = np.diff(np.log(np.broadcast_to(shared, 30))) / np.diff(np.log(noise))
        np.testing.assert_allclose(logs, slope, atol=1e-9)


@looped("count", [2, 9])
def test_few_benchmarks_get_no_line(count: int) -> None:
    noise = np.arange(1.0, count + 1)
    own = np.full(count, 4.0)
    assert shared_spread(noise, own, noise) == shared_spread(noise, own)


@looped("unknown", [np.nan, 0.0])
def test_unknown_noise_counts_as_typical(unknown: float) -> None:
    noise = np.geomspace(1, 1000, 31)
    own = np.full(31, 4.0)
    whole = shared_spread(noise, own, noise)
    less = np.where(np.arange(31) == 15, unknown, noise)
    np.testing.assert_allclose(shared_spread(noise, own, less).variance, whole.variance)
    for nothing in (np.full(31, unknown), np.full(31, 7.0)):
        assert shared_spread(noise, own, nothing) == shared_spread(noise, own)

"""The moderated variance of a suite, and the pooling of estimates."""

import numpy as np
import pytest
from scipy.special import polygamma

from steady.compare.variance import VarianceEstimate, _inverse_trigamma, shared_variance
from steady.model import FloatArray


def draw(
    generator: np.random.Generator, variance: float, prior: float, own: int, count: int
) -> FloatArray:
    """Return sample variances simulated by the model of Smyth 2004, section 3."""
    true = variance * prior / generator.chisquare(prior, count)
    return np.asarray(true * generator.chisquare(own, count) / own)


def test_parameters_of_the_model_are_recovered() -> None:
    for prior, own in ((4.0, 4), (1.5, 8), (20.0, 2)):
        variances = draw(np.random.default_rng(1), 2e-4, prior, own, 50_000)
        found = shared_variance(variances, np.full(variances.size, float(own)))
        assert found.freedom == pytest.approx(prior, rel=0.1)
        assert found.variance == pytest.approx(2e-4, rel=0.05)
    for value in (1e-5, 0.01, 0.5, 1.6449340668, 30.0, 1e5):
        assert float(polygamma(1, _inverse_trigamma(value))) == pytest.approx(value, rel=1e-8)


def test_moderated_variance_is_weighted_by_degrees_of_freedom() -> None:
    variances = draw(np.random.default_rng(3), 1.0, 4.0, 4, 1000)
    found = shared_variance(variances, np.full(1000, 4.0))
    [moderated] = found.moderate(np.array([10.0]), np.array([6.0]))
    expected = (found.freedom * found.variance + 6 * 10) / (found.freedom + 6)
    assert moderated == pytest.approx(expected)
    # Equal variances are worth infinitely many degrees of freedom, and wild ones next to none.
    equal = shared_variance(np.full(10, 3.0), np.full(10, 4.0))
    assert equal.freedom == np.inf
    drawn = equal.moderate(np.array([0.1, 9.0]), np.array([4.0, 4.0]))
    np.testing.assert_allclose(drawn, equal.variance)
    wild = shared_variance(np.array([1e-300, 1e300]), np.array([4.0, 4.0]))
    assert 0 < wild.freedom < 0.01
    assert np.isfinite(wild.moderate(np.array([1.0]), np.array([4.0]))).all()


def test_fewer_than_two_informative_benchmarks_share_no_variance() -> None:
    for variances, freedoms in (([], []), ([2.0], [4.0]), ([2.0, 0.0], [4.0, 4.0])):
        found = shared_variance(np.array(variances), np.array(freedoms))
        assert found.freedom == 0
        assert found.moderate(np.array([2.0]), np.array([4.0])).tolist() == [2.0]


def test_variances_that_follow_the_noise_add_freedom() -> None:
    generator = np.random.default_rng(4)
    noise = np.exp(generator.normal(0, 2, 20_000))
    variances = noise * draw(generator, 2e-4, 12.0, 4, 20_000)
    own = np.full(20_000, 4.0)
    flat, found = shared_variance(variances, own), shared_variance(variances, own, noise)
    assert flat.freedom < 2
    assert found.freedom == pytest.approx(12.0, rel=0.1)
    np.testing.assert_allclose(found.variance, 2e-4 * noise, rtol=0.2)


def test_the_slope_is_between_zero_and_one() -> None:
    noise = np.geomspace(1, 1000, 30)
    for power, slope in ((-1.0, 0.0), (0.5, 0.5), (2.0, 1.0)):
        shared = shared_variance(noise**power, np.full(30, 4.0), noise).variance
        logs = np.diff(np.log(np.broadcast_to(shared, 30))) / np.diff(np.log(noise))
        np.testing.assert_allclose(logs, slope, atol=1e-9)


def test_few_benchmarks_have_no_regression_and_unknown_noise_is_typical() -> None:
    for count in (2, 9):
        noise, own = np.arange(1.0, count + 1), np.full(count, 4.0)
        assert shared_variance(noise, own, noise) == shared_variance(noise, own)
    noise, own = np.geomspace(1, 1000, 31), np.full(31, 4.0)
    whole = shared_variance(noise, own, noise)
    for unknown in (np.nan, 0.0):
        less = np.where(np.arange(31) == 15, unknown, noise)
        np.testing.assert_allclose(shared_variance(noise, own, less).variance, whole.variance)
        for nothing in (np.full(31, unknown), np.full(31, 7.0)):
            assert shared_variance(noise, own, nothing) == shared_variance(noise, own)


def test_estimates_are_pooled_by_degrees_of_freedom() -> None:
    pooled = VarianceEstimate(4.0, 1) + VarianceEstimate(1.0, 3)
    assert pooled == VarianceEstimate(1.75, 4)
    assert VarianceEstimate() + VarianceEstimate() == VarianceEstimate()

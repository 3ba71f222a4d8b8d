"""The levels of a group-sequential design, against published tables and simulated paths."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from steady.compare.alpha_spending import _Path, _steps, nominal_confidence, nominal_levels
from steady.errors import InputError
from steady.model import FloatArray


def bounds(levels: FloatArray) -> FloatArray:
    return -ndtri(levels / 2)


def error_spent(looks: tuple[int, ...], levels: FloatArray) -> FloatArray:
    """Return the chance that a look finds a difference although there is none, by each look.

    The inverse of `nominal_levels`.
    """
    path = _Path()
    spent = []
    for (size, added), bound in zip(_steps(looks), bounds(levels), strict=True):
        spent.append(path.passes(bound, size, added))
        path.go_on(bound, size, added)
    return np.cumsum(spent)


def like_pocock(shares: FloatArray, error: float) -> FloatArray:
    return error * np.log(1 + (math.e - 1) * shares)


def like_obrien_fleming(shares: FloatArray, error: float) -> FloatArray:
    return 4 * ndtr(ndtri(error / 4) / np.sqrt(shares))


def test_bounds_of_the_two_spending_functions_of_lan_and_demets() -> None:
    """Five equal steps at 5 %, as the R package ldbounds prints them."""
    for spending, published in (
        (like_pocock, [2.438, 2.427, 2.410, 2.397, 2.386]),
        (like_obrien_fleming, [4.877, 3.357, 2.680, 2.290, 2.031]),
    ):
        found = bounds(nominal_levels((1, 2, 3, 4, 5), 0.05, spending))
        assert found == pytest.approx(published, abs=6e-4)


def test_constants_of_pocock_and_of_obrien_and_fleming() -> None:
    """Jennison and Turnbull 2000, tables 2.1 and 2.3."""
    for looks, error, pocock, fleming in (
        (2, 0.05, 2.178, 1.977),
        (3, 0.05, 2.289, 2.004),
        (5, 0.05, 2.413, 2.040),
        (5, 0.01, 2.986, 2.621),
    ):
        numbers = np.arange(1, looks + 1)
        for bound in (np.full(looks, pocock), fleming * np.sqrt(looks / numbers)):
            spent = error_spent(tuple(numbers.tolist()), 2 * ndtr(-bound))
            assert spent[-1] == pytest.approx(error, rel=4e-3)


def test_all_looks_together_spend_the_error() -> None:
    many = (1,), (1, 2, 4), (3, 5, 10, 20), (3, 12, 24, 48), (3, 500, 1000, 2000), (2, 90)
    for looks, error in product(many, (0.1, 0.01, 1e-4)):
        levels = nominal_levels(looks, error)
        spent = error_spent(looks, levels)
        assert spent == pytest.approx(error * np.sqrt(np.array(looks) / looks[-1]), rel=1e-9)
        assert ((levels > 0) & (levels <= error)).all()


def test_paths_of_brownian_motion_cross_as_often_as_they_may() -> None:
    looks, error, paths = (3, 5, 10, 20), 0.05, 200_000
    steps = np.random.default_rng(5).standard_normal((paths, looks[-1]))
    sums = np.cumsum(steps, axis=1)[:, np.array(looks) - 1]
    beyond = abs(sums) / np.sqrt(looks) > bounds(nominal_levels(looks, error))
    crossed = np.logical_or.accumulate(beyond, axis=1).mean(axis=0)
    allowed = error * np.sqrt(np.array(looks) / looks[-1])
    assert (abs(crossed - allowed) < 3 * np.sqrt(allowed / paths)).all()


def test_an_interval_has_the_level_of_the_last_look_that_was_reached() -> None:
    looks = (3, 5, 10, 20)
    levels = 1 - nominal_levels(looks, 0.01)
    reached = {1: 0, 3: 0, 4: 0, 5: 1, 9: 1, 10: 2, 19: 2, 20: 3, 25: 3}
    for rounds, look in reached.items():
        assert nominal_confidence(looks, rounds, 0.99) == pytest.approx(levels[look], rel=1e-12)
    assert nominal_confidence((), 7, 0.99) == 0.99
    assert nominal_confidence((5,), 5, 0.99) == pytest.approx(0.99)
    # Where a round is lost at every look, the level is that of the look before.
    for lost in ((3, 4, 9, 19), (2, 4, 9, 19), (2, 4, 8, 15)):
        errors = np.array([1 - nominal_confidence(looks, n, 0.99) for n in lost])
        assert error_spent(lost, errors)[-1] < 0.0105


def test_looks_and_errors_out_of_range_are_refused() -> None:
    for looks in ((), (0, 3), (3, 3), (5, 3)):
        with pytest.raises(InputError, match="give ascending numbers of rounds"):
            nominal_levels(looks, 0.01)
    for error in (0.0, 1.0, math.nan):
        with pytest.raises(InputError, match="give a fraction between 0 and 1"):
            nominal_levels((3, 5), error)

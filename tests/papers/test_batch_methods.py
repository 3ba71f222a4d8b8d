"""SDM, t-test and R-test beside literal ones, and beside the published results."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.errors import InputError
from steady.model import FloatArray
from steady.papers.stops import r_test, sdm, t_test
from steady.steadystate import SteadyState
from tests.looped import looped

seeds = st.integers(0, 2**32 - 1)


def drifting(seed: int, length: int) -> FloatArray:
    random = np.random.default_rng(seed)
    fall = np.exp(-np.arange(length) / random.uniform(5, 80))
    return np.asarray(1 + fall + random.normal(0, random.uniform(0.001, 0.1), length))


def literal_sdm(values: FloatArray, batch: int, crit: float) -> int | None:
    for first in range(0, len(values) - batch + 1, batch):
        part = values[first : first + batch]
        slope = np.polyfit(np.arange(batch), part, 1)[0] / np.mean(part)
        if abs(np.arctan(slope)) < crit:
            return first
    return None


def literal_t_test(values: FloatArray, batch: int, crit: float) -> int | None:
    for first in range(0, len(values) - 2 * batch + 1, batch):
        a, b = values[first : first + batch], values[first + batch : first + 2 * batch]
        t = math.sqrt(batch) * abs(np.mean(b) - np.mean(a)) / math.sqrt(np.var(a) + np.var(b))
        if t < crit:
            return first
    return None


def literal_r_test(values: FloatArray, crit: float, settling: int) -> int | None:
    x = values.tolist()
    x[:10] = [float(np.mean(x[:10]))] * 10
    level = [x[0]] * 10
    deviation = [float(np.var(values[:10]))] * 10
    step = [2 * deviation[0]] * 10
    for i in range(10, len(x)):
        level.append(0.03 * x[i] + 0.97 * level[i - 1])
        deviation.append(0.05 * (x[i] - level[i - 1]) ** 2 + 0.95 * deviation[i - 1])
        step.append(0.05 * (x[i] - x[i - 1]) ** 2 + 0.95 * step[i - 1])
        if i > settling and 1.97 * deviation[i] / step[i] < crit:
            return i
    return None


@given(seeds, st.integers(10, 200), st.integers(2, 20), st.sampled_from([1e-4, 1e-3, 1e-2]))
@settings(deadline=None)
def test_sdm_is_the_literal_one(seed: int, length: int, batch: int, crit: float) -> None:
    values = drifting(seed, length)
    assert sdm(values, batch=batch, slope_crit=crit).start == literal_sdm(values, batch, crit)


@given(seeds, st.integers(10, 200), st.integers(2, 20), st.sampled_from([0.009, 0.1, 1.0]))
@settings(deadline=None)
def test_t_test_is_the_literal_one(seed: int, length: int, batch: int, crit: float) -> None:
    values = drifting(seed, length)
    assert t_test(values, batch=batch, t_crit=crit).start == literal_t_test(values, batch, crit)


@given(seeds, st.integers(10, 300), st.sampled_from([1.0, 1.2, 2.0]), st.sampled_from([9, 50]))
@settings(max_examples=60, deadline=None)
def test_r_test_is_the_literal_one(seed: int, length: int, crit: float, settling: int) -> None:
    values = drifting(seed, length)
    expected = literal_r_test(values, crit, settling)
    assert r_test(values, r_crit=crit, settling=settling).start == expected


def test_the_absolute_slope_has_the_unit_of_the_values() -> None:
    values = 100 * drifting(1, 60)
    assert sdm(values, slope_crit=0.5).start == 0
    assert sdm(values, slope_crit=0.5, relative=False).start != 0


def test_a_ramp_is_not_steady() -> None:
    values = np.linspace(2, 1, 300) + np.random.default_rng(0).normal(0, 1e-4, 300)
    for state in (sdm(values), t_test(values), r_test(values)):
        assert state.start is None
        assert "never" in state.reason


@looped(
    ("method", "options"),
    [
        (sdm, {"batch": 1}),
        (sdm, {"slope_crit": 0.0}),
        (t_test, {"batch": 1}),
        (t_test, {"t_crit": -1.0}),
        (r_test, {"r_crit": 0.0}),
        (r_test, {"settling": 8}),
        (r_test, {"lambdas": (0.03, 1.0, 0.05)}),
        (r_test, {"lambdas": (0.03, 0.05)}),
    ],
)
def test_options_out_of_range_are_refused(
    method: Callable[..., SteadyState], options: dict[str, object]
) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        method(np.arange(20.0), **options)


def test_all_published_starts_are_met(shared: Path) -> None:
    folder = shared / "data" / "jmh-steady"
    with (folder / "baselines.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["benchmark"]: row for row in csv.DictReader(file)}
    expected = {
        name: tuple(int(row[f"{column}_start"]) for column in ("sdm", "ttest", "rtest"))
        for name, row in rows.items()
    }
    found: dict[str, tuple[int, ...]] = {}
    for path in sorted((folder / "series").glob("*.npz")):
        with np.load(path) as data:
            planes = np.ascontiguousarray(np.moveaxis(data["planes"][:, :, 0], 0, -1))
            names = [str(name) for name in data["benchmark"]]
        for name, values in zip(names, planes.view("<f8")[..., 0], strict=True):
            states = (
                sdm(values, slope_crit=1e-8, relative=False),
                t_test(values),
                r_test(values),
            )
            found[name] = tuple(-1 if s.start is None else s.start for s in states)
    assert len(found) == 586
    assert found == expected

"""SDM, t-test, R-test and Georges' window beside literal ones, and beside the published results."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation._jmh_steady import read_rows, read_series
from steady.model import FloatArray
from steady.papers.stops import georges, r_test, sdm, t_test

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


def literal_georges(values: FloatArray, window: int, threshold: float, step: int) -> int | None:
    for first in range(0, len(values) - window + 1, step):
        part = values[first : first + window]
        if np.std(part) / np.mean(part) < threshold:
            return first
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


@given(
    st.integers(0, 2**32 - 1),
    st.integers(10, 150),
    st.integers(2, 30),
    st.sampled_from([0.01, 0.02, 0.1]),
    st.booleans(),
)
@settings(deadline=None)
def test_georges_is_the_literal_one(
    seed: int, length: int, window: int, threshold: float, overlap: bool
) -> None:
    random = np.random.default_rng(seed)
    values = 1 + np.exp(-np.arange(length) / 20) + random.normal(0, 0.02, length)
    state = georges(values, window=window, threshold=threshold, overlap=overlap)
    assert state.start == literal_georges(values, window, threshold, 1 if overlap else window)


def test_georges_finds_the_end_of_a_step() -> None:
    values = [2.0] * 5 + [1.0, 1.01] * 20
    assert georges(values, threshold=0.01).start == 5
    assert georges(values, threshold=0.001).start is None
    assert georges(values, threshold=0.01, overlap=False).start == 10


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.thorough)])
def test_published_starts_are_met(step: int, shared: Path) -> None:
    folder = shared / "data" / "jmh-steady"
    columns = [f"{name}_start" for name in ("sdm", "ttest", "rtest")]
    expected = {
        row["benchmark"]: [int(row[column]) for column in columns]
        for row in read_rows(folder, "baselines")
    }
    assert len(expected) == 586
    found = {}
    for name, forks in islice(read_series(folder), 0, None, step):
        states = sdm(forks[0], slope_crit=1e-8, relative=False), t_test(forks[0]), r_test(forks[0])
        found[name] = [-1 if s.start is None else s.start for s in states]
    assert len(found) >= 586 // step
    assert found == {name: expected[name] for name in found}


def test_georges_published_starts_are_met_where_an_iteration_is_one_invocation(
    shared: Path,
) -> None:
    folder = shared / "data" / "jmh-steady"
    rows = {(row["benchmark"], int(row["fork"])): row for row in read_rows(folder, "configs")}
    met = [
        # -1 stands for a start at 0 and for none.
        (georges(forks[fork], window=30, overlap=False).start or -1)
        == int(rows[name, fork]["georges_warmup_last"])
        for name, forks in read_series(folder)
        for fork in np.flatnonzero(forks.min(axis=1) >= 0.2).tolist()
    ]
    assert len(met) == 640
    # A long iteration may still hold several invocations, which they judged one by one.
    assert np.mean(met) > 0.97

"""Rows of very different lengths: no file of a few kilobytes asks for gigabytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.errors import InputError
from steady.readers import load
from steady.readers.forks import FREE_CELLS, MOST_CELLS_A_VALUE, sprawls

WIDE = [[1.0] * 20_000, *[[1.0]] * 5000]
"""As an array, a hundred million cells for 25,000 values."""


def jmh(rows: Any) -> list[dict[str, Any]]:
    return [
        {
            "benchmark": name,
            "mode": "avgt",
            "primaryMetric": {"scoreUnit": "ns/op", "rawData": data},
        }
        for name, data in (("org.Bench.wide", rows), ("org.Bench.fine", [[1.0, 2.0], [1.0]]))
    ]


def test_one_benchmark_that_sprawls_fails_and_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(jmh(WIDE)))
    suite = load(path)
    assert [identity.name for identity in suite] == ["org.Bench.fine"]
    [failure] = suite.failures
    assert failure.reason == "its forks are of too different lengths, up to 20000 iterations"


def test_a_series_that_sprawls_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "series.json"
    levels = [{"name": "fork"}, {"name": "iteration"}]
    series = {"steady_series": 1, "unit": "ns/op", "levels": levels}
    path.write_text(json.dumps(series | {"benchmarks": [{"name": "b", "measurements": WIDE}]}))
    with pytest.raises(InputError, match=r"measurements: holds lists of too different lengths"):
        load(path)


@given(
    st.lists(st.integers(1, 3000), min_size=1, max_size=MOST_CELLS_A_VALUE),
)
def test_few_forks_never_sprawl(lengths: list[int]) -> None:
    assert not sprawls(len(lengths) * max(lengths), sum(lengths))


def test_where_it_begins() -> None:
    assert not sprawls(FREE_CELLS, 1)
    assert sprawls(FREE_CELLS + 1, 1)
    assert not sprawls(MOST_CELLS_A_VALUE * 1000, 1000)
    assert sprawls(MOST_CELLS_A_VALUE * 1000 + 1, 1000)

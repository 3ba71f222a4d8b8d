"""The published choices of µOpTime, on its own measurements."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
GROUPS = ("ds1", "ds3", "ds2 jenetics warmup50")


@pytest.fixture(scope="module")
def conformance() -> ModuleType:
    """The script that reproduces the complete table."""
    path = ROOT / "evaluation" / "uoptime_conformance.py"
    spec = importlib.util.spec_from_file_location("uoptime_conformance", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def published(conformance: ModuleType, shared: Path) -> list[Any]:
    return list(conformance.read_published(shared / "data" / "uoptime"))


def test_every_published_row_with_measurements_is_read(published: list[Any]) -> None:
    assert {row.dataset for row in published} == {"ds1", "ds2", "ds3"}
    assert len(published) == 5 * (330 + 280 + 260)


@pytest.mark.parametrize(
    ("strict", "step"),
    [
        (False, 3),
        *(pytest.param(strict, 1, marks=pytest.mark.thorough) for strict in (False, True)),
    ],
)
@pytest.mark.parametrize("metric", ["cv", "rmad"])
def test_metrics_without_resampling_choose_as_published_everywhere(
    conformance: ModuleType, published: list[Any], metric: str, strict: bool, step: int
) -> None:
    """Data sets 1, 2 with and without its warm-up, and 3; at the threshold or strictly under."""
    rows = [row for row in published if row.metric == metric]
    assert len(rows) == 870
    rows = rows[::step]
    assert [conformance.chosen(row, strict=strict) for row in rows] == [
        row.configuration for row in rows
    ]


@pytest.mark.parametrize(
    "group", [GROUPS[0], *(pytest.param(name, marks=pytest.mark.thorough) for name in GROUPS[1:])]
)
@pytest.mark.parametrize(
    "metric",
    ["rciw3", *(pytest.param(m, marks=pytest.mark.thorough) for m in ("rciw1", "rciw2"))],
)
def test_resampling_metrics_choose_as_often_as_a_second_seed_of_the_prototype(
    conformance: ModuleType, published: list[Any], metric: str, group: str
) -> None:
    rows = [row for row in published if (row.metric, row.group) == (metric, group)]
    same = sum(conformance.chosen(row) == row.configuration for row in rows)
    assert same / len(rows) >= float(conformance.SECOND_SEED[group, metric])


@pytest.mark.parametrize("metric", ["cv", "rmad"])
def test_published_stability_values_are_met(
    conformance: ModuleType, published: list[Any], metric: str
) -> None:
    rows = [row for row in published if row.metric == metric]
    assert [conformance.stability(row.sample, metric) for row in rows] == pytest.approx(
        [row.stability for row in rows], rel=1e-12, abs=1e-15
    )


def test_published_interval_ends_of_the_median_are_met(
    conformance: ModuleType, published: list[Any]
) -> None:
    """They were drawn at random, so where two order statistics are near, one in ten differs."""
    rows = [row for row in published if row.metric == "rmad"]
    ends = [conformance.median_interval(row.sample) for row in rows]
    same = sum(
        end == pytest.approx(theirs, rel=1e-9)
        for row, interval in zip(rows, ends, strict=True)
        for end, theirs in zip(interval, row.interval, strict=True)
    )
    assert same / (2 * len(rows)) > 0.88

"""µOpTime on the published measurements, compared with its published choices."""

from pathlib import Path

import pytest

from evaluation import uoptime_conformance as conformance
from evaluation.uoptime_conformance import Published
from steady.stats import median_interval, stability

thorough = pytest.mark.thorough


@pytest.fixture(scope="module")
def published(shared: Path) -> list[Published]:
    return list(conformance.read_published(shared / "data" / "uoptime"))


@pytest.mark.parametrize("strict", [False, pytest.param(True, marks=thorough)])
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=thorough)])
@pytest.mark.parametrize("metric", ["cv", "rmad"])
def test_metrics_without_resampling_equal_all_published_choices(
    published: list[Published], metric: str, strict: bool, step: int
) -> None:
    """Data sets 1, 2 with and without its warm-up, and 3; at the threshold or strictly below."""
    assert {row.dataset for row in published} == {"ds1", "ds2", "ds3"}
    assert len(published) == 5 * (330 + 280 + 260)
    rows = [row for row in published if row.metric == metric]
    assert len(rows) == 870
    rows = rows[::step]
    assert [conformance.chosen(row, strict=strict) for row in rows] == [
        row.configuration for row in rows
    ]


GROUPS = ["ds1", *(pytest.param(one, marks=thorough) for one in ("ds3", "ds2 jenetics warmup50"))]


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize(
    "metric", ["rciw3", *(pytest.param(one, marks=thorough) for one in ("rciw1", "rciw2"))]
)
def test_resampling_metrics_choose_as_often_as_a_second_seed_of_the_prototype(
    published: list[Published], metric: str, group: str
) -> None:
    rows = [row for row in published if (row.metric, row.group) == (metric, group)]
    same = sum(conformance.chosen(row) == row.configuration for row in rows)
    assert same / len(rows) >= float(conformance.SECOND_SEED[group, metric])


def test_stability_values_and_interval_ends_equal_published_ones(
    published: list[Published],
) -> None:
    for metric in ("cv", "rmad"):
        rows = [row for row in published if row.metric == metric]
        assert [stability(row.sample, metric) for row in rows] == pytest.approx(
            [row.stability for row in rows], rel=1e-12, abs=1e-15
        )
    # The published ends are random, so one in ten differs if two order statistics are close.
    ends = [median_interval(row.sample) for row in rows]
    same = sum(
        end == pytest.approx(theirs, rel=1e-9)
        for row, interval in zip(rows, ends, strict=True)
        for end, theirs in zip(interval, row.interval, strict=True)
    )
    assert same / (2 * len(rows)) > 0.88

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from steady.compare import compare
from steady.compare.comparison_files import ComparisonFile, to_json
from steady.compare.result_notes import harness_score, with_scores
from steady.files import json_text
from steady.harness.go import GO
from steady.harness.jmh import JMH
from steady.model import Benchmark, FloatArray, Identity, Level, Suite
from tests.looped import looped
from tests.report.from_comparison import html

LEVELS = (Level("fork"), Level("iteration"))


def bench(values: FloatArray, mode: str = "avgt") -> Benchmark:
    return Benchmark(Identity("B.a", mode), "ns/op", values, LEVELS)


def calm(seed: int) -> FloatArray:
    return np.random.default_rng(seed).normal(3386.0, 5.0, (5, 10))


def outliers() -> FloatArray:
    """Return what a busy machine gave: one iteration in ten takes seven times as long."""
    values = calm(0)
    values[:, 3] *= 7.87
    return values


def drift() -> FloatArray:
    """Return forks that are still twice as slow over their first four iterations of ten."""
    values = calm(0)
    values[:, :4] *= 2.0
    return values


def drift_and_a_short_fork() -> FloatArray:
    """Return the same where one fork ended after three iterations."""
    values = drift()
    values[1, :3] /= 2
    values[1, 3:] = np.nan
    return values


def unlike_forks() -> FloatArray:
    values = calm(0)
    values[:2] *= 3.0
    return values


def test_jmhs_score_is_the_mean_of_all_iterations_and_benchstats_the_median() -> None:
    values = np.array([[1.0, 2.0, 30.0], [4.0, np.nan, np.nan]])
    benchmark = bench(values)
    assert harness_score(benchmark, JMH.score) == pytest.approx(37.0 / 4)
    assert harness_score(benchmark, GO.score) == 3.0
    assert harness_score(benchmark, None) is None
    assert harness_score(bench(values, "sample"), JMH.score) is None
    assert harness_score(replace(benchmark, warmup=1), JMH.score) == 16.0


@looped(
    ("values", "why"),
    [
        (outliers(), "single iterations lie far from the others"),
        (drift(), "its iterations still drift"),
        (drift_and_a_short_fork(), "its iterations still drift"),
        (unlike_forks(), "its forks differ"),
    ],
)
def test_a_score_that_is_far_from_the_value_shown_is_explained(
    values: FloatArray, why: str
) -> None:
    comparison = compare(
        Suite((bench(values),), harness="jmh"), Suite((bench(calm(1)),), harness="jmh")
    )
    (change,) = comparison.changes
    assert change.base.score == pytest.approx(np.nanmean(values))
    assert np.nanmean(values) > 1.03 * change.base.center
    assert not any(note.startswith("JMH's score") for note in change.notes)
    changed = with_scores(replace(change, outcome="regression"), bench(values), bench(calm(1)),
                          JMH.score, 0.03)  # fmt: skip
    (note,) = [note for note in changed.notes if note.startswith("JMH's score")]
    assert note == (
        f"JMH's score, the mean of all iterations, lies well above the value shown here: {why}"
    )


def test_scores_near_the_values_need_no_note_and_are_told_all_the_same() -> None:
    sides = [Suite((bench(calm(seed)),), harness="jmh") for seed in (1, 2)]
    comparison = compare(*sides)
    (change,) = comparison.changes
    assert not any("score" in note for note in change.notes)
    written = to_json(comparison)
    assert json.loads(written)["changes"][0]["base"]["score"] == pytest.approx(calm(1).mean())
    assert json_text(msgspec.json.decode(written, type=ComparisonFile)) == written
    assert 'title="the harness&#39;s own score: 3.38' in html(comparison)


def test_a_score_that_nobody_knows_is_not_in_the_file() -> None:
    comparison = compare(Suite((bench(calm(1)),)), Suite((bench(calm(2)),)))
    assert '"score"' not in to_json(comparison)

"""Notes on deviations from the plan, and on scores of the harness."""

import json
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest

from steady.compare import compare
from steady.compare.comparison_files import ComparisonFile, to_json
from steady.compare.power import NOT_DETECTABLE
from steady.compare.result_notes import conformity_notes, harness_score, score_notes, unlike
from steady.compare.rule import Judgement, estimate
from steady.files import json_text
from steady.harness.go import GO
from steady.harness.jmh import JMH
from steady.model import Benchmark, ExecutionConfiguration, FloatArray, Level, Suite
from tests.compare.small_suites import make_benchmark
from tests.report.from_comparison import html

PLANNED = ExecutionConfiguration(3, 2, 10, 1.0, 1.0)


def run(configuration: ExecutionConfiguration | None = PLANNED, **more: Any) -> Benchmark:
    forks = 3 if configuration is None else configuration.forks
    return make_benchmark("b", np.ones((forks, 10)), configuration=configuration, **more)


def test_results_as_planned_have_no_notes() -> None:
    for side, planned in ((run(), PLANNED), (run(None), PLANNED), (run(), None)):
        assert conformity_notes(side, side, planned) == ()
    # The seconds of a warm-up that there is none of do not matter.
    none = replace(PLANNED, warmup_iterations=0)
    assert conformity_notes(run(none), run(replace(none, warmup_seconds=5.0)), none) == ()


def test_deviations_from_the_plan_are_noted() -> None:
    for changes, said in (
        ({"forks": 1}, "1 fork (planned: 3 forks)"),
        ({"warmup_iterations": 0}, "no iterations of warm-up (planned: 2 iterations of 1 s)"),
        ({"iterations": 5}, "5 iterations of 1 s (planned: 10 iterations of 1 s)"),
        ({"iteration_seconds": 0.1}, "10 iterations of 0.1 s (planned: 10 iterations of 1 s)"),
        ({"batch_size": 8}, "batches of 1 and 8 (planned: batches of 1 and 1)"),
    ):
        notes = conformity_notes(run(), run(replace(PLANNED, **changes)), PLANNED)
        assert f"head deviates from the plan: {said}" in notes
        assert any(
            note.startswith("base and head ran with different configurations") for note in notes
        )
    # Both sides with the same deviation get one note.
    both = run(replace(PLANNED, forks=2))
    [note] = conformity_notes(both, both, PLANNED)
    assert note == "base and head deviate from the plan: 2 forks (planned: 3 forks)"
    lost = run().with_measurements(np.vstack([np.ones((2, 10)), np.full((1, 10), np.nan)]))
    assert conformity_notes(run(), lost, None) == ("only 2 of 3 forks of head have a result",)


def test_additional_forks_are_noted_but_are_no_deviation() -> None:
    for forks in (4, 7):
        blocks = tuple(f"a:{number}" for number in range(forks))
        again = run(replace(PLANNED, forks=forks), blocks=blocks)
        [note] = conformity_notes(again, again, PLANNED)
        assert note == "measured again, with more forks of base and head"
    more = replace(again, blocks=())
    [note] = conformity_notes(more, more, PLANNED)
    assert note == "base and head deviate from the plan: 7 forks (planned: 3 forks)"


def test_runs_with_interim_analyses_may_have_other_numbers_of_forks() -> None:
    for forks in (2, 3, 7):
        side = run(replace(PLANNED, forks=forks), looks=(2, 3, 7))
        assert conformity_notes(side, side, PLANNED) == ()
        [note] = conformity_notes(side, side, replace(PLANNED, iterations=20))
        assert note.endswith("the plan: 10 iterations of 1 s (planned: 20 iterations of 1 s)")
        other = run(replace(PLANNED, forks=4), looks=(2, 3, 7))
        assert "head had 4 forks (base: " in conformity_notes(side, other, PLANNED)[-1]


def test_other_configurations_are_incomparable() -> None:
    plain = "iterations of 1 s after 2 of 1 s as warm-up"
    for changes, said in (
        ({"warmup_iterations": 0, "iteration_seconds": 0.1}, "iterations of 0.1 s without warm-up"),
        ({"iteration_seconds": 0.5}, "iterations of 0.5 s after 2 of 1 s as warm-up"),
        ({"warmup_iterations": 3}, "iterations of 1 s after 3 of 1 s as warm-up"),
        ({"warmup_seconds": 2.0}, "iterations of 1 s after 2 of 2 s as warm-up"),
        ({"batch_size": 8}, "iterations of 1 s in batches of 8 after 2 of 1 s as warm-up"),
        ({"forks": 9}, ""),
        ({"iterations": 30}, ""),
        ({"warmup_iterations": 4, "warmup_seconds": 0.5}, ""),
    ):
        other = run(replace(PLANNED, **changes))
        assert unlike(run(), other) == (f"base ran {plain}, head {said}" if said else "")
        assert unlike(other, run()) == (f"base ran {said}, head {plain}" if said else "")
    assert unlike(run(), run(None)) == unlike(run(None), run()) == ""
    shots = replace(PLANNED, warmup_seconds=0.0, iteration_seconds=0.0)
    assert unlike(run(shots), run(replace(shots, warmup_iterations=9))) == (
        "base ran single shots after 2 as warm-up, head single shots after 9 as warm-up"
    )


def test_live_stops_and_estimated_configurations_may_differ() -> None:
    told = [replace(PLANNED, warmup_iterations=count) for count in (2, 7)]
    assert unlike(*(run(each, blocks=("a:0", "a:1", "a:2")) for each in told)) == ""
    base, slower, other = (
        replace(
            run(replace(PLANNED, warmup_iterations=0, iteration_seconds=seconds)),
            levels=(Level("suite run"), Level("iteration")),
        )
        for seconds in (1.0, 1.5, 0.1)
    )
    assert unlike(base, slower) == ""
    assert unlike(base, other).endswith("head iterations of 0.1 s without warm-up")


def calm(seed: int) -> FloatArray:
    return np.random.default_rng(seed).normal(3386.0, 5.0, (5, 10))


def test_scores_are_jmhs_mean_and_benchstats_median() -> None:
    values = [[1.0, 2.0, 30.0], [4.0, np.nan, np.nan]]
    benchmark = make_benchmark("a", values)
    assert harness_score(benchmark, JMH.score) == pytest.approx(37.0 / 4)
    assert harness_score(benchmark, GO.score) == 3.0
    assert harness_score(benchmark, None) is None
    assert harness_score(make_benchmark("a", values, mode="sample"), JMH.score) is None
    assert harness_score(replace(benchmark, warmup=1), JMH.score) == 16.0


def test_a_score_far_from_the_shown_value_is_explained() -> None:
    one_in_ten, first_four = (np.arange(10) == 3), (np.arange(10) < 4)
    outliers = np.where(one_in_ten, 7.87, 1.0) * calm(0)  # what a busy machine gave
    drift = np.where(first_four, 2.0, 1.0) * calm(0)
    short_fork = drift.copy()
    short_fork[1] = [*calm(0)[1, :3], *[np.nan] * 7]
    unlike_forks = np.array([3.0, 3.0, 1.0, 1.0, 1.0])[:, np.newaxis] * calm(0)
    other = make_benchmark("B.a", calm(1))
    for values, why in (
        (outliers, "a few iterations are outliers"),
        (drift, "its iterations still drift"),
        (short_fork, "its iterations still drift"),
        (unlike_forks, "its forks differ"),
    ):
        base = make_benchmark("B.a", values)
        comparison = compare(*(Suite((one,), harness="jmh") for one in (base, other)))
        (change,) = comparison.changes
        assert change.base.score == pytest.approx(np.nanmean(values))
        assert np.nanmean(values) > 1.03 * change.base.center
        assert not any(note.startswith("JMH's score") for note in change.notes)
        changed = Judgement(change.base, change.head, True, None, NOT_DETECTABLE)
        assert score_notes(changed, (base, other), JMH.score, 0.03) == (
            f"JMH's score, the mean of all iterations, is well above the value shown here: {why}",
        )
        assert score_notes(changed, (base, other), JMH.score, 9.0) == ()
        assert score_notes(changed, (base, other), None, 0.0) == ()
    slower = make_benchmark("B.a", 1.3 * np.where(one_in_ten, 7.87, 1.0) * calm(2))
    (change,) = compare(*(Suite((one,), harness="jmh") for one in (other, slower))).regressions
    assert change.notes[-1].startswith("JMH's score, the mean of all iterations, is well above")


def test_a_score_of_processes_with_single_results_is_explained() -> None:
    values = np.array([[0.2], [0.2], [1.0], [1.1], [1.0]])  # the median is above the mean
    one = make_benchmark("B.a", values)
    side = estimate(values, 0.75, 0.5, 0.9).with_score(harness_score(one, GO.score))
    changed = Judgement(side, side, True, None, NOT_DETECTABLE)
    [note] = score_notes(changed, (one, one), GO.score, 0.03)
    assert note.endswith("a few iterations are outliers")


def test_scores_near_the_values_are_shown_without_a_note() -> None:
    benchmarks = [make_benchmark("B.a", calm(seed)) for seed in (1, 2)]
    comparison = compare(*(Suite((one,), harness="jmh") for one in benchmarks))
    (change,) = comparison.changes
    assert not any("score" in note for note in change.notes)
    written = to_json(comparison)
    assert json.loads(written)["changes"][0]["base"]["score"] == pytest.approx(calm(1).mean())
    assert json_text(msgspec.json.decode(written, type=ComparisonFile)) == written
    assert 'title="the harness&#39;s own score: 3.38' in html(comparison)
    # A score that nobody knows is not in the file.
    assert '"score"' not in to_json(compare(*(Suite((one,)) for one in benchmarks)))

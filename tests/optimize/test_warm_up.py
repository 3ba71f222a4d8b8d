"""The warm-up of short and long forks, and the reason for it in the plan."""

import re

import numpy as np
import pytest

from steady.demo import recording
from steady.model import FloatArray
from steady.optimize import optimize, plan_from_json, plan_to_json
from steady.optimize.analysis import analyze_benchmark
from steady.optimize.drift import LEAST, Drift
from steady.optimize.warm_up import no_warmup, required_warmup, warm_up_of
from steady.plan.judged_by import judged_sentence
from steady.steadystate import detect
from steady.text.numbers import count
from tests.looped import looped
from tests.optimize.small_plans import FULL, benchmark
from tests.optimize.test_planner import suite_of

FORKS = np.arange(5)


def forks_of(length: int, start: int, *, noise: float = 0.01, seed: int = 0) -> FloatArray:
    """Return five forks that start twice as slow and reach their level at `start`."""
    rng = np.random.default_rng(seed)
    fall = np.clip(1 - np.arange(length) / max(start, 1), 0, None)
    level = np.exp(0.02 * rng.standard_normal((5, 1)))
    return np.asarray((1 + fall) * level * np.exp(noise * rng.standard_normal((5, length))))


def test_long_forks_use_kb_kssd() -> None:
    series = forks_of(600, 100)
    found, asked = warm_up_of(series, "by-length"), warm_up_of(series, "kb-kssd")
    assert found == asked
    assert found.judge == "kb-kssd"
    assert found.states == tuple(detect(fork, "kb-kssd") for fork in series)


def test_the_reason_explains_the_warm_up() -> None:
    drift = Drift(forks_of(60, 20))
    end, reason = required_warmup(drift, [30] * 5, FORKS, "kb-kssd")
    assert (end, reason) == (30, "steady after 30 iterations (KB-KSSD)")
    end, reason = required_warmup(drift, [30, 30, None, 30, 30], FORKS, "r-test")
    assert reason == "steady after 30 iterations in 4 of 5 forks (R-test)"
    end, reason = required_warmup(drift, [2] * 5, FORKS, "kb-kssd")
    assert end is not None
    assert end > 2
    assert re.fullmatch(
        rf"steady after {end} iterations: KB-KSSD's 2 extended, because the first measured "
        r"iterations are still \d+\.\d% slower than the last",
        reason,
    )
    end, reason = required_warmup(drift, [2] * 5, FORKS, "onset", equals=True)
    assert reason == f"steady after {end} iterations (onset: 2, drift test: {end})"
    _, reason = required_warmup(drift, [None] * 5, FORKS, "onset")
    assert reason == "never steady in 5 of 5 forks (onset)"


@looped("length", [10, 20, 29])
def test_forks_too_short_for_a_detector_differ_from_forks_without_warm_up(length: int) -> None:
    level, warming = forks_of(length, 0), forks_of(length, 3 * length)
    assert no_warmup(Drift(level), FORKS) == (0, "steady from the first iteration on (drift test)")
    end, reason = no_warmup(Drift(warming), FORKS)
    assert end is None
    assert reason == (
        f"too short to detect a steady state: {length} iterations in a fork; record at least 30"
    )
    # A warm-up of a few iterations is detected, from the first of them.
    level[:, :LEAST] *= 1.2
    assert no_warmup(Drift(level), FORKS)[0] is None


def test_short_forks_that_become_faster_are_rarely_steady() -> None:
    """Simulated forks: 5 to 20 % of warm-up over 20 iterations with 3 % or no noise."""
    wrong = right = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        level = np.exp(0.03 * rng.standard_normal((5, 20)))
        height = rng.uniform(0.06, 0.2)
        warming = level * (1 + height * np.exp(-np.arange(20) / 7))
        wrong += no_warmup(Drift(warming), FORKS)[0] == 0
        right += no_warmup(Drift(level), FORKS)[0] == 0
    assert wrong <= 5
    assert right >= 75


@looped("length", [60, 150, 300])
def test_the_warm_up_of_short_forks_is_near_the_known_start(length: int) -> None:
    for start in (length // 10, length // 4, length // 2):
        found = warm_up_of(forks_of(length, start, seed=start), "by-length")
        assert found.judge == "onset"
        assert found.end is not None
        # A plan can begin where the decrease of 100 % is within 3 % of the level.
        assert 0.6 * start <= found.end <= start + length / 10


def test_the_drift_test_decides_whether_short_forks_are_steady() -> None:
    with recording() as recorded:
        forks = recorded.library.halves[0]["BenchmarkMurmur3Hash32.guava"].fork_times
    assert [detect(fork, "onset").start for fork in forks] == [5, None, None, None, None]
    found = warm_up_of(forks, "by-length")
    assert (found.end, found.reason) == (47, "steady after 47 iterations (onset)")
    falling = forks * np.linspace(1.5, 1, forks.shape[1])
    assert warm_up_of(falling, "by-length").end is None, "it drifts all the time"


# The line that names the detector.


def test_one_line_names_the_detectors_and_the_reasons() -> None:
    short, long = ("onset", 60), ("kb-kssd", 600)
    for judged, detector, expected in (
        ([long] * 17, "by-length", "KB-KSSD judged all 17 benchmarks of 600 iterations, which "
         "is long enough for it."),
        ([short] * 12, "by-length", "Onset and the drift test judged all 12 benchmarks of 60 "
         "iterations: too short for KB-KSSD, which needs 500."),
        ([short, ("onset", 70), long, ("drift-test", 20), ("", 0)], "by-length",
         "KB-KSSD judged 1 benchmark of 600 iterations, which is long enough for it; onset and the "
         "drift test judged 2 benchmarks of 60 to 70 iterations: too short for KB-KSSD, which "
         "needs 500; the drift test judged 1 benchmark of 20 iterations: too short for a "
         "detector, which needs 30."),
        ([("r-test", 60)], "r-test", "R-test judged the benchmark of 60 iterations, as requested."),
        ([("", 0)], "by-length", ""),
    ):  # fmt: skip
        assert judged_sentence(judged, detector) == expected


def test_a_plan_stores_the_detector() -> None:
    plan = optimize(suite_of(forks_of(60, 12)))
    [entry] = plan.benchmarks
    assert (entry.judged_by, entry.judged_iterations) == ("onset", 60)
    text = plan_to_json(plan)
    assert f'"judged": "{plan.judged}"' in text
    again = plan_from_json(text)
    assert again.benchmarks == plan.benchmarks
    assert again.judged == plan.judged
    # Plans of earlier versions lack it.
    lines = [line for line in text.splitlines() if '"judged' not in line]
    older = re.sub(r",(\s*[}\]])", r"\1", "\n".join(lines))
    assert plan_from_json(older).judged == ""


def test_a_plan_reports_a_shortened_warm_up() -> None:
    entries = [optimize(suite_of(forks_of(60, 40, noise=0.002, seed=s)), budget=0.3)["B.a"]
               for s in range(2)]  # fmt: skip
    for entry in entries:
        warmup = int(re.findall(r"steady after (\d+)", entry.reason)[0])
        assert entry.warmup < warmup
        assert f"warm-up shortened to {count(entry.warmup, 'iteration')}" in entry.reason


def test_too_short_forks_keep_the_full_run_if_they_drift() -> None:
    short = optimize(suite_of(forks_of(20, 60), iterations=20))["B.a"]
    assert short.status == "full"
    assert short.reason.startswith("too short to detect a steady state: 20 iterations")
    level = optimize(suite_of(forks_of(20, 0), iterations=20))["B.a"]
    assert (level.status, level.starts) == ("reduced", (0,) * 5)


def test_an_explicit_detector_is_used_for_every_length() -> None:
    series = forks_of(20, 8)
    found = analyze_benchmark(benchmark(series, "us/op", configuration=FULL), detector="kb-kssd")
    assert found.judge == "kb-kssd"
    assert found.starts == tuple(detect(fork, "kb-kssd").start for fork in series)
    with pytest.raises(Exception, match="unknown steady-state detector"):
        warm_up_of(series, "eye")

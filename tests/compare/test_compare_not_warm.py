"""Forks that did not reach steady state: no verdict, and a suggestion."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steady.compare import Comparison, compare
from steady.compare.comparison_files import to_json
from steady.compare.rules import RULES
from steady.compare.summary import Summary
from steady.errors import InputError
from steady.execution.warm_up import time_to_warm_up
from steady.model import Benchmark, FloatArray, Identity, Metric, Suite
from steady.options.compare_options import CompareCommand
from steady.readers import load
from steady.suggestions.for_results import suggest_for_unclear
from tests.compare.small_suites import make_benchmark
from tests.jmh_records import jmh_record
from tests.report.from_comparison import comment, terminal

TURNS = 40
WARM, COLD = 100.0, 4000.0


def side(name: str, levels: FloatArray, cold: Sequence[float], seed: int) -> Benchmark:
    """Return forks with turns, each at its own level."""
    noise = 0.002 * np.random.default_rng(seed).standard_normal((len(cold), TURNS))
    values = levels[:, np.newaxis] * np.exp(noise)
    return make_benchmark(
        name,
        values,
        blocks=tuple(f"run:{n}" for n in range(len(cold))),
        in_turn=(True,) * len(cold),
        cold_seconds=tuple(cold) if any(cold) else (),
        looks=(3, 5),
        metrics={"gc.alloc.rate.norm": Metric("B/op", values)},
    )


def suites(cold: Sequence[float], head: float = WARM, faster: float = 1.8) -> list[Suite]:
    """Return a benchmark with cold forks and a faster head, and three warm benchmarks."""
    sides = []
    for seed, own, cold_level in ((1, WARM, COLD), (2, head, COLD / faster)):
        levels = np.where(np.array(cold) > 0, cold_level, own)
        warm, calm = np.full(5, WARM), [0.0] * 5
        others = (side(f"org.B.x{n}", warm, calm, 10 * n + seed) for n in range(3))
        one = side("org.B.cold", levels, cold, seed)
        sides.append(Suite((one, *others), harness="jmh"))
    return sides


def found(cold: Sequence[float], **levels: float) -> Comparison:
    return compare(*suites(cold, **levels))


def test_cold_forks_give_no_verdict() -> None:
    sides = suites([3.04] * 5)
    comparison = compare(*sides)
    as_if_warm = (Suite(tuple(replace(b, cold_seconds=()) for b in s.values())) for s in sides)
    assert compare(*as_if_warm).improvements
    (change,) = comparison.not_warm
    assert change.identity == Identity("org.B.cold")
    assert (change.outcome, change.lacking) == ("unclear", "not warm after 3 s")
    assert (change.excluded, change.interval) == (math.inf, None)
    assert (len(comparison.improvements), len(comparison.unchanged)) == (0, 3)
    assert comparison.ledger.complete
    assert len(comparison.ledger.compared) == 4
    assert not comparison.metrics.improvements


def test_changes_beyond_the_warm_up_factor_are_reported() -> None:
    comparison = found([6.2, 6.6, 0.0, 6.1], faster=4.0, head=WARM / 4)
    (change,) = comparison.improvements
    assert change.ratio == pytest.approx(-0.75, abs=0.01)
    low, high = change.interval or (0.0, 0.0)
    assert low == pytest.approx(-0.875, abs=0.01)
    assert high == pytest.approx(-0.5, abs=0.02)
    assert (
        "not warm after 6.6 s: its confidence interval is widened by a factor of 2" in change.notes
    )
    assert change.smallest > 0.5
    assert not comparison.not_warm
    for cold, faster in (
        ([6.2, 6.6, 6.2], 1.9),  # being cold may explain it
        ([6.2, 5.9, 6.2], 4.0),  # one had less time
        ([6.2, 6.2], 4.0),  # too few rounds
    ):
        assert found(cold, faster=faster).changes[0].outcome == "unclear"
    assert not found([6.2] * 5, faster=1.0).unchanged[3:]


def test_cold_rounds_are_excluded_if_enough_are_warm() -> None:
    cold = [0.0, 0.0, 6.0, 0.0, 0.0]
    comparison = found(cold, head=137.0)
    (change,) = comparison.regressions
    assert change.ratio == pytest.approx(0.37, abs=0.01)
    assert change.base.forks == 4
    assert "1 of 5 rounds excluded: not warm after 6 s" in change.notes
    assert not comparison.not_warm
    assert not found(cold).regressions
    for cold in ([0.0, 3.0, 3.0], [0.0, 0.0, 3.0]):  # fewer than three warm rounds
        comparison = found(cold, head=31.0)
        (change,) = comparison.not_warm
        assert change.lacking == "not warm after 3 s"
        assert not comparison.improvements


def test_cold_forks_do_not_inform_any_rule() -> None:
    cold, warm = suites([4.0] * 5), suites([0.0] * 5)
    without = [Suite(suite.benchmarks[1:], harness="jmh") for suite in warm]
    for rule in RULES:
        first, *others = compare(*cold, rule=rule, confidence=0.99, resamples=200).changes
        assert first.lacking == "not warm after 4 s"
        alone = compare(*without, rule=rule, confidence=0.99, resamples=200)
        assert tuple(others) == alone.changes


def test_reports_suggest_a_longer_warm_up(tmp_path: Path) -> None:
    comparison = found([3.0] * 3)
    sentence = "1 benchmark did not reach steady state in the time available: no verdict."
    command = r"--only 'org\.B\.cold' --time-budget 1m"
    text = terminal(comparison, width=300)
    for written in (text, comment(comparison).replace("\\", "")):
        assert sentence in written.replace("`", "")
        assert command.replace("\\", "") in written.replace("\\", "")
    assert "not warm after 3 s" in text
    assert "was not in steady state" in text.splitlines()[0]
    data = json.loads(to_json(comparison))
    assert [change.get("cold_seconds") for change in data["changes"]] == [3.0, None, None, None]
    arguments = CompareCommand(base=("b.json",), head=(str(tmp_path / "h.json"),))
    assert [*suggest_for_unclear(arguments, Summary.of(comparison))] == []
    for benchmarks, seconds in ((1, 3.0), (12, 3.0), (12, 6.2), (300, 1.0)):
        budget = time_to_warm_up(benchmarks, seconds)
        # Three rounds of two forks each, twice as long as before, and some time for the rest.
        assert 0.6 * budget >= benchmarks * 3 * 2 * 2 * seconds > 0.6 * (budget - 60)


def read(tmp_path: Path, stops: list[dict[str, object]], forks: int) -> tuple[float, ...]:
    found = []
    # Under the present key, and as earlier releases wrote it.
    both: tuple[dict[str, Any], ...] = (
        {"steady": [{"stop": one} for one in stops]},
        {"steadyStop": stops},
    )
    for noted in both:
        path = tmp_path / "results.json"
        record = jmh_record("org.B.a", [[1.0, 1.0]] * forks, warmup=3, **noted)
        path.write_text(json.dumps([record]), encoding="utf-8")
        (benchmark,) = load(path).values()
        found.append(benchmark.cold_seconds)
    assert found[0] == found[1]
    return found[0]


def test_cold_forks_are_recorded_in_results(tmp_path: Path) -> None:
    warm = {"method": "flat", "start": 30, "warmup": 31, "iterations": 2, "reason": "x"}
    cold = {**warm, "start": None, "cold_seconds": 3.1}
    assert read(tmp_path, [warm, cold], 2) == (0.0, 3.1)
    assert read(tmp_path, [cold], 1) == (3.1,)
    assert read(tmp_path, [warm, warm], 2) == ()
    # Where a plan says how long a fork warms up, a method that was not content says nothing.
    assert read(tmp_path, [{**warm, "start": None, "cold_seconds": 0.0}], 1) == ()
    negative, text = ({**cold, "cold_seconds": bad} for bad in (-1, "x"))
    for stop in ([cold], [cold, negative], [cold, text]):
        with pytest.raises(InputError):
            read(tmp_path, stop, 2)


def test_fewer_rounds_than_the_first_look_are_undecided() -> None:
    for rounds, verdict in ((2, "unclear"), (3, "regression")):
        assert found([0.0] * rounds, head=900.0).changes[0].outcome == verdict, rounds

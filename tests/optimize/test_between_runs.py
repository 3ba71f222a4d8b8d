"""What runs differ by beyond their forks: found again where it was put in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import steady
from steady.model import Suite
from steady.optimize import optimize, plan_from_json, plan_to_json, update_plan
from steady.optimize.between_runs import BetweenRuns, between_runs
from steady.report.plan_report import receipt, runs_sentence


def run(
    seed: int, ratio: float, *, forks: int = 5, benchmarks: int = 40, shift: float = 0
) -> Suite:
    """A run whose forks differ by 2 %, and which differs by `ratio` of that from other runs."""
    rng = np.random.default_rng(seed)
    names = [f"b{index:02}" for index in range(benchmarks)]
    levels = 0.02 * (ratio * rng.standard_normal(benchmarks) + shift)
    tables = {
        name: np.exp(
            level
            + 0.02 * rng.standard_normal((forks, 1))
            + 0.001 * rng.standard_normal((forks, 30))
        )
        for name, level in zip(names, levels, strict=True)
    }
    return steady.Suite.of(tables, unit="ns/op", iteration_seconds=1.0)


@pytest.mark.parametrize("ratio", [0.0, 1.0, 3.0])
def test_the_ratio_is_found_again(ratio: float) -> None:
    suites = [run(seed, ratio, forks=3 + seed % 3) for seed in range(5)]
    found = between_runs(suites[0], suites[1:])
    assert found.runs == 4
    assert found.ratio == pytest.approx(ratio, rel=0.3, abs=0.25)


def test_a_few_changed_benchmarks_do_not_count() -> None:
    full, earlier = (run(seed, 0.0, benchmarks=200) for seed in (0, 1))
    changed = Suite(
        tuple(
            b.with_measurements(b.measurements * (2 if index < 20 else 1))
            for index, b in enumerate(earlier.benchmarks)
        )
    )
    assert between_runs(full, [changed]).ratio < 0.5
    assert between_runs(full, [full]) == between_runs(full)


def test_base_and_head_of_one_run_are_not_two_runs() -> None:
    def of_rounds(seed: int, name: str) -> Suite:
        suite = run(seed, 1.0)
        blocks = tuple(f"{name}:{number}" for number in range(5))
        return Suite(tuple(replace(b, blocks=blocks) for b in suite.benchmarks))

    base, head, another = of_rounds(0, "a"), of_rounds(1, "a"), of_rounds(2, "b")
    assert between_runs(base, [base, head]) == between_runs(base)
    assert between_runs(base, [base, head, another]) == between_runs(base, [another])


def test_too_little_is_an_allowance_by_harness() -> None:
    suite = run(0, 0.0, benchmarks=9)
    assert between_runs(suite, [run(1, 3.0, benchmarks=9)]) == BetweenRuns(0.333333)
    assert between_runs(replace(suite, harness="go")) == BetweenRuns(1.0)
    assert between_runs(suite, [run(1, 3.0, forks=1)]) == BetweenRuns(0.333333)


def test_expected_errors_hold_for_another_run_once_one_has_taught_it() -> None:
    """The share of results within their expected error, on runs that differ by twice as much."""
    full, earlier, later = (run(seed, 2.0) for seed in (0, 1, 2))
    shares = []
    for plan in (optimize(full), optimize(full, earlier=[earlier])):
        inside = []
        for identity, entry in plan.items():
            planned = later[identity].measurements[:, entry.warmup :][:, : entry.iterations]
            inside.append(abs(float(planned.mean()) - 1) < (entry.expected_error or 0))
        shares.append(np.mean(inside))
    assert shares[0] < 0.5
    assert 0.55 < shares[1] < 0.95


def test_the_plan_keeps_what_it_knows_and_older_plans_are_read() -> None:
    full = run(0, 1.0)
    plan = optimize(full, earlier=[run(1, 1.0)])
    text = plan_to_json(plan)
    assert plan_from_json(text).between_runs == plan.between_runs
    start = text.index('  "between_runs"')
    older = text[:start] + text[text.index('  "seconds"', start) :]
    assert plan_from_json(older).between_runs is None
    alone = optimize(full)
    assert update_plan(plan, alone).between_runs == alone.between_runs == BetweenRuns(0.333333)


@pytest.mark.parametrize(
    ("known", "says"),
    [
        (None, "between forks of one run; another day may add to it"),
        (BetweenRuns(0.333333), "allows 0.33 times the spread between forks for another run"),
        (
            BetweenRuns(2.04, 3),
            "what another run adds: 2 times the spread between forks, learnt from 3",
        ),
    ],
)
def test_the_receipt_says_what_the_error_leaves_out(known: BetweenRuns | None, says: str) -> None:
    plan = replace(optimize(run(0, 0.0)), between_runs=known)
    assert says in runs_sentence(plan)
    assert says in receipt(plan)

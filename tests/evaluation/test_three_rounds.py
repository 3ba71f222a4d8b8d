"""What published forks teach, and what three rounds find, from forks that were drawn."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation import three_rounds
from evaluation.fork_priors import PublishedSuite, evidence, fitted, gains
from evaluation.three_rounds import by_benchstat, by_rule, go_case, parts
from steady.compare import RULES
from steady.compare.rule import RuleOptions


def drawn(seed: int, spread: float, rounds: int = 5) -> PublishedSuite:
    generator = np.random.default_rng(seed)
    levels = spread / np.sqrt(2) * generator.standard_normal((2, 12, rounds, 1))
    noise = 0.002 * generator.standard_normal((2, 12, rounds, 10))
    return PublishedSuite("jmh", f"p{seed}", *np.exp(levels + noise))


def test_the_middle_of_the_levels_is_found_and_helps_a_suite_that_was_left_out() -> None:
    logs = np.array([evidence(drawn(seed, 0.02)) for seed in range(12)])
    share, middle, width = fitted(logs[:8])
    assert middle == pytest.approx(0.02, rel=0.5)
    assert width == pytest.approx(0.7, abs=0.3)
    assert gains(logs[8:], (share, middle, width)).mean() > 0.3
    assert gains(logs[8:], (share, middle / 100, width)).mean() < 0


def test_levels_are_those_at_which_the_rule_would_just_report() -> None:
    suite = drawn(1, 0.02, rounds=3)
    found = by_rule([suite], lambda _: "fork")
    for confidence in (0.5, 0.9, 0.99):
        judged = RULES["paired-t"].value.judge(suite.pairs(), RuleOptions(confidence))
        assert [j.apart for j in judged] == (found.levels[:, 0] < 1 - confidence).tolist()


def test_benchstat_reports_a_change_and_parts_keep_every_benchmark_once() -> None:
    suite = drawn(2, 0.0001)
    shares = by_benchstat([suite]).shares(0.01)
    assert shares[0] == 0
    assert shares[2] == 1
    assert [len(part.base) for part in parts([suite], 5)] == [5, 5]
    assert parts([suite], 0) == [suite]


def test_both_changes_of_a_busy_go_suite_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(three_rounds, "RUNS", 4)
    table = go_case()
    assert [row[0] for row in table] == ["steady", "benchstat, p < 0.001"]
    assert all(float(cell.rstrip("%")) >= 50 for row in table for cell in row[1:3])

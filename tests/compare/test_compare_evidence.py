"""False alarms and power on measurements of the same version, as the reports claim them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluation import java_changes, verdicts
from evaluation._uoptime_data import read_projects
from steady.compare.pair import Pair

Suites = list[list[Pair]]


@pytest.fixture(scope="module")
def three_forks(shared: Path) -> Suites:
    """Split every benchmark of the jmh-steady data in two: 3 forks x 20 iterations of 10 s each."""
    projects = verdicts.jmh_steady(shared / "data" / "jmh-steady")
    return verdicts.dealt([verdicts.join(p, 20, 100) for p in projects], 3, splits=1)


@pytest.fixture(scope="module")
def one_fork(shared: Path) -> Suites:
    """Set forks of one project of data set 3 against each other, runs before known."""
    projects = read_projects(shared / "data" / "uoptime", "ds3")
    return verdicts.one_fork({"zipkin": projects["zipkin"]}, verdicts.before)


def rates(suites: Suites, rule: str) -> tuple[float, float]:
    """Return false alarms, and the share of slowdowns by 10 % that are found."""
    judgements = [j for suite in suites for j in verdicts.judge(rule, suite)]
    found = verdicts.rates(judgements)
    return found.alarms, found.found[verdicts.SLOWDOWNS.index(1.1)]


def test_pooled_iterations_raise_false_alarms(three_forks: Suites) -> None:
    alarms, power = rates(three_forks, "overlap")
    assert 0.05 < alarms < 0.17
    assert power > 0.85


def test_moderated_t_keeps_them_below_two_per_cent(three_forks: Suites) -> None:
    alarms, power = rates(three_forks, "moderated-t")
    _, alone = rates(three_forks, verdicts.ALONE)
    assert alarms < 0.02
    assert power > 0.68
    assert power > alone + 0.04


def test_known_spread_makes_one_fork_a_side_enough(one_fork: Suites) -> None:
    alarms, power = rates(one_fork, "known-spread")
    pooled, _ = rates(one_fork, "overlap")
    assert alarms < 0.03
    assert power > 0.4
    assert pooled > 4 * alarms


def test_forks_are_dealt_out_once_each() -> None:
    project = np.arange(6.0).reshape(1, 6, 1) + 1
    for [pair] in verdicts.dealt([project], 2, splits=3, known=2):
        sides = np.concatenate([pair.base, pair.head]).ravel()
        left = np.setdiff1d(np.arange(1.0, 7), sides)
        assert len(left) == 2
        assert pair.earlier.variance == pytest.approx(np.log(left).var(ddof=1))


def test_equal_seconds_are_spent_on_all_forks_and_the_widest_first() -> None:
    quiet, noisy = np.full((3, 20), 5.0), np.linspace(1.0, 9.0, 60).reshape(3, 20)
    cases = [
        java_changes.Case("p", "1", name, table, table, table, published, False, False)
        for name, table, published in (("quiet", quiet, (3, 20)), ("noisy", noisy, (1, 15)))
    ]
    cut = java_changes.spend(cases, 0)
    assert [cut(case) for case in cases] == [(3, 12), (3, 13)]
    with_warmup = java_changes.spend(cases, 20)
    assert [with_warmup(case) for case in cases] == [(3, 5), (3, 6)]


def test_published_decisions_are_ours(shared: Path) -> None:
    cases = [
        case
        for case in java_changes.read_cases(shared / "data" / "uoptime")
        if case.project == "jenetics"
    ]
    decisions = java_changes.slower(cases, lambda case: case.published)
    assert len(cases) == 389
    assert decisions.tolist() == [case.reduced for case in cases]

"""The order of a run: balanced, evenly spread, and different in each round."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_harness import NAMES, workloads

from steady.engine import Trial, Workload, further_rounds, schedule, with_starts
from steady.harness.trial import digest
from steady.model import ExecutionConfiguration, Identity

_VERSIONS = st.sampled_from([("results",), ("base", "head"), ("a", "b", "c")])


@st.composite
def suites(draw: st.DrawFn) -> list[Workload]:
    forks = draw(st.lists(st.integers(1, 7), min_size=1, max_size=12))
    versions = draw(_VERSIONS)
    return [
        Workload(
            Identity(f"b{i}"),
            ExecutionConfiguration(n, 1, 1, 1.0, 1.0),
            2.0,
            80.0,
            draw(st.sampled_from([versions, versions[-1:]])),
        )
        for i, n in enumerate(forks)
    ]


def differ_by_one_at_most(counts: Sequence[int]) -> bool:
    return max(counts) - min(counts) <= 1


def expect_that_each_version_comes_first_equally_often(
    suite: Sequence[Workload], trials: Sequence[Trial]
) -> None:
    for workload in suite:
        own = [trial for trial in trials if trial.identity == workload.identity]
        first = Counter(next(g).version for _, g in groupby(own, lambda t: t.round))
        assert differ_by_one_at_most([first[version] for version in workload.versions])


@given(suites(), st.integers(0, 2**32))
def test_forks_of_a_round_are_adjacent_and_rounds_spread_evenly(
    suite: list[Workload], seed: int
) -> None:
    trials = schedule(suite, seed=seed)
    assert [trial.number for trial in trials] == list(range(len(trials)))
    assert Counter((t.identity, t.version) for t in trials) == {
        (w.identity, version): w.configuration.forks for w in suite for version in w.versions
    }
    assert {trial.configuration.forks for trial in trials} == {1}
    versions = {workload.identity: set(workload.versions) for workload in suite}
    for (_, identity), group in groupby(trials, lambda t: (t.round, t.identity)):
        run = list(group)
        assert {trial.version for trial in run} == versions[identity]
        assert len(run) == len(versions[identity])
    assert [trial.round for trial in trials] == sorted(trial.round for trial in trials)
    rounds = max(workload.configuration.forks for workload in suite)
    for identity in versions:
        places = sorted({trial.round for trial in trials if trial.identity == identity})
        gaps = {after - before for before, after in pairwise(places)}
        assert gaps <= {rounds // len(places), -(-rounds // len(places))}
        assert places[-1] < rounds
    for forks in {workload.configuration.forks for workload in suite}:
        alike = {w.identity for w in suite if w.configuration.forks == forks}
        held = {(trial.round, trial.identity) for trial in trials if trial.identity in alike}
        full = Counter(number for number, _ in held)
        assert differ_by_one_at_most([full[number] for number in range(rounds)])


@given(suites(), st.integers(0, 2**32))
def test_the_first_fork_of_a_version_includes_the_start(suite: list[Workload], seed: int) -> None:
    trials = schedule(suite, seed=seed)
    dearer = with_starts(trials, 1.5)
    versions = {trial.version for trial in trials}
    first = {next(t.number for t in trials if t.version == version) for version in versions}
    assert {t.number for t in dearer if t.seconds == 2.0 + 1.5} == first
    assert digest(dearer) == digest(trials)
    together = sum(t.seconds for t in with_starts(trials, 1.5, "iterations"))
    starts = 1 if len(versions) == 2 else len(versions)
    assert together == pytest.approx(sum(t.seconds for t in trials) + 1.5 * starts)


@given(suites(), st.integers(0, 2**32), st.lists(st.integers(1, 3), max_size=6))
def test_the_order_of_versions_is_balanced_over_all_batches(
    suite: list[Workload], seed: int, batches: list[int]
) -> None:
    trials = schedule(suite, seed=seed)
    expect_that_each_version_comes_first_equally_often(suite, trials)
    for forks in batches:
        trials += further_rounds(trials, {w.identity: forks for w in suite}, seed=seed)
    assert [trial.number for trial in trials] == list(range(len(trials)))
    expect_that_each_version_comes_first_equally_often(suite, trials)


def test_the_seed_decides_and_the_order_differs_between_rounds() -> None:
    suite = workloads()
    assert schedule(suite, seed=3) == schedule(suite, seed=3)
    assert schedule(suite, seed=3) != schedule(suite, seed=4)
    assert schedule([], seed=3) == ()
    trials = schedule(workloads(forks=(6, 6, 6, 6)), seed=0)
    rounds = (group for _, group in groupby(trials, lambda t: t.round))
    assert len({tuple(dict.fromkeys(t.identity for t in group)) for group in rounds}) > 3


def test_further_rounds_follow_the_others() -> None:
    trials = schedule(workloads(), seed=0)
    beta, delta = Identity(NAMES[1]), Identity(NAMES[3])
    further = further_rounds(trials, {delta: 1, beta: 4}, seed=9)
    assert [trial.number for trial in further] == list(range(len(trials), len(trials) + 10))
    assert {trial.round for trial in further} == {5, 6, 7, 8}
    assert Counter((t.identity, t.version) for t in further) == {
        (beta, "base"): 4, (beta, "head"): 4, (delta, "base"): 1, (delta, "head"): 1,
    }  # fmt: skip
    former = next(trial for trial in trials if trial.identity == beta)
    again = next(trial for trial in further if trial.identity == beta)
    assert again.configuration == former.configuration
    assert (again.seconds, again.timeout) == (former.seconds, former.timeout)
    assert further_rounds(trials, {}, seed=9) == ()
    # Those of who paid for a start do not pay again.
    trials = with_starts(schedule(workloads(forks=(2, 2, 2, 2)), seed=0), 1.5)
    dearest = max(trials, key=lambda trial: trial.seconds)
    assert {t.seconds for t in further_rounds(trials, {dearest.identity: 1}, seed=0)} == {5.5}


def test_batches_of_one_seed_have_different_orders() -> None:
    trials = schedule(workloads(), seed=0)
    orders = set()
    for _ in range(8):
        batch = further_rounds(trials, dict.fromkeys(map(Identity, NAMES), 1), seed=5)
        orders.add(tuple(dict.fromkeys(trial.identity.name for trial in batch)))
        trials += batch
    assert len(orders) > 3

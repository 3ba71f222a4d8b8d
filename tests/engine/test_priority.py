"""Priority of benchmarks if the time is too short for all."""

import math
from dataclasses import replace
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from jmh_forks import trial
from msgspec import structs

from steady.engine import Trial
from steady.engine.journal import JournalEntry
from steady.engine.priority import Priority, order_by_number
from steady.model import Identity
from tests.looped import looped

NAMES = [Identity(f"org.Bench.b{index}") for index in range(6)]
ROUNDS = 3


def trials_of(seconds: dict[Identity, float]) -> list[Trial]:
    return [
        replace(trial(identity), number=number, round=number // len(seconds), seconds=own)
        for number, (identity, own) in enumerate(ROUNDS * [*seconds.items()])
    ]


def ended(trials: list[Trial], factor: float) -> dict[int, JournalEntry]:
    return {
        one.number: JournalEntry.of(one, "run:0", 0.0, factor * one.seconds, kind="planned")
        for one in trials
    }


TRIALS = trials_of(dict.fromkeys(NAMES, 2.0))


def test_the_first_benchmarks_are_chosen_if_not_all_fit() -> None:
    for order, seconds, chosen in (
        ((), 36.0, NAMES),  # all fit
        (NAMES[3:], 18.5, NAMES[3:]),
        (NAMES[3:], 17.5, NAMES[3:5]),
        (NAMES[3:], 25.0, [*NAMES[3:], NAMES[0]]),
        (NAMES[2:], 1.0, NAMES[2:3]),  # one where nothing fits
    ):
        assert Priority(order).chosen(TRIALS, TRIALS, {}, seconds) == set(chosen)
    assert Priority().chosen(TRIALS, [], {}, -1.0) == set()


def test_started_benchmarks_come_first() -> None:
    records = ended([one for one in TRIALS if one.identity == NAMES[5]][:1], 1.0)
    left = [one for one in TRIALS if one.number not in records]
    assert Priority(NAMES).chosen(TRIALS, left, records, 4.0) == {NAMES[5]}
    assert Priority(NAMES).chosen(TRIALS, left, records, 10.0) == {NAMES[5], NAMES[0]}


def test_a_slow_machine_is_expected_to_slow_all_benchmarks() -> None:
    records = ended(TRIALS[:1], 5.0)  # ten seconds instead of two
    for seconds, chosen in ((20.0, NAMES[:1]), (49.0, NAMES[:1]), (50.0, NAMES[:2])):
        assert Priority(NAMES).chosen(TRIALS, TRIALS[1:], records, seconds) == set(chosen)


def test_a_hanging_benchmark_does_not_affect_the_others() -> None:
    """In a suite of vavr, one invocation takes 22 s; no other benchmark was started after it."""
    hung = JournalEntry.of(TRIALS[0], "run:0", 0.0, 40.0, reason="it hung")
    left = [one for one in TRIALS if one.identity != NAMES[0]]
    assert Priority(NAMES).chosen(TRIALS, left, {hung.number: hung}, 12.5) == set(NAMES[1:3])


def test_screened_differences_continue_at_once_and_others_wait_for_all_screening_rounds() -> None:
    differences = {NAMES[0]: 0.01, NAMES[1]: 0.3, NAMES[2]: 0.02, NAMES[3]: math.inf}

    def chosen(seconds: float, *begun: int) -> set[Identity]:
        records = ended([TRIALS[index] for index in begun], 1.0)
        left = [trial for trial in TRIALS if trial.number not in records]
        rounds = Priority(NAMES, differences.__getitem__, 34.0)
        return set(rounds.chosen(TRIALS, left, records, seconds))

    assert chosen(34.0) == {NAMES[0]}
    assert chosen(32.0, 0) == {NAMES[1]}
    assert chosen(30.0, 0, 1) == {NAMES[1], NAMES[2]}
    assert chosen(28.0, 0, 1, 2) == {NAMES[1], NAMES[3]}
    assert chosen(30.0, 3) == {NAMES[3], NAMES[0]}, "half a round goes on"
    late = 12.0
    assert chosen(late, 0, 1, 2) == {NAMES[1]}, "the rest of the time is for what differs"
    assert chosen(late, 0, 1, 2, 7, 13) == set(), "it decides how many more rounds that has"
    differences[NAMES[1]] = 0.03
    assert chosen(late, 0, 1, 2) == {NAMES[1], NAMES[2], NAMES[0]}
    assert chosen(late - 2.0, 0, 1, 2) == {NAMES[1], NAMES[2]}, "what differs most comes first"


def test_a_warm_round_after_a_cold_one_is_a_screening_round() -> None:
    first, second = [one for one in TRIALS if one.identity == NAMES[0]][:2]
    records = ended([first, second], 1.0)
    left = [one for one in TRIALS if one.number not in records]
    for cold, chosen in ((False, {NAMES[0], NAMES[1]}), (True, {NAMES[1]})):
        own = records | {first.number: structs.replace(records[first.number], cold=cold)}
        rounds = Priority(NAMES, lambda _: 0.01, 34.0)
        assert rounds.chosen(TRIALS, left, own, 31.0) == chosen


@given(st.lists(st.integers(1, 9), min_size=6, max_size=6), st.integers(0, 90))
def test_the_choice_is_maximal_within_the_time(seconds: list[int], left: int) -> None:
    needed = dict(zip(NAMES, seconds, strict=True))
    trials = trials_of({identity: float(own) for identity, own in needed.items()})
    chosen = Priority(NAMES).chosen(trials, trials, {}, left)
    taken = ROUNDS * sum(needed[identity] for identity in chosen)
    assert taken <= left or chosen == {NAMES[0]}
    assert all(taken + ROUNDS * needed[one] > left for one in needed if one not in chosen)


@looped("parts", range(1, 7))
def test_successive_numbers_begin_with_each_part(parts: int) -> None:
    length = -(-len(NAMES) // parts)
    begins = [order_by_number(NAMES, number, parts)[:length] for number in range(7, 7 + parts)]
    assert {identity for begin in begins for identity in begin} == set(NAMES)
    if len(NAMES) % parts == 0:
        assert all(not set(one) & set(other) for one, other in combinations(begins, 2))
    assert all(set(order_by_number(NAMES, n, parts)) == set(NAMES) for n in range(3))

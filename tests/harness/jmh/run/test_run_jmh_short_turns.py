"""Planned iterations are divided into short turns, if invocations fit into them."""

from dataclasses import replace

from jmh_forks import record, trial

from steady.engine import Trial
from steady.harness.jmh.run.forks_in_turn import ShortTurns
from steady.model import ExecutionConfiguration, Identity
from tests.looped import looped

AVERAGE = Identity("lab.Lab.parse", "avgt", (), 1)


def planned(
    seconds: float, *, iterations: int = 10, warmup: int = 0, identity: Identity = AVERAGE
) -> Trial:
    one = ExecutionConfiguration(1, warmup, iterations, 0.1, seconds)
    return replace(trial(identity), configuration=one)


def shape(one: ExecutionConfiguration) -> tuple[int, float]:
    return one.iterations, one.iteration_seconds


def learned(turns: ShortTurns, score: float, asked: Trial) -> tuple[int, float]:
    """Return number and length of turns once a score is known."""
    made = record(asked.identity, [[score]])
    made["primaryMetric"]["score"] = score
    turns.update(asked.identity, made)
    return shape(turns.of(asked))


def test_turns_and_the_time_between_them_fill_an_iteration() -> None:
    one = ShortTurns().of(planned(0.1, warmup=7))
    assert shape(one) == (140, 0.005)
    assert (one.warmup_iterations, one.warmup_seconds) == (7, 0.1)


def test_single_shots_short_iterations_and_benchmarks_with_fixtures_are_not_divided() -> None:
    for seconds in (0.0, 0.005, 0.013):
        assert ShortTurns().of(planned(seconds)) == planned(seconds).configuration
    whole = ShortTurns(whole=frozenset({AVERAGE.name}))
    assert whole.of(planned(0.1)) == planned(0.1).configuration


def test_long_iterations_have_few_turns_until_an_invocation_is_known() -> None:
    turns = ShortTurns()
    assert shape(turns.of(planned(1.0))) == (30, 0.25)
    assert learned(turns, 80.0, planned(1.0)) == (1420, 0.005)  # microseconds


@looped(
    ("microseconds", "turn"), [(900.0, 0.005), (2_000.0, 0.01), (11_111.0, 0.056), (300_000.0, 1.0)]
)
def test_turns_have_five_invocations(microseconds: float, turn: float) -> None:
    assert learned(ShortTurns(), microseconds, planned(1.0))[1] == turn


def test_threads_and_operations_per_invocation_are_considered() -> None:
    identity = Identity("lab.Lab.parse", "thrpt", (), 4)
    asked = planned(1.0, identity=identity)
    assert learned(ShortTurns(), 0.001, asked)[1] == 0.02  # 4 ms in each thread
    turns = ShortTurns({AVERAGE.name: 1000})
    assert shape(turns.of(planned(0.1))) == (140, 0.005)
    assert learned(turns, 4.0, planned(0.1)) == (40, 0.02)


@looped("score", [0.0, float("nan"), float("inf")])
def test_scores_without_a_time_are_ignored(score: float) -> None:
    identity = Identity("lab.Lab.parse", "thrpt", (), 1)
    assert learned(ShortTurns(), score, planned(0.1, identity=identity)) == (140, 0.005)

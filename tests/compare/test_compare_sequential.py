"""Runs with interim analyses: error rates, power and duration.

Levels are compared with published tables. The rule and the allocation of further rounds are applied
to simulated suites of 20 benchmarks with realistic differences between rounds. Some benchmarks are
much noisier than others.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from steady.compare import RULES, Change, Estimate, alpha_spending
from steady.compare.alpha_spending import looks_of, nominal_confidence, nominal_levels
from steady.compare.bounds import outcome_of
from steady.compare.multiple_testing import (
    MOST_SHARED,
    SuiteJudgement,
    judge_jointly,
    judge_separately,
)
from steady.compare.pair import Pair
from steady.compare.round_allocation import UnclearBenchmark, allocate_rounds
from steady.compare.rule import Judgement, RuleOptions
from steady.compare.variance import moderated_widths
from steady.errors import InputError
from steady.model import FloatArray, Identity
from tests.compare.small_suites import in_rounds, three_deviations

RULE = RULES["paired-t"].value
MIN_CHANGE = 0.03
SIZE = 20


def suites(seed: int, count: int, rounds: int, spread: float) -> Iterator[FloatArray]:
    """Return log ratios of equal versions, shape (benchmarks, rounds)."""
    generator = np.random.default_rng(seed)
    for _ in range(count):
        spreads = spread * np.sqrt(3 / generator.chisquare(3, (SIZE, 1)))
        yield generator.normal(0, 1, (SIZE, rounds)) * spreads


def pairs_of(logs: FloatArray, rounds: Sequence[int], looks: tuple[int, ...]) -> list[Pair]:
    heads = (100 * np.exp(row[:n, np.newaxis]) for row, n in zip(logs, rounds, strict=True))
    return [in_rounds(np.full_like(head, 100.0), head, looks=looks) for head in heads]


def is_reported(_: int, judgement: Judgement) -> bool:
    return outcome_of(judgement, "lower", MIN_CHANGE) in ("regression", "improvement")


@dataclass
class Run:
    """A simulated run of one suite, in which a round of a benchmark takes a second."""

    logs: FloatArray
    looks: tuple[int, ...]
    false_alarms: float = 0.02

    def __post_init__(self) -> None:
        self.rounds = [self.looks[0]] * len(self.logs)

    def judged(self) -> SuiteJudgement:
        pairs = pairs_of(self.logs, self.rounds, self.looks)
        return judge_jointly(RULE, pairs, RuleOptions(), self.false_alarms, is_reported)

    def to_its_end(self, budget: float) -> SuiteJudgement:
        while True:
            judged = self.judged()
            judgements = enumerate(self._cases(judged))
            cases = {n: case for n, case in judgements if case.change.outcome == "unclear"}
            granted = allocate_rounds(list(cases.values()), budget - sum(self.rounds))
            if not granted:
                return judged
            indices = list(cases)
            for index, further in granted.items():
                self.rounds[indices[index]] += further

    def _cases(self, judged: SuiteJudgement) -> Iterator[UnclearBenchmark]:
        together = zip(judged.judgements, judged.excluded, self.rounds, strict=True)
        for judgement, excluded, rounds in together:
            change = Change(
                Identity("b"),
                "ns/op",
                "lower",
                judgement.base,
                judgement.head,
                outcome_of(judgement, "lower", MIN_CHANGE, excluded=excluded),
                smallest=max(MIN_CHANGE, judgement.detectable.of(judgement.ratio)),
                excluded=excluded,
            )
            yield UnclearBenchmark(change, MIN_CHANGE, rounds, self.looks, 1.0)


@pytest.mark.parametrize(
    "looks", [(3,), looks_of(3), looks_of(5), looks_of(20), tuple(range(3, 13))], ids=len
)
def test_intervals_cover_at_every_look_and_at_stopping(looks: tuple[int, ...]) -> None:
    """Intervals contain a true slowdown of 5 % at the nominal rate.

    The worst case is to continue until an interval excludes the truth: the error of all looks
    together is 5 %. A benchmark may also stop if its interval is narrow or excludes zero. Three
    rounds have two degrees of freedom, plus those of the suite.
    """
    truth, count = np.log(1.05), 15
    crossed = missed = 0
    for logs in suites(len(looks), count, looks[-1], 0.02):
        ever, stopped = np.zeros(SIZE, dtype=bool), dict[int, bool]()
        for look in looks:
            pairs = pairs_of(logs + truth, [look] * SIZE, looks)
            for index, judgement in enumerate(RULE.judge(pairs, RuleOptions(confidence=0.95))):
                low, high = judgement.interval or (0.0, 0.0)
                outside = not low <= np.expm1(truth) <= high
                ever[index] |= outside
                if judgement.apart or high - low < 0.04 or look == looks[-1]:
                    stopped.setdefault(index, outside)
        crossed += int(ever.sum())
        missed += sum(stopped.values())
    assert missed <= crossed < count * SIZE * three_deviations(0.05, count * SIZE)


def test_an_unchanged_pull_request_rarely_gets_an_alarm() -> None:
    """Complete runs within the planned time, with a false-alarm rate of 30 %."""
    count, alarms, false_alarms = 7, 0, 0.3
    for logs in suites(7, count, 20, 0.03):
        judged = Run(logs, looks_of(5), false_alarms).to_its_end(5.0 * SIZE)
        alarms += any(is_reported(0, judgement) for judgement in judged.judgements)
    assert alarms / count < three_deviations(false_alarms, count)


@pytest.mark.thorough
def test_the_false_discovery_rate_is_bounded() -> None:
    """With four of twenty changed by 10 %, the expected share of false reports is bounded."""
    count, shares, false_alarms = 8, [], 0.2
    changed = np.arange(SIZE) < 4
    for logs in suites(8, count, 20, 0.03):
        judged = Run(logs + np.log(1.1) * changed[:, None], looks_of(5), false_alarms)
        found = [is_reported(0, j) for j in judged.to_its_end(5.0 * SIZE).judgements]
        shares.append(sum(np.array(found) & ~changed) / max(sum(found), 1))
    assert np.mean(shares) < false_alarms + 3 * np.std(shares) / np.sqrt(count)


@pytest.mark.thorough
def test_interim_analyses_increase_the_power_in_equal_time() -> None:
    """Two of twenty benchmarks are 5 % slower, and rounds differ by 3 %.

    With 99 % confidence for each benchmark, the planned rounds detect fewer slowdowns than a run
    with interim analyses in the same time, and give false alarms in a sixth of the pull requests
    instead of one in 50.
    """
    count, planned, alone, together, seconds = 8, 5, 0, 0, 0
    slower = np.log(1.05) * (np.arange(SIZE) < 2)[:, None]
    for logs in suites(9, count, 20, 0.03):
        fixed = pairs_of(logs + slower, [planned] * SIZE, ())
        by_plan = judge_separately(RULE, fixed, RuleOptions()).judgements
        alone += sum(is_reported(0, judgement) for judgement in by_plan[:2])
        run = Run(logs + slower, looks_of(planned))
        by_run = run.to_its_end(planned * SIZE).judgements
        together += sum(is_reported(0, judgement) for judgement in by_run[:2])
        seconds += sum(run.rounds)
    assert together > 1.15 * alone
    assert seconds <= count * planned * SIZE


def test_rare_errors_keep_their_nominal_rate() -> None:
    """One in 1,000 with five rounds; without `MOST_SHARED`, errors are more frequent."""
    count, rounds, wrong = 1000, 5, {np.inf: 0, MOST_SHARED: 0}
    for logs in suites(12, count, rounds, 0.02):
        variances, freedoms = logs.var(axis=1, ddof=1), np.full(SIZE, rounds - 1.0)
        for limit in wrong:
            widths = moderated_widths(variances, freedoms, 0.999, most_shared=limit)
            wrong[limit] += int((abs(logs.mean(axis=1)) > widths / np.sqrt(rounds)).sum())
    allowed = count * SIZE * three_deviations(0.001, count * SIZE)
    assert wrong[MOST_SHARED] < allowed < wrong[np.inf]


def test_quiet_suites_need_less_than_the_planned_time() -> None:
    count, unchanged, seconds = 6, 0, 0
    for logs in suites(10, count, 20, 0.004):
        run = Run(logs, looks_of(5))
        judged = run.to_its_end(5.0 * SIZE)
        unchanged += sum(size < MIN_CHANGE for size in judged.excluded)
        seconds += sum(run.rounds)
    assert seconds < 0.75 * count * 5 * SIZE
    assert unchanged > 0.9 * count * SIZE


def bounds(levels: FloatArray) -> FloatArray:
    return -ndtri(levels / 2)


def error_spent(looks: tuple[int, ...], levels: FloatArray) -> FloatArray:
    """Return the probability of a false alarm up to each look, the inverse of `nominal_levels`."""
    path = alpha_spending._Path()
    spent = []
    for (size, added), bound in zip(alpha_spending._steps(looks), bounds(levels), strict=True):
        spent.append(path.passes(bound, size, added))
        path.go_on(bound, size, added)
    return np.cumsum(spent)


def like_pocock(shares: FloatArray, error: float) -> FloatArray:
    return error * np.log(1 + (math.e - 1) * shares)


def like_obrien_fleming(shares: FloatArray, error: float) -> FloatArray:
    return 4 * ndtr(ndtri(error / 4) / np.sqrt(shares))


def test_bounds_of_lan_and_demets_spending_functions() -> None:
    """Five equal steps at 5 %; values of the R package ldbounds."""
    for spending, published in (
        (like_pocock, [2.438, 2.427, 2.410, 2.397, 2.386]),
        (like_obrien_fleming, [4.877, 3.357, 2.680, 2.290, 2.031]),
    ):
        found = bounds(nominal_levels((1, 2, 3, 4, 5), 0.05, spending))
        assert found == pytest.approx(published, abs=6e-4)


def test_constants_of_pocock_and_of_obrien_and_fleming() -> None:
    """Jennison and Turnbull 2000, tables 2.1 and 2.3."""
    for looks, error, pocock, fleming in (
        (2, 0.05, 2.178, 1.977),
        (3, 0.05, 2.289, 2.004),
        (5, 0.05, 2.413, 2.040),
        (10, 0.05, 2.555, 2.087),
        (3, 0.01, 2.873, 2.595),
        (5, 0.01, 2.986, 2.621),
    ):
        numbers = np.arange(1, looks + 1)
        for bound in (np.full(looks, pocock), fleming * np.sqrt(looks / numbers)):
            spent = error_spent(tuple(numbers.tolist()), 2 * ndtr(-bound))
            assert spent[-1] == pytest.approx(error, rel=4e-3)


def test_all_looks_together_spend_the_whole_error() -> None:
    many = (1,), (1, 2, 4), (3, 5, 10, 20), (3, 12, 24, 48), (3, 500, 1000, 2000), (2, 90)
    for looks, error in product(many, (0.1, 0.01, 1e-4)):
        levels = nominal_levels(looks, error)
        spent = error_spent(looks, levels)
        assert spent == pytest.approx(error * np.sqrt(np.array(looks) / looks[-1]), rel=1e-9)
        assert ((levels > 0) & (levels <= error)).all()


def test_simulated_paths_cross_the_bounds_at_the_nominal_rate() -> None:
    looks, error, paths = (3, 5, 10, 20), 0.05, 200_000
    steps = np.random.default_rng(5).standard_normal((paths, looks[-1]))
    sums = np.cumsum(steps, axis=1)[:, np.array(looks) - 1]
    beyond = abs(sums) / np.sqrt(looks) > bounds(nominal_levels(looks, error))
    crossed = np.logical_or.accumulate(beyond, axis=1).mean(axis=0)
    allowed = error * np.sqrt(np.array(looks) / looks[-1])
    assert (abs(crossed - allowed) < 3 * np.sqrt(allowed / paths)).all()


def test_an_interval_has_the_level_of_the_last_reached_look() -> None:
    looks = (3, 5, 10, 20)
    levels = 1 - nominal_levels(looks, 0.01)
    reached = {1: 0, 3: 0, 4: 0, 5: 1, 9: 1, 10: 2, 19: 2, 20: 3, 25: 3}
    for rounds, look in reached.items():
        assert nominal_confidence(looks, rounds, 0.99) == pytest.approx(levels[look], rel=1e-12)
    assert nominal_confidence((), 7, 0.99) == 0.99
    assert nominal_confidence((5,), 5, 0.99) == pytest.approx(0.99)
    # Where a round is lost at every look, the level is that of the look before.
    for lost in ((3, 4, 9, 19), (2, 4, 9, 19), (2, 4, 8, 15)):
        errors = np.array([1 - nominal_confidence(looks, n, 0.99) for n in lost])
        assert error_spent(lost, errors)[-1] < 0.0105


def test_looks_and_errors_out_of_range_are_refused() -> None:
    for looks in ((), (0, 3), (3, 3), (5, 3)):
        with pytest.raises(InputError, match="give ascending numbers of rounds"):
            nominal_levels(looks, 0.01)
    for error in (0.0, 1.0, math.nan):
        with pytest.raises(InputError, match="give a fraction between 0 and 1"):
            nominal_levels((3, 5), error)


LOOKS = (3, 5, 10, 20)


def case(
    ratio: float,
    reach: float,
    excluded: float | None = None,
    *,
    rounds: int = 3,
    seconds: float = 1.0,
    min_change: float = 0.03,
) -> UnclearBenchmark:
    """Return an unclear benchmark with an estimate `ratio` and a detectable change `reach`."""
    base, head = (Estimate(size, 1.0, 1.0, rounds, rounds) for size in (1.0, 1.0 + ratio))
    beyond = abs(ratio) + reach / 2 if excluded is None else excluded
    least = max(reach, min_change)
    change = Change(Identity("b"), "ns/op", "lower", base, head, "unclear", least, excluded=beyond)
    return UnclearBenchmark(change, min_change, rounds, LOOKS, seconds)


def test_needed_rounds_and_steps_to_the_next_look() -> None:
    steps = {rounds: case(0.1, 0.2, rounds=rounds).step for rounds in (2, 3, 4, 5, 10, 19, 20, 30)}
    assert steps == {2: 1, 3: 2, 4: 1, 5: 5, 10: 10, 19: 1, 20: 0, 30: 0}
    for told, needed in (
        ((0.1, 0.2), 9),  # an interval half as wide leaves out zero
        ((-0.1, 0.2), 9),
        ((0.0, 0.1, 0.06), 3 * (2.0**2 - 1)),  # or every change of 3 %
        ((0.02, 0.06), 3 * (2.0**2 - 1)),  # if it is 3 % in truth
        ((0.02, 0.01, 0.035), 3 * (1.5**2 - 1)),  # it only has to be excluded that 3 % are true
        ((math.inf, math.inf), 0),  # from nothing to something
    ):
        assert case(*told).needed == pytest.approx(needed)
    assert not case(0.02, 0.01, 0.035).suspicious


def test_priority_up_to_two_looks_or_close_to_a_verdict() -> None:
    assert case(0.0, 0.3, 0.3).has_priority, "it had one look"
    assert not case(0.0, 0.3, 0.3, rounds=5).has_priority
    assert case(0.1, 0.15, rounds=5).has_priority, "12 rounds should do"
    assert not case(0.04, 0.4, rounds=5).has_priority, "500 rounds would do"


def test_suspicious_benchmarks_come_first_then_the_shortest() -> None:
    cases = [
        case(0.001, 0.04, 0.04),  # nearly unchanged
        case(0.10, 0.40),
        case(0.10, 0.20),
        case(0.10, 0.20, seconds=0.5),
        case(0.001, 0.30, 0.30),
    ]
    assert list(allocate_rounds(cases, 1e9)) == [3, 2, 1, 0, 4]


def test_time_is_reserved_for_suspicious_benchmarks() -> None:
    """The verdict is expected after 12 rounds, at the look of 20, so 17 s are reserved."""
    changed, other = case(0.1, 0.2), case(0.0, 0.2, 0.2)
    assert changed.aim == 17
    assert allocate_rounds([other, changed], 18.0) == {1: 2}
    assert allocate_rounds([other, changed], 19.0) == {1: 2, 0: 2}
    assert allocate_rounds([other, changed], 10.0) == {1: 2}
    assert allocate_rounds([other, changed], 1.9) == {}
    assert allocate_rounds([other, changed], -5.0) == {}
    dear, cheap = case(0.1, 0.2, rounds=10, seconds=2.0), case(0.1, 0.2, seconds=0.1)
    assert allocate_rounds([dear, cheap], 5.0) == {1: 2}


def test_benchmarks_without_an_interval_come_last() -> None:
    unknown = case(0.1, math.inf, math.inf, rounds=2)
    assert (unknown.needed, unknown.aim) == (math.inf, 1)
    assert allocate_rounds([unknown, case(0.1, 0.2)], 100.0) == {1: 2, 0: 1}
    assert (
        allocate_rounds([case(0.04, math.inf, math.inf, min_change=0.03, rounds=20)], 100.0) == {}
    )
    # A threshold of zero is no division by zero.
    assert case(0.0, 0.1, min_change=0.0).needed == math.inf
    assert allocate_rounds([case(0.0, 0.1, min_change=0.0)], 10.0) == {0: 2}

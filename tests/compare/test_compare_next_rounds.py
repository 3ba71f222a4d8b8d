"""Who is measured next: what looks changed first, then whose verdict costs the least time."""

from __future__ import annotations

import math

from steady.compare import Change, Estimate
from steady.compare.next_rounds import OpenCase, next_rounds
from steady.model import Identity

LOOKS = (3, 5, 10, 20)


def case(
    ratio: float,
    reach: float,
    excluded: float | None = None,
    *,
    rounds: int = 3,
    seconds: float = 1.0,
    min_change: float = 0.03,
) -> OpenCase:
    """Return a benchmark that differs by `ratio`, where `reach` could have been reported."""
    base, head = (Estimate(size, 1.0, 1.0, rounds, rounds) for size in (1.0, 1.0 + ratio))
    told = {
        "smallest": max(reach, min_change),
        "excluded": abs(ratio) + reach / 2 if excluded is None else excluded,
    }
    change = Change(Identity("b"), "ns/op", "lower", base, head, "unclear", **told)
    return OpenCase(change, min_change, rounds, LOOKS, seconds)


def test_a_step_leads_to_the_next_look_and_not_beyond_the_last() -> None:
    steps = {rounds: case(0.1, 0.2, rounds=rounds).step for rounds in (2, 3, 4, 5, 10, 19, 20, 30)}
    assert steps == {2: 1, 3: 2, 4: 1, 5: 5, 10: 10, 19: 1, 20: 0, 30: 0}


def test_the_rounds_that_a_verdict_takes() -> None:
    assert math.isclose(case(0.1, 0.2).needed, 9)  # an interval half as wide leaves out zero
    assert math.isclose(case(0.0, 0.1, 0.06).needed, 3 * (2.0**2 - 1))  # or every change of 3 %
    assert math.isclose(case(0.02, 0.06).needed, 3 * (2.0**2 - 1))  # if it is 3 % in truth
    assert math.isclose(case(-0.1, 0.2).needed, 9)
    assert case(math.inf, math.inf).needed == 0  # from nothing to something
    # Apart, by 2 % where 3 % count: it only has to be excluded that 3 % are true.
    small = case(0.02, 0.01, 0.035)
    assert not small.suspicious
    assert math.isclose(small.needed, 3 * (1.5**2 - 1))


def test_while_others_wait_it_goes_on_to_two_looks_or_to_a_verdict_in_sight() -> None:
    assert case(0.0, 0.3, 0.3).comes_first, "it had one look"
    assert not case(0.0, 0.3, 0.3, rounds=5).comes_first
    assert case(0.1, 0.15, rounds=5).comes_first, "12 rounds should do"
    assert not case(0.04, 0.4, rounds=5).comes_first, "500 rounds would do"


def test_what_looks_changed_comes_first_and_then_the_fewest_seconds() -> None:
    cases = [
        case(0.001, 0.04, 0.04),  # nearly unchanged
        case(0.10, 0.40),
        case(0.10, 0.20),
        case(0.10, 0.20, seconds=0.5),
        case(0.001, 0.30, 0.30),
    ]
    assert list(next_rounds(cases, 1e9)) == [3, 2, 1, 0, 4]


def test_time_is_kept_back_for_what_looks_changed() -> None:
    """Its verdict is expected after 12 rounds, that is at the look of 20: 17 s are for it."""
    changed, other = case(0.1, 0.2), case(0.0, 0.2, 0.2)
    assert changed.aim == 17
    assert next_rounds([other, changed], 18.0) == {1: 2}
    assert next_rounds([other, changed], 19.0) == {1: 2, 0: 2}
    assert next_rounds([other, changed], 10.0) == {1: 2}
    assert next_rounds([other, changed], 1.9) == {}
    assert next_rounds([other, changed], -5.0) == {}
    dear, cheap = case(0.1, 0.2, rounds=10, seconds=2.0), case(0.1, 0.2, seconds=0.1)
    assert next_rounds([dear, cheap], 5.0) == {1: 2}


def test_without_any_interval_a_step_is_granted_last_and_nothing_kept_back() -> None:
    unknown = case(0.1, math.inf, math.inf, rounds=2)
    assert (unknown.needed, unknown.aim) == (math.inf, 1)
    assert next_rounds([unknown, case(0.1, 0.2)], 100.0) == {1: 2, 0: 1}
    assert next_rounds([case(0.04, math.inf, math.inf, min_change=0.03, rounds=20)], 100.0) == {}
    # A threshold of zero is no division by zero.
    assert case(0.0, 0.1, min_change=0.0).needed == math.inf
    assert next_rounds([case(0.0, 0.1, min_change=0.0)], 10.0) == {0: 2}

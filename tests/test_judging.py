"""The judgement of two results."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from steady.compare import Change, Comparison, Estimate, Ledger, Missing, Outcome
from steady.errors import InputError
from steady.judging import DEFAULT, Accepted, Evidence, judge, parse_fail_on
from steady.model import Identity, Suite
from steady.settings import RepoSettings
from steady.settings.repo_settings import Acceptance
from tests.looped import looped
from tests.report.from_comparison import reasons_to_fail

TODAY = date(2026, 11, 21)


def suite(seed: int, factor: float = 1.0) -> Suite:
    """Return low-noise results of two benchmarks, the first multiplied by a factor."""
    random = np.random.default_rng(seed)
    slow, same = 1 + 0.001 * random.standard_normal((2, 5, 10))
    values = {"org.example.Bench.slow": factor * slow, "org.example.Bench.same": same}
    return Suite.of(values, unit="ns/op")


EVIDENCE = Evidence(base=suite(1), head=suite(2, 1.2), today=TODAY)
ACCEPTED = Acceptance("Bench.slow", "checks its input", expires=TODAY)


def nobody() -> Accepted:
    raise AssertionError("asked although there is nothing to accept")


def test_acceptances_are_requested_only_for_remaining_regressions() -> None:
    assert judge(replace(EVIDENCE, head=suite(2)), nobody).verdict == "unchanged"
    settings = RepoSettings(accepted=(ACCEPTED,))
    assert judge(replace(EVIDENCE, settings=settings), nobody).verdict == "accepted"
    with pytest.raises(AssertionError, match="asked"):
        judge(EVIDENCE, nobody)


def test_acceptances_apply_and_invalid_commands_are_remarks() -> None:
    assert judge(EVIDENCE).verdict == "regression"
    comparison = judge(EVIDENCE, lambda: ((ACCEPTED,), ("a command that cannot be read",)))
    assert comparison.verdict == "accepted"
    assert comparison.remarks == ("a command that cannot be read",)
    other = replace(ACCEPTED, pattern="Bench.other")
    comparison = judge(EVIDENCE, lambda: ((other,), ()))
    assert comparison.verdict == "regression"
    assert comparison.remarks == ("no benchmark matches Bench.other",)
    one_of_several = replace(EVIDENCE, all_suites=False)
    assert judge(one_of_several, lambda: ((other,), ())).remarks == (), (
        "the acceptance may be for another suite"
    )


def test_a_run_is_not_compared_with_itself() -> None:
    with pytest.raises(InputError, match="base and head contain identical measurements"):
        judge(replace(EVIDENCE, head=EVIDENCE.base))


# The conditions that fail a job.

SLOW = Identity("B.slow")
GONE = Identity("B.gone")


def comparison(
    *,
    slower: bool = False,
    missing: bool = False,
    comparable: bool = True,
    outcome: Outcome = "unchanged",
) -> Comparison:
    side = Estimate(1.0, 0.9, 1.1, 3, 30)
    change = Change(SLOW, "ns/op", "lower", side, side, "regression" if slower else outcome, 0.03)
    gaps = (Missing(GONE, "head", "no result"),) if missing else ()
    return Comparison((change,), Ledger((SLOW,), missing=gaps), comparable=comparable)


@looped(
    ("found", "asked", "reasons"),
    [
        (comparison(), DEFAULT, ()),
        (comparison(slower=True), DEFAULT, ("regression",)),
        (comparison(missing=True), DEFAULT, ("incomplete",)),
        (comparison(comparable=False), DEFAULT, ("not-comparable",)),
        # Unclear benchmarks fail a job only on request.
        (comparison(outcome="unclear"), DEFAULT, ()),
        (comparison(outcome="unclear"), "regression,unclear", ("unclear",)),
        (comparison(), "unclear", ()),
        # A regression does not hide missing benchmarks.
        (comparison(slower=True, missing=True), DEFAULT, ("regression", "incomplete")),
        (comparison(slower=True, missing=True), "incomplete", ("incomplete",)),
        # Without a verdict there is no regression, and an empty comparison does not pass.
        (comparison(slower=True, comparable=False), "regression", ()),
        (Comparison((), Ledger(())), DEFAULT, ("incomplete",)),
    ],
)
def test_each_condition_is_independent(
    found: Comparison, asked: str, reasons: tuple[str, ...]
) -> None:
    assert reasons_to_fail(found, parse_fail_on(asked)) == reasons


def test_never_excludes_other_conditions() -> None:
    assert parse_fail_on(" never ") == frozenset()
    for text in ("never,regression", "", "red", ","):
        with pytest.raises(InputError, match="fail-on is"):
            parse_fail_on(text)

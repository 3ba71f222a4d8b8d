"""The steps between two results and a verdict, and what each of them is asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from steady.compare import Acceptance
from steady.errors import InputError
from steady.judging import Accepted, Evidence, judge
from steady.model import Benchmark, Identity, Level, Suite
from steady.settings import RepoSettings

TODAY = date(2026, 11, 21)
SLOW, SAME = (Identity(f"org.example.Bench.{name}") for name in ("slow", "same"))


def suite(seed: int, factor: float = 1.0) -> Suite:
    """Return quiet results of two benchmarks, the first of them times a factor."""
    random = np.random.default_rng(seed)
    return Suite(
        tuple(
            Benchmark(
                identity,
                "ns/op",
                level * (1 + 0.001 * random.standard_normal((5, 10))),
                (Level("fork"), Level("iteration")),
            )
            for identity, level in ((SLOW, 100.0 * factor), (SAME, 100.0))
        )
    )


EVIDENCE = Evidence(base=suite(1), head=suite(2, 1.2), today=TODAY)
ACCEPTED = Acceptance("Bench.slow", "checks its input", expires=TODAY)


def nobody() -> Accepted:
    raise AssertionError("asked although there is nothing to accept")


def test_maintainers_are_asked_only_about_a_regression_that_is_left() -> None:
    assert judge(replace(EVIDENCE, head=suite(2)), nobody).verdict == "unchanged"
    settings = RepoSettings(accepted=(ACCEPTED,))
    assert judge(replace(EVIDENCE, settings=settings), nobody).verdict == "accepted"
    with pytest.raises(AssertionError, match="asked"):
        judge(EVIDENCE, nobody)


def test_what_maintainers_accept_counts_and_their_mistakes_are_remarks() -> None:
    assert judge(EVIDENCE).verdict == "regression"
    comparison = judge(EVIDENCE, lambda: ((ACCEPTED,), ("a command that cannot be read",)))
    assert comparison.verdict == "accepted"
    assert comparison.remarks == ("a command that cannot be read",)
    other = replace(ACCEPTED, pattern="Bench.other")
    comparison = judge(EVIDENCE, lambda: ((other,), ()))
    assert comparison.verdict == "regression"
    assert comparison.remarks == ("no benchmark matches Bench.other",)
    one_of_several = replace(EVIDENCE, all_suites=False)
    assert judge(one_of_several, lambda: ((other,), ())).remarks == (), "it may be another's"


def test_a_run_is_not_compared_with_itself() -> None:
    with pytest.raises(InputError, match="base and head hold the same measurements"):
        judge(replace(EVIDENCE, head=EVIDENCE.base))

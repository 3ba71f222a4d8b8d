"""What another run adds to an expected error: an allowance, by harness."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import steady
from steady.optimize import optimize
from steady.report.plan_report import receipt


@pytest.mark.parametrize(("harness", "says"), [("jmh", "0.33 times"), ("go", "1 times")])
def test_errors_allow_for_another_run_and_the_receipt_says_so(harness: str, says: str) -> None:
    random = np.random.default_rng(0)
    values = np.exp(0.02 * random.standard_normal((5, 1)) + 0.001 * random.standard_normal((5, 30)))
    suite = steady.Suite.of({"parse": values}, unit="ns/op", iteration_seconds=1.0)
    plan = optimize(replace(suite, harness=harness))
    [entry] = plan.benchmarks
    spread = np.std(np.log(np.median(values[:, entry.warmup :], axis=1)), ddof=1)
    ratio = 1 / 3 if harness == "jmh" else 1.0
    assert entry.expected_error == pytest.approx(spread * np.hypot(5**-0.5, ratio), rel=0.25)
    assert f"allows {says} the spread between forks for another run" in receipt(plan)

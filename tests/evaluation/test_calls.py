"""Calls counted against the truth: hand-computed values."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation._calls import Calls


def test_calls_are_counted_by_truth() -> None:
    called = np.array([True, True, True, False, False, True])
    truth = np.array([True, True, False, True, False, True])
    calls = Calls.of(called, truth)
    assert calls == Calls(3, 1, 1, 1)
    assert calls.agreements == 4
    assert calls.balanced_accuracy == pytest.approx((3 / 4 + 1 / 2) / 2)
    assert calls.correlation == pytest.approx((3 * 1 - 1 * 1) / np.sqrt(4 * 4 * 2 * 2))

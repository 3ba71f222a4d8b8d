"""How far onset agrees with people: counts by hand, and draws of projects that must vary."""

from __future__ import annotations

import math

import numpy as np

from evaluation._onset_people import agreement, likely_range, passes_table


def test_agreement_is_a_share_and_a_correlation() -> None:
    steady = np.array([True, True, False, False])
    label = np.array([True, False, False, False])
    share, mcc = agreement(steady, label)
    # One of each call but a false negative: (1 * 2 - 1 * 0) / sqrt(2 * 1 * 3 * 2).
    assert share == 0.75
    assert math.isclose(mcc, 2 / math.sqrt(12))
    assert agreement(np.array([True] * 4), label) == (0.25, 0.0)
    assert agreement(steady, np.array([True] * 4)) == (0.5, 0.0)


def test_series_are_counted_by_the_passes_that_agree_with_their_label() -> None:
    label = np.array([True, True, False, False, True])
    steady = np.array([True, False, False, True, False])
    passes = np.array([[True, True, False, True, False], [True, False, False, True, False]])
    assert passes_table(steady, label, passes)[2:] == [
        "| 2 | 2 | 0.500 | 1.000 | 1.000 |",
        "| 1 | 1 | 1.000 | 0.000 | 0.000 |",
        "| 0 | 2 | 0.500 | 0.000 | -1.000 |",
    ]


def test_other_projects_vary_the_figures() -> None:
    label = np.tile([True, False], 40)
    steady = label.copy()
    steady[:20] = True  # one project of four, in which half of the calls are wrong
    project = np.repeat(["a", "b", "c", "d"], 20)
    (low, low_mcc), (high, high_mcc) = likely_range(steady, label, project, draws=400)
    # It is drawn 0 to 4 times, and 1 - its count / 8 agree; in a quarter of draws it is 2 or more.
    assert 0.5 <= low <= 0.75
    assert high == 1.0
    assert low_mcc < high_mcc == 1.0
    same = likely_range(label, label, project, draws=20)
    assert np.all(same == 1.0)

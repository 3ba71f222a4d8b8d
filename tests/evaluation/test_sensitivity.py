"""Many settings of KB-KSSD at once against the detector itself."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation._kb_kssd_settings import UNSTEADY, Settings, steady_starts
from evaluation._onset_settings import called_steady
from steady.model import FloatArray
from steady.papers.onset import onset
from steady.steadystate import kb_kssd
from tests.looped import looped


def _series(kind: str) -> FloatArray:
    random = np.random.default_rng(7)
    values = 1 + 0.05 * random.standard_normal(1200)
    if kind == "step":
        values[:300] += 0.4
    elif kind == "cycle":
        values += 0.3 * np.sin(np.arange(1200) / 60)
    elif kind == "outliers":
        values[random.integers(1200, size=80)] *= 5
    elif kind == "late":
        values[:1198] += 2
    return values


KINDS = ("flat", "step", "cycle", "outliers", "late")


@looped("kind", KINDS)
def test_settings_find_what_the_detector_finds(kind: str) -> None:
    random = np.random.default_rng(11)
    count = 60
    given = {
        "outlier_window": random.integers(80, 121, count),
        "step_window": random.integers(50, 91, count),
        "probability_window": random.integers(200, 601, count),
        "t_crit": random.uniform(1, 5, count),
        "probability": random.uniform(0.75, 1, count),
    }
    starts = [
        kb_kssd(_series(kind), **{name: values[row].item() for name, values in given.items()}).start
        for row in range(count)
    ]
    expected = [UNSTEADY if start is None else start for start in starts]
    assert steady_starts(_series(kind), Settings(**given)).tolist() == expected


def test_own_settings_call_steady_what_the_detector_does() -> None:
    series = [_series(kind) for kind in KINDS]
    probability, level_p = np.array([0.2, 0.5, 0.7, 0.95]), np.array([0.001, 0.3, 0.01, 0.9])
    expected = [
        [
            onset(values, probability=float(c), level_p=float(p)).start is not None
            for c, p in zip(probability, level_p, strict=True)
        ]
        for values in series
    ]
    found = called_steady(series, probability, level_p).tolist()
    assert found == expected
    assert {True, False} == {one for row in found for one in row}


def test_the_document_is_the_same_twice() -> None:
    sensitivity = pytest.importorskip("evaluation.sensitivity", exc_type=ImportError)
    series = [_series("step"), _series("outliers"), _series("cycle")]
    label = np.array([300, 10, -1])
    one = sensitivity.document(series, label, 2, 1)
    assert one == sensitivity.document(series, label, 2, 1)
    words = " ".join(one.split())
    assert "from 24 samples, on 2 series" in words
    assert "all 3 labels, from 12 samples" in words

"""The tables about the end of the warm-up, from series whose level is known."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation import warm_up
from evaluation._kb_kssd_settings import UNSTEADY, Settings, steady_starts
from evaluation._onset_settings import called_steady
from evaluation.warm_up import Fork, chosen_elsewhere, cold_table, judged, still_to_come
from steady.model import FloatArray
from steady.papers.onset import onset
from steady.papers.stops import FlatStop
from steady.steadystate import kb_kssd
from tests.looped import looped

# The table of warm-ups, from forks whose level is known.


ITERATIONS = 320


def fork(project: str, fall: float, seed: int = 1) -> Fork:
    noise = np.exp(0.002 * np.random.default_rng(seed).standard_normal(ITERATIONS))
    times = noise * (1 + 9 * np.exp(-np.arange(ITERATIONS) / max(fall, 1e-9)))
    seconds = np.linspace(0.1, 0.1 * ITERATIONS, ITERATIONS)
    return Fork(project, np.asarray(times, dtype=np.float64), seconds, 1.0)


def test_what_is_level_is_warm_after_three_seconds() -> None:
    found = judged([fork("a", 0.5), fork("a", 100.0)], FlatStop)
    assert found.seconds[0] == pytest.approx(3.0)
    assert found.off[0] < 0.01
    assert found.seconds[1] == np.inf
    assert found.worth(6.0) == 1.0


def test_a_tolerance_is_chosen_on_other_projects() -> None:
    forks = [fork(project, 20.0, seed) for seed, project in enumerate("abcdef")]
    by_tolerance = {
        tolerance: judged(forks, partial(FlatStop, tolerance=tolerance))
        for tolerance in (0.02, 0.9)
    }
    found, choices = chosen_elsewhere(forks, by_tolerance)
    assert choices == [0.02] * 5
    assert np.array_equal(found.seconds, by_tolerance[0.02].seconds)


def test_what_cold_forks_still_change_is_a_factor_of_their_ratio() -> None:
    falls = {"p#fast": 0.5, "p#slow": 80.0, "p#slower": 200.0}
    forks = [
        replace(fork(name, fall, seed), name=name)
        for name, fall in falls.items()
        for seed in range(3)
    ]
    assert np.isnan(still_to_come(forks[0]))
    slow, slower = (1 + 9 * np.exp(-70.5 / fall) for fall in (80.0, 200.0))
    assert still_to_come(forks[3]) == pytest.approx(np.log(slow), abs=0.02)
    (row,) = cold_table(forks).rows
    assert row[0] == "1"
    assert float(str(row[1])) == pytest.approx(slower / slow, abs=0.05)
    assert row[-1] == "0"
    (row,) = cold_table(forks[:6]).rows
    assert row[0] == "0"


def test_the_command_prints_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up, "METHODS", ("flat", "georges"))
    folder = tmp_path / "jmh-steady"
    (folder / "series").mkdir(parents=True)
    series = 0.001 * np.stack([[fork("p", fall).times] * 2 for fall in (0.5, 1.0)])
    planes = np.moveaxis(
        np.ascontiguousarray(series).view(np.uint8).reshape(*series.shape, 8), -1, 0
    )
    np.savez(folder / "series" / "p.npz", benchmark=np.array(["p#a", "p#b"]), planes=planes)
    with (folder / "cpssd.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["benchmark", "fork", "cp_ssd_start"])
        writer.writerows([name, number, 20] for name in ("p#a", "p#b") for number in range(2))
    assert warm_up.main([str(tmp_path), "--forks", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("4 steady forks. Tolerances chosen by the folds: 2 %")
    assert "| `flat`, 2 % | 100 | 0 | 0 | 100 | 0 | 0 |" in printed
    shown, _ = warm_up.table([fork("a", 1.0)])
    assert len(shown.rows) == 3 + len(warm_up.TOLERANCES)


# Many settings of KB-KSSD at once against the detector itself.


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
    given: dict[str, Any] = {
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

"""Effect of longer training of the networks: one fold, trained in several ways.

This module defines the files of the trials; ``evaluation/train_longer.py`` trains them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation._markdown import Table, number, paragraph, percent
from evaluation._stopper_calls import Judged
from evaluation._stopper_data import FOLDS, IntArray
from evaluation._stopper_quality import (
    ITERATIONS,
    Balance,
    Configuration,
    Judge,
    stopped_like,
)
from steady.papers.stopping import LONGEST, WINDOW, Float32Array

TRIAL_FOLD = 0
"""The fold that every trial leaves out."""

SEED = 20240916


@dataclass(frozen=True, slots=True)
class Schedule:
    """Training schedule of a network.

    Parameters
    ----------
    windows : int
        Number of random windows per fork and epoch; the authors use all 100.
    epochs : int
        Number of epochs; the authors train for up to 500.
    seed : int
        Seed of the initial weights and draws.
    """

    windows: int = 4
    epochs: int = 6
    seed: int = SEED


@dataclass(frozen=True, slots=True)
class Way:
    """A training variant, with its name in the table."""

    title: str
    schedule: Schedule


WAYS = {
    "shipped": Way("as shipped", Schedule()),
    "epochs": Way("twice the epochs", Schedule(epochs=12)),
    "windows": Way("twice the windows", Schedule(windows=8)),
    "both": Way("both", Schedule(windows=8, epochs=12)),
    "seed": Way("as shipped, another seed", Schedule(seed=SEED + 1)),
}
"""Training variants by file name suffix."""


@dataclass(frozen=True, eq=False)
class Trial:
    """Predictions of a network for `TRIAL_FOLD`.

    Parameters
    ----------
    judged : Judged
        Predictions for labelled windows; its stops are empty.
    live : ndarray of float32, shape (benchmarks of the fold, forks, LONGEST)
        Scores of the windows that a live stop evaluates; NaN if the fork is not run.
    """

    judged: Judged
    live: Float32Array

    def stops(self, folds: IntArray, threshold: float) -> IntArray:
        """Return the number of warm-up iterations of each fork, or -1 outside the fold."""
        stable = self.live >= threshold
        first = np.where(stable.any(axis=2), stable.argmax(axis=2), LONGEST)
        stops = np.full((len(folds), self.live.shape[1]), -1)
        stops[folds == TRIAL_FOLD] = first
        return stops

    def threshold_of_recall(self, recall: float) -> float:
        """Return the threshold with this recall on the fold's stable windows."""
        return float(np.quantile(self.judged.scores[self.judged.stable], 1 - recall))

    def save(self, folder: Path, name: str) -> None:
        """Write the predictions to two files."""
        self.judged.save(folder / f"{name}.npz")
        np.savez_compressed(folder / f"{name}-live.npz", live=self.live)

    @classmethod
    def load(cls, folder: Path, name: str) -> Trial:
        """Read what `save` has written."""
        with np.load(folder / f"{name}-live.npz") as stored:
            return cls(Judged.load(folder / f"{name}.npz"), stored["live"])


def trial_name(model: str, way: str) -> str:
    """Return the name of a trial's files."""
    return f"{model}-longer-{way}"


def read_trials(folder: Path, model: str) -> dict[str, Trial]:
    """Return the existing trials of a model, by training variant."""
    names = {way: trial_name(model, way) for way in WAYS}
    return {
        way: Trial.load(folder, name)
        for way, name in names.items()
        if (folder / f"{name}-live.npz").exists()
    }


RECALLS = (0.8, 0.7, 0.6, 0.5, 0.4)
"""Header of the table of thresholds."""


class TrialBench:
    """Comparison of trials with the developers' configurations (SOP), on `TRIAL_FOLD`.

    Parameters
    ----------
    judge : Judge
        Data and truth.
    baseline : Configuration
        Configurations of the developers.
    """

    def __init__(self, judge: Judge, baseline: Configuration) -> None:
        self.judge, self.baseline = judge, baseline
        self.rows = judge.forks.folds == TRIAL_FOLD
        used = baseline.used & self.rows[:, np.newaxis]
        self.own = Configuration(baseline.starts, baseline.stops, baseline.known, used)
        self.theirs = judge.judge(self.own)[self.rows]

    def too_late(self, stops: IntArray) -> float:
        """Return the fraction of steady forks whose warm-up is stopped too late."""
        which = self.own.used & self.judge.steady
        return float(np.mean((stops > self.judge.forks.starts + 1)[which]))

    def balances(self, stops: IntArray) -> tuple[Balance, Balance]:
        """Return the balance by the authors' definition of time, and the true one."""
        own = self.judge.judge(stopped_like(self.baseline, stops))[self.rows]
        ends = np.clip(stops + WINDOW, 0, ITERATIONS)
        counted = np.where(self.own.used, self.judge.after(ends), 0).sum(axis=1)[self.rows]
        return Balance.of(own, self.theirs, counted), Balance.of(own, self.theirs)

    def net_cells(self, trial: Trial, threshold: float) -> list[str]:
        """Return the net improvement by both definitions."""
        balances = self.balances(trial.stops(self.judge.forks.folds, threshold))
        return [percent(balance.net, 1) for balance in balances]


def trial_section(
    trials: Mapping[str, Mapping[str, Trial]],
    titles: Mapping[str, str],
    recalls: Mapping[str, float],
    bench: TrialBench,
) -> Iterator[str | Table]:
    """Yield the effects of longer training and of the threshold.

    Parameters
    ----------
    trials : dict of str to dict of str to Trial
        Trials by model and training variant.
    titles : dict of str to str
        Titles of the models in the tables.
    recalls : dict of str to float
        Published recall of each model.
    bench : TrialBench
        Comparison of the trials.
    """
    size = int(np.count_nonzero(bench.rows))
    yield paragraph(
        f"""This section tests whether longer training helps. Each network was trained in several
        ways with the same fold held out ({TRIAL_FOLD} of {FOLDS}, counted from 0; {size}
        benchmarks). *As shipped*: {Schedule().epochs} epochs of {Schedule().windows} windows of
        each fork. Twice the windows need as many steps as twice the epochs. *Net* is the net
        improvement over the developers' configuration (SOP), as published. *Net at the published
        recall*: the threshold gives the recall on this fold that the paper's table 2 reports. It is
        chosen with the true labels of the fold, so this column only compares the networks without
        their own thresholds."""
    )
    header = (
        "model", "training", "recall", "balanced accuracy", "area under curve", "net",
        "net at the published recall",
    )  # fmt: skip
    yield Table(header, list(_ways(trials, titles, recalls, bench)), texts=2, grouped=True)
    yield paragraph(
        """The threshold has a larger influence than the training. It is tuned on a quarter of the
        benchmarks, where a wide range of thresholds is nearly as good as the best one. The next
        table shows, for the networks as shipped, the results of thresholds that find these shares
        of the fold's stable windows. A stricter threshold stops later, and its results are
        better."""
    )
    thresholds = ("model", "recall", "threshold", "too late, %", "net", "truly: net")
    yield Table(thresholds, list(_thresholds(trials, titles, bench)), grouped=True)


def _ways(
    trials: Mapping[str, Mapping[str, Trial]],
    titles: Mapping[str, str],
    recalls: Mapping[str, float],
    bench: TrialBench,
) -> Iterator[Sequence[str]]:
    for model, ways in trials.items():
        for way, trial in ways.items():
            judged = trial.judged
            calls = judged.calls()
            cells = (calls.sensitivity, calls.balanced_accuracy, judged.area)
            yield (
                titles[model],
                WAYS[way].title,
                *(number(value, 3) for value in cells),
                bench.net_cells(trial, judged.threshold)[0],
                bench.net_cells(trial, trial.threshold_of_recall(recalls[model]))[0],
            )


def _thresholds(
    trials: Mapping[str, Mapping[str, Trial]], titles: Mapping[str, str], bench: TrialBench
) -> Iterator[Sequence[str]]:
    for model, ways in trials.items():
        for recall in RECALLS if "shipped" in ways else ():
            threshold = ways["shipped"].threshold_of_recall(recall)
            stops = ways["shipped"].stops(bench.judge.forks.folds, threshold)
            yield (
                titles[model],
                number(recall, 1),
                number(threshold, 2),
                percent(bench.too_late(stops), 1),
                *bench.net_cells(ways["shipped"], threshold),
            )

"""What longer training would gain the networks: one fold, trained in several ways.

Here is what the trials write and the document reads; ``evaluation/train_longer.py`` trains them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation._markdown import Table, number, paragraph, percent
from evaluation._stopper_calls import Judged
from evaluation._stopper_data import FOLDS, IntArray
from evaluation._stopper_quality import Balance, Configuration, Judge, stopped_like
from steady.model import FloatArray
from steady.steadystate._learned import LONGEST, WINDOW

TRIAL_FOLD = 0
"""The fold that every trial leaves out."""

SEED = 20240916


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long a network learns.

    Parameters
    ----------
    windows : int
        Windows of each fork that an epoch learns from, drawn anew; the authors take all 100.
    epochs : int
        The authors train for up to 500.
    seed : int
        Of first weights and of draws.
    """

    windows: int = 4
    epochs: int = 6
    seed: int = SEED


@dataclass(frozen=True, slots=True)
class Way:
    """A way to train, as the table names it."""

    title: str
    schedule: Schedule


WAYS = {
    "shipped": Way("as shipped", Schedule()),
    "epochs": Way("twice the epochs", Schedule(epochs=12)),
    "windows": Way("twice the windows", Schedule(windows=8)),
    "both": Way("both", Schedule(windows=8, epochs=12)),
    "seed": Way("as shipped, another seed", Schedule(seed=SEED + 1)),
}
"""By the ends of the names of their files."""


@dataclass(frozen=True, eq=False)
class Trial:
    """What a network says of `TRIAL_FOLD`.

    Parameters
    ----------
    judged : Judged
        What it says of labelled windows; its stops are not filled in.
    live : ndarray of float32, shape (benchmarks of the fold, forks, LONGEST)
        Scores of the windows that a live stop looks at. NaN: nobody runs this fork.
    """

    judged: Judged
    live: FloatArray

    def stops(self, folds: IntArray, threshold: float) -> IntArray:
        """Return after how many iterations each fork stops; -1 outside the fold."""
        stable = self.live >= threshold
        first = np.where(stable.any(axis=2), stable.argmax(axis=2), LONGEST)
        stops = np.full((len(folds), self.live.shape[1]), -1)
        stops[folds == TRIAL_FOLD] = first
        return stops

    def threshold_of_recall(self, recall: float) -> float:
        """Return the threshold that finds this share of the fold's stable windows."""
        return float(np.quantile(self.judged.scores[self.judged.stable], 1 - recall))

    def save(self, folder: Path, name: str) -> None:
        """Write all to two files."""
        self.judged.save(folder / f"{name}.npz")
        np.savez_compressed(folder / f"{name}-live.npz", live=self.live.astype(np.float32))

    @classmethod
    def load(cls, folder: Path, name: str) -> Trial:
        """Read what `save` has written."""
        with np.load(folder / f"{name}-live.npz") as stored:
            return cls(Judged.load(folder / f"{name}.npz"), stored["live"])


def trial_name(model: str, way: str) -> str:
    """Return the name of a trial's files."""
    return f"{model}-longer-{way}"


def read_trials(folder: Path, model: str) -> dict[str, Trial]:
    """Return the trials of a model that are there, by the names of their ways."""
    names = {way: trial_name(model, way) for way in WAYS}
    return {
        way: Trial.load(folder, name)
        for way, name in names.items()
        if (folder / f"{name}-live.npz").exists()
    }


def trial_section(
    trials: Mapping[str, Mapping[str, Trial]],
    titles: Mapping[str, str],
    recalls: Mapping[str, float],
    judge: Judge,
    baseline: Configuration,
) -> Iterator[str | Table]:
    """Yield what longer training gains.

    Parameters
    ----------
    trials : dict of str to dict of str to Trial
        By model and way.
    titles : dict of str to str
        How the table calls each model.
    recalls : dict of str to float
        The published share of stable windows that each model finds.
    judge : Judge
        Knows the data.
    baseline : Configuration
        What developers run.
    """
    size = int(np.count_nonzero(judge.forks.folds == TRIAL_FOLD))
    yield paragraph(
        f"""What longer training would gain: the same fold ({TRIAL_FOLD} of {FOLDS}, counted from
        0; {size} benchmarks) left out, and each network trained in several ways. *As shipped* is
        {Schedule().epochs} epochs of {Schedule().windows} windows of each fork; twice the windows
        and twice the epochs are the same number of steps. *Net* is against the developers'
        configuration (SOP), in the authors' account. *Net at the published recall*: the threshold
        is the one that finds as many stable windows of this fold as the paper's table 2 says; it
        knows the truth, so it only shows how much depends on the threshold. Another seed shows
        what chance does: a gain that is no larger is not one."""
    )
    rows = judge.forks.folds == TRIAL_FOLD
    theirs = judge.judge(_only(baseline, rows))[rows]

    def net(trial: Trial, threshold: float) -> str:
        stops = trial.stops(judge.forks.folds, threshold)
        own = judge.judge(stopped_like(baseline, stops))[rows]
        seconds = judge.after(np.clip(stops + WINDOW, 0, judge.elapsed.shape[2] - 1))
        counted = np.where(baseline.used, seconds, 0).sum(axis=1)[rows]
        return percent(Balance.of(own, theirs, counted).net, 1)

    table = []
    for model, ways in trials.items():
        for way, trial in ways.items():
            judged = trial.judged
            calls = judged.calls()
            cells = (calls.sensitivity, calls.balanced_accuracy, judged.area)
            row: Sequence[str] = (
                titles[model],
                WAYS[way].title,
                *(number(value, 3) for value in cells),
                net(trial, judged.threshold),
                net(trial, trial.threshold_of_recall(recalls[model])),
            )
            table.append(row)
    header = (
        "model", "training", "recall", "balanced accuracy", "area under curve", "net",
        "net at the published recall",
    )  # fmt: skip
    yield Table(header, table, texts=2, grouped=True)


def _only(configuration: Configuration, rows: IntArray) -> Configuration:
    """Return a configuration that runs some benchmarks alone."""
    used = configuration.used & rows[:, np.newaxis]
    return Configuration(configuration.starts, configuration.stops, configuration.known, used)

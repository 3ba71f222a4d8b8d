"""Train FCN and OSCNN on the windows of the jmh-steady data, in an hour on one processor.

Usage: python -m evaluation.train_networks DATA [--output FOLDER] [--only NAME ...] [--fits FIT ...]

DATA is the folder that holds jmh-steady. Writes each fit, and its predictions for held-out
benchmarks, to FOLDER (default: build/stoppers); existing fits are kept, so an interrupted training
can be resumed. A FIT is the number of the held-out fold, the same with the prefix ``projects-`` for
folds of whole projects, or ``all``. The fit to all data is written to ``src/steady/papers/fcn.npz``
and ``oscnn.npz``. Requires PyTorch (requirements-training.txt).
"""

from __future__ import annotations

import argparse
import copy
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from evaluation._stopper_calls import NO_STOPS, Judged, stops, youden_threshold
from evaluation._stopper_data import (
    FOLDS,
    PER_CLASS,
    THRESHOLD_WINDOWS,
    BoolArray,
    Forks,
    IntArray,
)
from evaluation._stopper_trials import SEED, Schedule
from evaluation._torch_networks import BATCH, MODELS, Net, TorchScorer
from evaluation.train_rocket import OUTPUT, Clock
from steady.papers.stopping import Classifier, Float32Array, Scorer
from steady.papers.window_classifiers import Network

PACKAGE = Path(__file__).parent.parent / "src" / "steady" / "papers"

FORK_WINDOWS = 2 * PER_CLASS
RATE = 1e-3
"""Initial learning rate; cosine decay makes a few epochs converge."""
SCORED = 4
"""Sampling interval of the windows in held-out folds."""

ALL = "all"
PROJECTS = "projects-"
FITS = (ALL, *map(str, range(FOLDS)), *(f"{PROJECTS}{fold}" for fold in range(FOLDS)))


@dataclass(frozen=True, eq=False)
class Windows:
    """All labelled windows; the 100 of a fork are adjacent.

    Parameters
    ----------
    values : ndarray of float32, shape (windows, 100)
    stable : ndarray of bool, shape (windows,)
    benchmark : ndarray of int, shape (windows,)
    """

    values: Float32Array
    stable: BoolArray
    benchmark: IntArray

    @classmethod
    def of(cls, forks: Forks) -> Windows:
        """Cut them out of all forks."""
        parts = [forks.labelled(benchmark) for benchmark in range(len(forks.benchmarks))]
        benchmark = np.repeat(np.arange(len(parts)), [len(stable) for _, stable in parts])
        values, stable = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(values, stable, benchmark)

    def drawn(
        self, which: BoolArray, count: int, random: np.random.Generator
    ) -> npt.NDArray[np.intp]:
        """Return `count` rows of each fork of these benchmarks, in random order."""
        begins = np.flatnonzero(which[self.benchmark[::FORK_WINDOWS]]) * FORK_WINDOWS
        places = random.random((len(begins), FORK_WINDOWS)).argsort(axis=1)[:, :count]
        return random.permutation((begins[:, np.newaxis] + places).ravel())


@dataclass(frozen=True, slots=True)
class Fold:
    """Held-out and training benchmarks of a fit."""

    learnt: BoolArray
    aside: BoolArray
    """Validation set among the training benchmarks, for epoch and threshold."""

    @classmethod
    def of(cls, forks: Forks, fold_of: IntArray, fold: int | None) -> Fold:
        """Hold out a fold; None for none."""
        learnt = np.ones(len(forks.benchmarks), np.bool_) if fold is None else fold_of != fold
        return cls(learnt, forks.validation(learnt))

    @property
    def left_out(self) -> BoolArray:
        """The held-out benchmarks."""
        return ~self.learnt


def train(
    name: str,
    windows: Windows,
    fold: Fold,
    tell: Callable[[str], None],
    schedule: Schedule,
) -> Net:
    """Train a network, and return that of the epoch with the least validation loss.

    Parameters
    ----------
    name : str
        A name in `MODELS`.
    windows : Windows
        The data.
    fold : Fold
        Training and validation benchmarks.
    tell : callable
        Function called with a line for each epoch.
    schedule : Schedule
        Training schedule.
    """
    torch.manual_seed(schedule.seed)
    random = np.random.default_rng(schedule.seed)
    count, epochs = schedule.windows, schedule.epochs
    learnt = fold.learnt & ~fold.aside
    make, loss = MODELS[name]
    net = make()
    chosen_by = windows.drawn(fold.aside, count, random)
    steps = len(windows.drawn(learnt, count, np.random.default_rng(SEED))) // BATCH
    optimizer = torch.optim.Adam(net.parameters(), lr=RATE)
    falling = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * steps)
    best, least = net, np.inf
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for rows in _batches(windows.drawn(learnt, count, random), steps):
            optimizer.zero_grad()
            value = loss(*_run(net, windows, rows))
            value.backward()
            optimizer.step()
            falling.step()
            total += value.item()
        net.eval()
        with torch.inference_mode():
            parts = np.array_split(chosen_by, max(1, len(chosen_by) // 1024))
            losses = [loss(*_run(net, windows, rows)).item() * len(rows) for rows in parts]
        now = sum(losses) / len(chosen_by)
        tell(f"epoch {epoch + 1}: {total / steps:.4f}, set aside {now:.4f}")
        if now < least:
            best, least = copy.deepcopy(net), now
    return best


def _run(net: Net, windows: Windows, rows: npt.NDArray[np.intp]) -> tuple[Tensor, Tensor]:
    stable = torch.from_numpy(windows.stable[rows].astype(np.float32))
    values = torch.from_numpy(windows.values[rows])
    with torch.autocast("cpu", torch.bfloat16):
        logits = net(values)
    return logits.float(), stable


def _batches(rows: npt.NDArray[np.intp], steps: int) -> Iterator[npt.NDArray[np.intp]]:
    for step in range(steps):
        yield rows[step * BATCH : (step + 1) * BATCH]


class Job:
    """One fit of a network.

    Parameters
    ----------
    name : str
        A name in `MODELS`.
    fit : str
        One of `FITS`.
    output : Path
        Output folder.
    """

    def __init__(self, name: str, fit: str, output: Path) -> None:
        self.name, self.fit = name, fit
        self.title = f"{name}-{fit}"
        self.file = output / f"{self.title}.npz"

    def run(self, forks: Forks, windows: Windows, clock: Clock) -> None:
        """Train and predict held-out benchmarks, unless the output exists."""
        if self.file.exists():
            return

        def tell(line: str) -> None:
            clock.tell(f"{self.title}: {line}")

        fold = self._fold(forks)
        net = train(self.name, windows, fold, tell, Schedule())
        if self.fit == ALL:
            network = net.network(0.5)
            network = replace(network, threshold=chosen_threshold(network, forks, fold.aside))
            with self.file.open("wb") as file:
                write_network(network, file)
            shutil.copyfile(self.file, PACKAGE / f"{self.name}.npz")
            tell(f"threshold {network.threshold:.3f}")
            return
        scorer = TorchScorer(net)
        judged = judged_windows(scorer, forks, windows, fold)
        tell(f"threshold {judged.threshold:.3f}, area under curve {judged.area:.3f}")
        if not self.fit.startswith(PROJECTS):
            classifier = Classifier(self.name, scorer, judged.threshold)
            judged = replace(judged, stops=stops(forks, fold.left_out, classifier))
            tell("stopped its forks")
        judged.save(self.file)

    def _fold(self, forks: Forks) -> Fold:
        if self.fit == ALL:
            return Fold.of(forks, forks.folds, None)
        fold_of = forks.project_folds if self.fit.startswith(PROJECTS) else forks.folds
        return Fold.of(forks, fold_of, int(self.fit.removeprefix(PROJECTS)))


def judged_windows(scorer: Scorer, forks: Forks, windows: Windows, fold: Fold) -> Judged:
    """Return the predictions of a fit for labelled windows of its held-out fold."""
    threshold = chosen_threshold(scorer, forks, fold.aside)
    rows = np.flatnonzero(fold.left_out[windows.benchmark])[::SCORED]
    return Judged(windows.stable[rows], scorer.scores(windows.values[rows]), threshold, NO_STOPS)


def chosen_threshold(scorer: Scorer, forks: Forks, aside: BoolArray) -> float:
    """Return the threshold that is optimal on the validation set."""
    parts = [
        forks.at_random(benchmark, THRESHOLD_WINDOWS, SEED)
        for benchmark in np.flatnonzero(aside).tolist()
    ]
    scores = np.concatenate([scorer.scores(values) for values, _ in parts])
    return youden_threshold(scores, np.concatenate([stable for _, stable in parts]))


def options_of_training(description: str) -> argparse.ArgumentParser:
    """Return the options that trainings of networks have in common."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=Path, metavar="DATA", help="holds jmh-steady")
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"default: {OUTPUT}")
    parser.add_argument("--only", nargs="+", choices=MODELS, default=list(MODELS), metavar="NAME")
    return parser


def read_data(folder: Path, output: Path) -> tuple[Forks, Windows]:
    """Return forks and windows, create the output folder, and limit PyTorch to one thread."""
    output.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    forks = Forks.read(folder / "jmh-steady")
    return forks, Windows.of(forks)


def main() -> None:
    """Train all missing fits."""
    parser = options_of_training(__doc__.splitlines()[0])
    parser.add_argument("--fits", nargs="+", choices=FITS, default=FITS, metavar="FIT")
    options = parser.parse_args()
    clock = Clock()
    forks, windows = read_data(options.folder, options.output)
    clock.tell(f"cut {len(windows.stable)} windows")
    for fit in options.fits:
        for name in options.only:
            Job(name, fit, options.output).run(forks, windows, clock)


def write_network(network: Network, file: IO[bytes]) -> None:
    """Write a network in the package's format, with weights in half precision."""
    arrays: dict[str, np.ndarray] = {
        "rule": np.array([*network.coefficients, network.intercept, network.threshold])
    }
    for number, layer in enumerate(network.layers):
        arrays[f"offsets{number}"] = np.array(layer.offsets, dtype=np.int8)
        arrays[f"biases{number}"] = layer.biases
        for tap, weights in enumerate(layer.taps):
            arrays[f"taps{number}_{tap}"] = weights.astype(np.float16)
    np.savez_compressed(file, allow_pickle=False, **arrays)


if __name__ == "__main__":
    main()

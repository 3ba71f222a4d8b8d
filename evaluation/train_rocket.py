"""Train ROCKET, in full, on the windows of the jmh-steady data.

Usage: python -m evaluation.train_rocket DATA [--output FOLDER]

DATA is the folder that holds jmh-steady. Writes the fits with one fold held out, and their
predictions, to FOLDER (default: build/stoppers), and the fit to all data to
``src/steady/papers/rocket.npz``. The same data give the same fits.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from scipy import linalg

from evaluation._stopper_calls import NO_STOPS, Judged, stops, youden_threshold
from evaluation._stopper_data import FOLDS, THRESHOLD_WINDOWS, BoolArray, Forks, IntArray
from steady.model import FloatArray
from steady.papers.stopping import WINDOW, Classifier, Float32Array
from steady.papers.window_classifiers import MODEL_FILE, Kernels, RocketModel

MODEL = Path(__file__).parent.parent / "src" / "steady" / "papers" / MODEL_FILE
OUTPUT = Path("build/stoppers")

SEED = 20240916
KERNELS = 500
LENGTHS = (7, 9, 11)
ALPHA = 1000.0
"""The ridge's penalty: the largest of the authors' ten, which their search took in every fold."""


@dataclass(frozen=True, eq=False)
class Rule:
    """A linear classifier of the features, with its tuned threshold."""

    coefficients: FloatArray
    intercept: float
    threshold: float = 0.0

    def of(self, features: Float32Array) -> FloatArray:
        """Return the score of each window."""
        return np.asarray(features @ self.coefficients + self.intercept)

    def model(self, kernels: Kernels) -> RocketModel:
        """Return it with its kernels."""
        return RocketModel(kernels, self.coefficients, self.intercept, self.threshold)


def random_kernels(seed: int = SEED) -> Kernels:
    """Draw random kernels like the authors of ROCKET."""
    random = np.random.default_rng(seed)
    lengths = random.choice(LENGTHS, KERNELS)
    weights = random.standard_normal((KERNELS, max(LENGTHS)))
    inside = np.arange(max(LENGTHS)) < lengths[:, np.newaxis]
    means = np.sum(weights * inside, axis=1) / lengths
    weights = np.where(inside, weights - means[:, np.newaxis], 0)
    largest = np.log2((WINDOW - 1) / (lengths - 1))
    dilations = (2 ** random.uniform(0, largest)).astype(np.intp)
    padded = random.random(KERNELS) < 0.5
    paddings = np.where(padded, (lengths - 1) * dilations // 2, 0)
    biases = random.uniform(-1, 1, KERNELS).astype(np.float32)
    return Kernels(lengths, dilations, paddings, biases, weights.astype(np.float32))


class Table:
    """Features of windows on disk, with the products that a fit needs, by benchmark.

    Parameters
    ----------
    kernels : Kernels
        Kernels that compute the features.
    windows_of : callable
        Function that returns a benchmark's windows and whether they are stable.
    benchmarks : int
        Number of benchmarks.
    file : Path
        File with the features.
    """

    def __init__(
        self,
        kernels: Kernels,
        windows_of: Callable[[int], tuple[Float32Array, BoolArray]],
        benchmarks: int,
        file: Path,
    ) -> None:
        parts = [windows_of(benchmark)[1] for benchmark in range(benchmarks)]
        self.ends = np.cumsum([len(part) for part in parts])
        self.stable = np.concatenate(parts)
        self.benchmark = np.repeat(np.arange(benchmarks), [len(part) for part in parts])
        shape = (len(self.stable), 2 * len(kernels.lengths))
        self._features = np.lib.format.open_memmap(file, "w+", np.float32, shape)
        for benchmark in range(benchmarks):
            rows = self.rows(benchmark)
            if rows.stop > rows.start:
                self._features[rows] = kernels.features(windows_of(benchmark)[0])

    def rows(self, benchmark: int) -> slice:
        """Return the slice of a benchmark's rows."""
        return slice(int(self.ends[benchmark - 1]) if benchmark else 0, int(self.ends[benchmark]))

    def products(self, benchmarks: Iterable[int]) -> FloatArray:
        """Return the products of all columns of these benchmarks: features, ones, and truth."""
        columns = self._features.shape[1] + 2
        total = np.zeros((columns, columns))
        for benchmark in benchmarks:
            rows = self.rows(benchmark)
            stable = np.where(self.stable[rows], 1.0, -1.0)
            ends = np.stack([np.ones(len(stable)), stable], axis=1)
            block = np.concatenate([self._features[rows], ends], axis=1, dtype=np.float32)
            total += block.T @ block
        return total

    def scores(self, rule: Rule, which: BoolArray) -> tuple[FloatArray, BoolArray]:
        """Return the scores of all windows of some benchmarks, and whether they are stable."""
        rows = [self.rows(benchmark) for benchmark in np.flatnonzero(which).tolist()]
        scores = np.concatenate([rule.of(self._features[one]) for one in rows])
        return scores, np.concatenate([self.stable[one] for one in rows])


def fit(products: FloatArray) -> Rule:
    """Return the ridge classifier for ±1, on standardized features."""
    moments, ones, truth = products[:-2, :-2], products[:-2, -2], products[:-2, -1]
    count, total = products[-2, -2], products[-2, -1]
    means = ones / count
    scatter = moments - count * np.outer(means, means)
    scale = np.sqrt(np.maximum(np.diag(scatter) / count, 0))
    scale[scale == 0] = 1
    penalized = scatter / np.outer(scale, scale) + ALPHA * np.eye(len(scale))
    slopes = linalg.solve(penalized, (truth - total * means) / scale, assume_a="pos") / scale
    return Rule(slopes, float(total / count - means @ slopes))


class Training:
    """Fits to all folds except one, and their predictions for that one.

    Parameters
    ----------
    forks : Forks
        The data.
    labelled, at_random : Table
        Windows for training and evaluation, and for tuning thresholds.
    """

    def __init__(self, forks: Forks, labelled: Table, at_random: Table) -> None:
        self.forks, self.labelled, self.at_random = forks, labelled, at_random

    def rules(self, folds: IntArray) -> tuple[list[Rule], Rule]:
        """Return the classifier of each fold, fitted to the other folds, and that of all data."""
        parts = [self._sum(folds == fold) for fold in range(FOLDS)]
        every = np.sum(parts, axis=0)
        by_others = [self._rule(folds != fold, every - parts[fold]) for fold in range(FOLDS)]
        return by_others, self._rule(np.ones_like(folds, dtype=np.bool_), every)

    def judged(self, rule: Rule, which: BoolArray, stopped: IntArray = NO_STOPS) -> Judged:
        """Return the predictions of a classifier for held-out benchmarks."""
        scores, stable = self.labelled.scores(rule, which)
        return Judged(stable, scores, rule.threshold, stopped)

    def _sum(self, which: BoolArray) -> FloatArray:
        return self.labelled.products(np.flatnonzero(which).tolist())

    def _rule(self, training: BoolArray, products: FloatArray) -> Rule:
        """Choose the threshold on a quarter of the training benchmarks, by a fit to the rest."""
        aside = self.forks.validation(training)
        chooser = fit(products - self._sum(aside))
        threshold = youden_threshold(*self.at_random.scores(chooser, aside))
        return replace(fit(products), threshold=threshold)


def train(folder: Path, output: Path) -> None:
    """Train, and write models and predictions."""
    clock = Clock()
    forks = Forks.read(folder / "jmh-steady")
    kernels = random_kernels()
    benchmarks = len(forks.benchmarks)
    labelled = Table(kernels, forks.labelled, benchmarks, output / "labelled.npy")
    clock.tell(f"transformed {len(labelled.stable)} windows")
    chooser = partial(forks.at_random, count=THRESHOLD_WINDOWS, seed=SEED)
    at_random = Table(kernels, chooser, benchmarks, output / "at_random.npy")
    training = Training(forks, labelled, at_random)
    rules, everything = training.rules(forks.folds)
    write(everything.model(kernels), MODEL)
    by_project, _ = training.rules(forks.project_folds)
    for fold, rule in enumerate(by_project):
        judged = training.judged(rule, forks.project_folds == fold)
        judged.save(output / f"rocket-projects-{fold}.npz")
    clock.tell("fitted")
    for fold, rule in enumerate(rules):
        which = forks.folds == fold
        for name, threshold in (("rocket", rule.threshold), ("rocket-0", 0.0)):
            classifier = Classifier(name, rule.model(kernels), threshold)
            judged = training.judged(rule, which, stops(forks, which, classifier))
            replace(judged, threshold=threshold).save(output / f"{name}-{fold}.npz")
        clock.tell(f"fold {fold}: threshold {rule.threshold:.3f}, stopped its forks")


def write(model: RocketModel, file: Path) -> None:
    """Write a model in the package's format."""
    kernels = model.kernels
    shapes = np.stack([kernels.lengths, kernels.dilations, kernels.paddings])
    np.savez_compressed(
        file,
        shapes=shapes.astype(np.uint8),
        biases=kernels.biases,
        weights=kernels.weights,
        rule=np.array([*model.coefficients, model.intercept, model.threshold]),
    )


class Clock:
    """Prints progress with durations."""

    def __init__(self) -> None:
        self._begin = time.monotonic()

    def tell(self, what: str) -> None:
        """Print a line."""
        print(f"{time.monotonic() - self._begin:6.0f} s: {what}", flush=True)


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DATA", help="holds jmh-steady")
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"default: {OUTPUT}")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    train(options.folder, options.output)


if __name__ == "__main__":
    main()

"""Train FCN and OSCNN longer, with one fold held out, to evaluate the effect.

Usage: python -m evaluation.train_longer DATA [--output FOLDER] [--only NAME ...] [--ways WAY ...]

DATA is the folder that holds jmh-steady. Writes the predictions of each fit for the fold to FOLDER
(default: build/stoppers), where ``evaluation/stoppers.py`` reads them; existing fits are kept.
Requires PyTorch (requirements-training.txt).
"""

from __future__ import annotations

import numpy as np

from evaluation._stopper_data import BoolArray, Forks
from evaluation._stopper_quality import read_baselines
from evaluation._stopper_trials import TRIAL_FOLD, WAYS, Trial, trial_name
from evaluation._torch_networks import TorchScorer
from evaluation.train_networks import (
    Fold,
    judged_windows,
    options_of_training,
    read_data,
    train,
)
from evaluation.train_rocket import Clock
from steady.papers.stopping import LONGEST, WINDOW, Float32Array, Scorer


def live_scores(scorer: Scorer, forks: Forks, left_out: BoolArray, run: BoolArray) -> Float32Array:
    """Return the scores of all windows that a live stop evaluates.

    A constant window has an infinite score, because it is always stable.

    Parameters
    ----------
    scorer : Scorer
        The fit.
    forks : Forks
        The data.
    left_out : ndarray of bool, shape (benchmarks,)
        The benchmarks to score.
    run : ndarray of bool, shape (benchmarks, forks)
        The forks to score; others get NaN.

    Returns
    -------
    ndarray of float32, shape (benchmarks left out, forks, LONGEST)
    """
    benchmarks = np.flatnonzero(left_out)
    scores = np.full((len(benchmarks), run.shape[1], LONGEST), np.nan, np.float32)
    starts = np.arange(LONGEST)
    for place, benchmark in enumerate(benchmarks.tolist()):
        for fork in np.flatnonzero(run[benchmark]).tolist():
            values = forks.values[benchmark, fork]
            every = np.lib.stride_tricks.sliding_window_view(values, WINDOW)[:LONGEST]
            constant = np.min(every, axis=1) == np.max(every, axis=1)
            found = scorer.scores(forks.windows(benchmark, fork, starts))
            scores[place, fork] = np.where(constant, np.inf, found)
    return scores


def main() -> None:
    """Train all missing fits."""
    parser = options_of_training(__doc__.splitlines()[0])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), metavar="WAY")
    options = parser.parse_args()
    clock = Clock()
    forks, windows = read_data(options.folder, options.output)
    run = read_baselines(options.folder / "jmh-steady", forks)["SOP"].used
    fold = Fold.of(forks, forks.folds, TRIAL_FOLD)
    for way in options.ways:
        for model in options.only:
            name = trial_name(model, way)
            if (options.output / f"{name}-live.npz").exists():
                continue

            def tell(line: str, name: str = name) -> None:
                clock.tell(f"{name}: {line}")

            net = train(model, windows, fold, tell, WAYS[way].schedule)
            scorer = TorchScorer(net)
            judged = judged_windows(scorer, forks, windows, fold)
            tell(f"threshold {judged.threshold:.3f}, area under curve {judged.area:.3f}")
            live = live_scores(scorer, forks, fold.left_out, run)
            Trial(judged, live).save(options.output, name)
            tell("scored its forks")


if __name__ == "__main__":
    main()

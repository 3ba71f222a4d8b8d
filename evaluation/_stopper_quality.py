"""Warm-up error, result quality and time of stoppers, as Traini et al. 2024 judge them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path

import numpy as np
from scipy import stats

from evaluation._jmh_steady import ITERATION_SECONDS, read_rows
from evaluation._stopper_data import BoolArray, Forks, IntArray
from steady.harness.known_facts import until_an_operation_ends
from steady.model import FloatArray
from steady.papers.stopping import WINDOW
from steady.parallel import workers

RESAMPLES = 500
"""Number of bootstrap resamples; the authors use 10,000."""

CONFIDENCE = (2.5, 97.5)
SEED = 20240916
ITERATIONS = 3000

BASELINES = {"dev": "SOP", "cv": "CV", "rciw": "RCIW", "kld": "KLD"}
"""Configurations of the data, as the paper calls them."""


@dataclass(frozen=True, eq=False)
class Configuration:
    """The iterations of every fork that a configuration measures.

    Parameters
    ----------
    starts, stops : ndarray of int, shape (benchmarks, forks)
        First measured iteration, and the one after the last.
    known : ndarray of bool, shape (benchmarks, forks)
        Whether the configuration is known for this fork.
    used : ndarray of bool, shape (benchmarks, forks)
        Whether it runs this fork; a subset of `known`.
    """

    starts: IntArray
    stops: IntArray
    known: BoolArray
    used: BoolArray


def read_baselines(folder: Path, forks: Forks) -> dict[str, Configuration]:
    """Read the configurations of developers and of Laaber's three stops, by the paper's names."""
    rows = {(row["benchmark"], int(row["fork"])): row for row in read_rows(folder, "configs")}
    numbers = range(forks.starts.shape[1])
    table = [[rows[name, fork] for fork in numbers] for name in forks.benchmarks.tolist()]
    return {title: _baseline(table, name) for name, title in BASELINES.items()}


def _baseline(table: Sequence[Sequence[Mapping[str, str]]], name: str) -> Configuration:
    def column(kind: str) -> IntArray:
        return np.array(
            [[int(row[f"{name}_{kind}_last"] or -1) + 1 for row in own] for own in table]
        )

    stops = column("measure")
    known = stops > 0
    used = known
    if name == "dev":
        most = np.array([int(own[0]["jmh_forks"]) for own in table])
        used = known & (np.arange(known.shape[1]) < most[:, np.newaxis])
    return Configuration(column("warmup"), np.minimum(stops, ITERATIONS), known, used)


def stopped_like(baseline: Configuration, stops: IntArray) -> Configuration:
    """Return a stopper's configuration with as many measured iterations as a baseline.

    If these are fewer than a window's, the window's last ones are used; if they are more, the fork
    continues after the window. Forks with an unknown stop (-1) are not run.
    """
    measured = baseline.stops - baseline.starts
    used = baseline.used & (stops >= 0)
    ends = np.minimum(stops + np.maximum(measured, WINDOW), ITERATIONS)
    starts = np.where(measured < WINDOW, stops + WINDOW - measured, stops)
    return Configuration(starts, ends, baseline.known, used)


@dataclass(frozen=True, eq=False)
class Judgement:
    """Results of a configuration by benchmark.

    Parameters
    ----------
    good : ndarray of bool
        Whether the interval of the ratio between its result and the truth contains 1.
    deviation : ndarray of float
        Distance of the interval's middle from 1.
    seconds : ndarray of float
        Seconds of warm-up and measurement of all forks, without start-up.
    """

    good: BoolArray
    deviation: FloatArray
    seconds: FloatArray

    def __getitem__(self, rows: BoolArray | IntArray) -> Judgement:
        """Return the results on some benchmarks."""
        return Judgement(self.good[rows], self.deviation[rows], self.seconds[rows])


class Judge:
    """Durations of all iterations, and the truth.

    Parameters
    ----------
    forks : Forks
        The data.
    """

    def __init__(self, forks: Forks) -> None:
        self.forks = forks
        lasting = until_an_operation_ends(ITERATION_SECONDS, forks.values, 1)
        first = np.zeros((*lasting.shape[:2], 1))
        self.elapsed = np.concatenate([first, np.cumsum(lasting, axis=2)], axis=2)

    def after(self, iterations: IntArray) -> FloatArray:
        """Return each fork's run time after some iterations, shape (benchmarks, forks)."""
        return np.take_along_axis(self.elapsed, iterations[..., np.newaxis], axis=2)[..., 0]

    @property
    def steady(self) -> BoolArray:
        """Which forks become steady."""
        return self.forks.starts >= 0

    @cached_property
    def true_seconds(self) -> FloatArray:
        """Duration of each fork's true warm-up."""
        return self.after(np.maximum(self.forks.starts, 0) + 1)

    def errors(self, warmups: IntArray, which: BoolArray) -> FloatArray:
        """Return the warm-up estimation error of some forks, in seconds."""
        return np.abs(self.after(warmups) - self.true_seconds)[which]

    @cached_property
    def _true_means(self) -> list[FloatArray]:
        """Resampled means of the steady measurements; empty if there are none.

        A fork has at least 500 steady measurements, so resampled means are nearly normal.
        """
        return [self._resampled_truth(one) for one in range(len(self.forks.values))]

    def _resampled_truth(self, benchmark: int) -> FloatArray:
        random = np.random.default_rng([SEED, benchmark])
        pairs = zip(self.forks.values[benchmark], self.forks.starts[benchmark], strict=True)
        parts = [values[start + 1 :] for values, start in pairs if start >= 0]
        if not parts:
            return np.empty(0)
        sizes = np.array([len(part) for part in parts])
        means = np.array([part.mean() for part in parts])
        spreads = np.array([part.std() for part in parts]) / np.sqrt(sizes)
        drawn = random.integers(len(parts), size=(RESAMPLES, len(parts)))
        noise = random.standard_normal(drawn.shape)
        totals = sizes[drawn] * (means[drawn] + spreads[drawn] * noise)
        return np.asarray(totals.sum(axis=1) / sizes[drawn].sum(axis=1))

    def judge(self, configuration: Configuration) -> Judgement:
        """Judge results by a hierarchical bootstrap of forks and iterations."""
        seconds = np.where(configuration.used, self.after(configuration.stops), 0).sum(axis=1)
        middles = [self._interval(benchmark, configuration) for benchmark in range(len(seconds))]
        low, high = np.array(middles).T
        good = (low <= 1) & (high >= 1)
        return Judgement(good, np.abs((low + high) / 2 - 1), seconds)

    def _interval(self, benchmark: int, configuration: Configuration) -> tuple[float, float]:
        truth = self._true_means[benchmark]
        used = np.flatnonzero(configuration.used[benchmark])
        if not len(truth) or not len(used):
            return np.nan, np.nan
        parts = [
            self.forks.values[benchmark, fork][
                configuration.starts[benchmark, fork] : configuration.stops[benchmark, fork]
            ]
            for fork in used.tolist()
        ]
        random = np.random.default_rng([SEED, benchmark, 1])
        low, high = np.percentile(resampled_means(parts, random) / truth, CONFIDENCE)
        return float(low), float(high)


def resampled_means(parts: Sequence[FloatArray], random: np.random.Generator) -> FloatArray:
    """Return means of all values of forks drawn with replacement, and of values within them."""
    drawn = random.integers(len(parts), size=(RESAMPLES, len(parts)))
    totals, sizes = np.zeros(RESAMPLES), np.zeros(RESAMPLES)
    for fork, values in enumerate(parts):
        times = np.count_nonzero(drawn == fork, axis=1)
        rows = np.repeat(np.arange(RESAMPLES), times)
        places = random.integers(len(values), size=(len(rows), len(values)), dtype=np.uint16)
        totals += np.bincount(rows, values[places].sum(axis=1), RESAMPLES)
        sizes += times * len(values)
    return totals / sizes


@dataclass(frozen=True, slots=True)
class Effect:
    """Comparison of a stopper's errors with a baseline's, on the same forks.

    Parameters
    ----------
    superiority : float
        The probability that an error of the stopper, of any fork, is smaller (ties: half).
    correlation : float
        Matched-pairs rank-biserial correlation: favourable minus unfavourable evidence.
    p : float
        p-value of Wilcoxon's one-sided signed-rank test for smaller errors.
    """

    superiority: float
    correlation: float
    p: float

    @classmethod
    def of(cls, errors: FloatArray, baseline: FloatArray) -> Effect:
        """Compare errors of the same forks."""
        ranks = stats.rankdata(np.concatenate([errors, baseline]))[: len(errors)]
        count = len(errors)
        above = float(ranks.sum()) - count * (count + 1) / 2
        differences = baseline - errors
        differences = differences[differences != 0]
        sizes = stats.rankdata(np.abs(differences))
        favourable = float(sizes[differences > 0].sum() / sizes.sum()) if len(sizes) else 0.5
        p = stats.wilcoxon(errors, baseline, alternative="less").pvalue if len(sizes) else 1.0
        return cls(1 - above / count**2, 2 * favourable - 1, float(p))


@dataclass(frozen=True, slots=True)
class Balance:
    """Fractions of benchmarks that a stopper improves and regresses.

    Parameters
    ----------
    better_quality, better_time, worse_quality, worse_time : float
        Fractions; time is compared only if both results are good.
    """

    better_quality: float
    better_time: float
    worse_quality: float
    worse_time: float

    @property
    def net(self) -> float:
        """Improvements minus regressions."""
        better = self.better_quality + self.better_time
        return better - self.worse_quality - self.worse_time

    @classmethod
    def of(cls, own: Judgement, other: Judgement, seconds: FloatArray | None = None) -> Balance:
        """Compare with a baseline; `seconds` replaces the stopper's time."""
        mine = own.seconds if seconds is None else seconds
        both = own.good & other.good
        groups = (
            own.good & ~other.good,
            both & (mine < other.seconds),
            other.good & ~own.good,
            both & (mine > other.seconds),
        )
        return cls(*(float(np.mean(group)) for group in groups))


def judgements(
    folder: Path, configurations: Sequence[Configuration], jobs: int | Executor
) -> list[Judgement]:
    """Judge configurations in several workers, each of which reads the data itself.

    Parameters
    ----------
    folder : Path
        The jmh-steady data.
    configurations : sequence of Configuration
        Configurations to judge.
    jobs : int or concurrent.futures.Executor
        Number of processes, or an executor, which is used and not shut down.
    """
    with workers(jobs, delay=0.0) as shared:
        return list(shared.map(partial(_judged, folder), configurations))


def _judged(folder: Path, configuration: Configuration) -> Judgement:
    return _judge_of(folder).judge(configuration)


@cache
def _judge_of(folder: Path) -> Judge:
    return Judge(Forks.read(folder))

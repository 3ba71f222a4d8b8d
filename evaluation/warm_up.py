"""Online stops: share of forks judged warm, time until then, and error of the measurement.

Usage: python -m evaluation.warm_up DATA [--forks N]

DATA holds the folder ``jmh-steady``. Each fork is fed to a stop from its start until the stop calls
it warm, but for at least three seconds, as without a plan. The median of the next ten iterations is
compared with the median of the fork's steady iterations according to CP-SSD; forks that never
become steady are omitted. The data do not contain compiler times. The tolerance of ``flat`` is
chosen on the projects of four folds, and judged on those of the fifth.

The second table has two interleaved forks within 6.6 s, of one benchmark or of two different ones
of a project: called warm by the times of each, or also by their ratio (`LevelQuotient`). *Off* is
the ratio of the ten iterations after that. In *busy* rows, common disturbances make both slower for
some iterations, by up to a quarter, and individual ones affect one in five iterations, by a fifth
on average.

The last table is about forks that ``flat`` does not call warm within 6.6 s: it shows the factor by
which the ratio of two benchmarks of a project changes from then on until both are steady. Each is
the mean of three such forks. Base and head of one benchmark are more similar than two different
benchmarks.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from evaluation._jmh_steady import ITERATION_SECONDS, read_rows, read_series
from evaluation._markdown import Table, percent, render
from steady.execution.live_stop import LevelQuotient
from steady.execution.warm_up import COLD_TIMES, WARM_SECONDS
from steady.harness.known_facts import until_an_operation_ends
from steady.model import FloatArray
from steady.papers.stops import FlatStop
from steady.stats.samples import BoolArray
from steady.steadystate import ONLINE, OnlineStop
from steady.steadystate.online import Stop

LIMITS = (4.0, 2 * WARM_SECONDS, 30.0)
"""Time limits for the warm-up of a fork, in seconds."""

METHODS = ("flat", "laaber-cv", "laaber-kld", "georges", "t-test", "kb-kssd")
TOLERANCES = (0.02, 0.05, 0.1, 0.2)
FOLDS = 5
MEASURED = 10
FAR = 0.1
COLD_AFTER = 6.6
COLD_FORKS, ALL_FORKS = 3, 10
SHARES = (0.5, 0.9, 0.95, 0.98)
COST_OF_FAR = 3.0
"""Cost of a fork that is measured cold, in units of the benefit of a warm one."""


@dataclass(frozen=True, eq=False)
class Fork:
    """One fork from its start.

    Parameters
    ----------
    name : str
        Name of the benchmark, with the project first.
    times, seconds : ndarray of float64, shape (iterations,)
        Time per operation, and when each iteration ended.
    level : float
        Level of its steady iterations.
    """

    name: str
    times: FloatArray
    seconds: FloatArray
    level: float

    @property
    def project(self) -> str:
        """Its project."""
        return self.name.split("#")[0]


def read_forks(folder: Path, forks: int) -> list[Fork]:
    """Return the first steady forks of each benchmark."""
    starts = {
        (row["benchmark"], int(row["fork"])): int(row["cp_ssd_start"])
        for row in read_rows(folder, "cpssd")
    }
    return [
        _fork(name, series[number], starts[name, number])
        for name, series in read_series(folder)
        for number in range(min(forks, len(series)))
        if starts[name, number] >= 0
    ]


def _fork(name: str, series: FloatArray, start: int) -> Fork:
    ends = np.cumsum(until_an_operation_ends(ITERATION_SECONDS, series, 1))
    seen = int(np.searchsorted(ends, LIMITS[-1], side="right")) + MEASURED
    return Fork(name, series[:seen], ends[:seen], float(np.median(series[start + 1 :])))


@dataclass(frozen=True, eq=False)
class Judged:
    """Times at which forks were judged warm (infinite if never), and their errors."""

    seconds: FloatArray
    off: FloatArray

    def __getitem__(self, which: BoolArray) -> Judged:
        return Judged(self.seconds[which], self.off[which])

    def worth(self, limit: float) -> float:
        """Return the net benefit of a limit: warm forks minus the cost of cold ones."""
        off = self.off[self.seconds <= limit]
        return float((off <= FAR).sum() - COST_OF_FAR * (off > FAR).sum())


class Anything(Stop):
    """A stop that ends the warm-up immediately."""

    def _judge(self, value: float) -> int:  # noqa: ARG002 - whatever it is
        return self.seen


def judged(forks: Sequence[Fork], stop: Callable[[], OnlineStop]) -> Judged:
    """Feed each fork to a new stop."""
    pairs = [_judge(fork, stop()) for fork in forks]
    seconds, off = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    return Judged(seconds, off)


def _judge(fork: Fork, stop: OnlineStop) -> tuple[float, float]:
    for end, (time, second) in enumerate(
        zip(fork.times[:-MEASURED].tolist(), fork.seconds.tolist(), strict=False), 1
    ):
        if stop.feed(time, hold=second < WARM_SECONDS - 1e-9):
            measured = float(np.median(fork.times[end : end + MEASURED]))
            return second, abs(measured / fork.level - 1)
    return np.inf, np.nan


def chosen_elsewhere(
    forks: Sequence[Fork], by_tolerance: Mapping[float, Judged]
) -> tuple[Judged, list[float]]:
    """Return the cross-validated results of the tolerance, and the chosen tolerances."""
    projects = np.array([fork.project for fork in forks])
    folds = {name: place % FOLDS for place, name in enumerate(sorted(set(projects.tolist())))}
    fold_of = np.array([folds[project] for project in projects.tolist()])
    seconds, off = np.full(len(forks), np.inf), np.full(len(forks), np.nan)
    choices = []
    for fold in range(FOLDS):
        own = fold_of == fold
        best = max(by_tolerance, key=lambda t: by_tolerance[t][~own].worth(LIMITS[1]))
        choices.append(best)
        seconds[own], off[own] = by_tolerance[best].seconds[own], by_tolerance[best].off[own]
    return Judged(seconds, off), choices


def row(title: str, found: Judged) -> list[str]:
    """Return the cells of one stop: for each limit, the number of warm forks and their errors."""
    cells = [title]
    for limit in LIMITS:
        off = found.off[found.seconds <= limit]
        cells.append(percent(len(off) / max(len(found.seconds), 1), 0))
        cells += [percent(float((off > far).mean()), 0) if len(off) else "–" for far in (FAR, 0.3)]
    known = found.seconds[np.isfinite(found.seconds)]
    return [*cells, f"{np.median(known):.1f}" if len(known) else "–"]


def table(forks: Sequence[Fork]) -> tuple[Table, list[float]]:
    """Return the table, and the tolerances of ``flat`` chosen by the folds."""
    by_tolerance = {
        tolerance: judged(forks, partial(FlatStop, tolerance=tolerance)) for tolerance in TOLERANCES
    }
    elsewhere, choices = chosen_elsewhere(forks, by_tolerance)
    rows = [row("all, whatever they show", judged(forks, Anything))]
    rows += [row("`flat`, tolerance from other projects", elsewhere)]
    rows += [row(f"`flat`, {100 * own:g} %", found) for own, found in by_tolerance.items()]
    rows += [
        row(f"`{name}`", judged(forks, ONLINE[name].value)) for name in METHODS if name != "flat"
    ]
    each = ("warm, %", f"of them off by > {100 * FAR:g} %, %", "> 30 %, %")
    header = ("", *(f"{limit:g} s: {what}" for limit in LIMITS for what in each), "median s")
    return Table(header, rows), choices


def judged_pair(base: Fork, head: Fork, *, by_quotient: bool) -> float:
    """Return the error of the ratio of two forks once they are judged warm.

    Returns
    -------
    float
        Absolute log error; NaN if they are not judged warm in time.
    """
    flats, quotient = (FlatStop(), FlatStop()), LevelQuotient()
    ends = np.maximum(*_in_step(base.seconds, head.seconds))
    times = _in_step(base.times, head.times)
    for place, (end, *both) in enumerate(zip(ends, *times, strict=True), 1):
        if end > COLD_AFTER or place + MEASURED > len(ends):
            return np.nan
        hold = end < WARM_SECONDS - 1e-9
        warm = [flat.feed(time, hold=hold) for flat, time in zip(flats, both, strict=True)]
        quotient.feed(both[0], both[1], hold=hold)
        if all(warm) or (by_quotient and quotient.start is not None):
            one, other = (side[place : place + MEASURED] for side in times)
            return abs(float(np.log(np.median(other / one) * base.level / head.level)))
    return np.nan


def _in_step(base: FloatArray, head: FloatArray) -> tuple[FloatArray, FloatArray]:
    shorter = min(len(base), len(head))
    return base[:shorter], head[:shorter]


def on_a_busy_machine(base: Fork, head: Fork, seed: int) -> tuple[Fork, Fork]:
    """Return two forks with simulated common and individual disturbances."""
    random, longest = np.random.default_rng(seed), max(len(base.times), len(head.times))
    stretches = longest // 2 + 1
    level = np.repeat(1 + random.beta(1, 2, stretches) / 4, random.integers(2, 12, stretches))

    def disturbed(fork: Fork) -> Fork:
        count = len(fork.times)
        alone = np.where(random.random(count) < 0.2, 1 + random.exponential(0.2, count), 1.0)
        return replace(fork, times=fork.times * level[:count] * alone)

    return disturbed(base), disturbed(head)


def pair_table(forks: Sequence[Fork]) -> Table:
    """Return the number of pairs of forks judged warm, and their errors."""
    projects: dict[str, list[Fork]] = {}
    for fork in forks:
        projects.setdefault(fork.project, []).append(fork)
    same = [(a, b) for a, b in pairwise(forks) if a.name == b.name]
    mixed = np.random.default_rng(0)
    drawn = [[own[n] for n in mixed.permutation(len(own))] for own in projects.values()]
    unlike = [(a, b) for own in drawn for a, b in zip(own[::2], own[1::2], strict=False)]
    unlike = [(a, b) for a, b in unlike if a.name != b.name]
    rows = []
    for title, pairs in (("same", same), ("unlike", unlike)):
        busy = [on_a_busy_machine(*pair, seed) for seed, pair in enumerate(pairs)]
        for machine, both in (("quiet", pairs), ("busy", busy)):
            for by_quotient in (False, True):
                off = np.array([judged_pair(a, b, by_quotient=by_quotient) for a, b in both])
                rows.append(
                    [f"{title}, {machine}", "quotient" if by_quotient else "each", *_far(off)]
                )
    each = (f"> {100 * FAR:g} %", "> 30 %")
    return Table(("pairs", "by", "warm, %", *(f"off by {far}, %" for far in each)), rows)


def _far(off: FloatArray) -> list[str]:
    warm = off[np.isfinite(off)]
    shares = [len(warm) / max(len(off), 1)]
    shares += [float((warm > np.log1p(far)).mean()) if len(warm) else 0.0 for far in (FAR, 0.3)]
    return [percent(share, 0) for share in shares]


def still_to_come(fork: Fork) -> float:
    """Return a fork's change after its time limit; NaN if `flat` judges it warm before.

    Returns
    -------
    float
        Log ratio of its time per operation at the limit to that of its steady iterations.
    """
    if _judge(fork, FlatStop())[0] <= COLD_AFTER:
        return np.nan
    end = int(np.searchsorted(fork.seconds, COLD_AFTER))
    measured = fork.times[end : end + MEASURED]
    return float(np.log(np.median(measured) / fork.level)) if len(measured) == MEASURED else np.nan


def cold_table(forks: Sequence[Fork]) -> Table:
    """Return the factors by which ratios of cold forks change until they are warm."""
    of_benchmark: dict[str, list[float]] = {}
    for fork in forks:
        of_benchmark.setdefault(fork.name, []).append(still_to_come(fork))
    cold = {name: [one for one in own if np.isfinite(one)] for name, own in of_benchmark.items()}
    levels: dict[str, list[float]] = {}
    for name, own in cold.items():
        if len(own) >= COLD_FORKS:
            levels.setdefault(name.split("#")[0], []).append(float(np.mean(own[:COLD_FORKS])))
    pairs = [a - b for own in levels.values() for n, a in enumerate(own) for b in own[:n]]
    sizes = np.abs(pairs or [np.nan])
    cells = [f"{factor:.2f}" for factor in np.exp(np.quantile(sizes, SHARES))]
    beyond = percent(float((sizes > np.log(COLD_TIMES)).mean()), 0)
    header = ("pairs", *(f"{100 * share:g} % within" for share in SHARES), f"> {COLD_TIMES:g}, %")
    return Table(header, [[f"{len(pairs):,}", *cells, beyond]])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.warm_up", description=__doc__.split("\n")[0]
    )
    parser.add_argument("data", type=Path, metavar="DATA", help="holds jmh-steady")
    parser.add_argument("--forks", type=int, default=1, help="of each benchmark (default: 1)")
    given = parser.parse_args(arguments)
    forks = read_forks(given.data / "jmh-steady", given.forks)
    found, choices = table(forks)
    shown = ", ".join(f"{100 * choice:g} %" for choice in choices)
    text = f"{len(forks)} steady forks. Tolerances chosen by the folds: {shown}."
    cold = cold_table(read_forks(given.data / "jmh-steady", ALL_FORKS))
    pairs = pair_table(forks)
    sys.stdout.write(
        render([text, found, "Pairs:", pairs, f"Cold after {COLD_AFTER:g} s:", cold]) + "\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

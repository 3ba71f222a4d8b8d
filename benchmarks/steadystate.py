"""Conformance of the steady-state methods with published results, and their speed.

Usage: python benchmarks/steadystate.py DATA_FOLDER [FORKS]

DATA_FOLDER holds the jmh-steady data. SDM, t-test and R-test are compared with all 586 published
results, the others with a random sample of FORKS forks (300 by default). Times are CPU time per
fork of 3000 iterations.
"""

from __future__ import annotations

import csv
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from steady.model import FloatArray
from steady.papers.cp_ssd import cp_ssd
from steady.papers.stops import georges, r_test, sdm, t_test
from steady.steadystate import SteadyState, detect

ITERATION_SECONDS = 0.1
JOINED = 10  # iterations of 0.1 s in one of 1 s, as Traini et al. apply Laaber's stops
LONGEST_WARM_UP = 50 * JOINED
Fork = tuple[str, int]


def main(arguments: list[str]) -> int:
    """Print both tables."""
    if not arguments:
        print(__doc__)
        return 2
    folder = Path(arguments[0])
    series = dict(read_series(folder))
    rows = {(row["benchmark"], int(row["fork"])): row for row in read_rows(folder, "configs")}
    forks = sorted(rows)
    count = int(arguments[1]) if len(arguments) > 1 else 300
    picked = np.random.default_rng(0).choice(len(forks), count, replace=False)
    sample = [forks[i] for i in sorted(picked)]
    batches(folder, series)
    change_points(folder, series, sample)
    single_invocations(series, rows)
    warm_ups(series, rows, sample)
    return 0


def batches(folder: Path, series: dict[str, FloatArray]) -> None:
    """SDM, t-test, R-test on fork 0."""
    detectors: dict[str, Callable[[FloatArray], SteadyState]] = {
        "sdm_start": lambda values: sdm(values, slope_crit=1e-8, relative=False),
        "ttest_start": t_test,
        "rtest_start": r_test,
    }
    rows = read_rows(folder, "baselines")
    for column, detector in detectors.items():
        begin = time.process_time()
        starts = [published(detector(series[row["benchmark"]][0])) for row in rows]
        spent = time.process_time() - begin
        equal = sum(a == int(row[column]) for a, row in zip(starts, rows, strict=True))
        print(f"{column}: {equal} of {len(rows)} equal; {1e3 * spent / len(rows):.1f} ms")


def change_points(folder: Path, series: dict[str, FloatArray], sample: list[Fork]) -> None:
    """CP-SSD, with the authors' rule for the start of its filter and with the default."""
    rows = {(row["benchmark"], int(row["fork"])): row for row in read_rows(folder, "cpssd")}
    expected = np.array([int(rows[fork]["cp_ssd_start"]) for fork in sample])
    for rule in ("as published", "default"):
        begin = time.process_time()
        found = np.array([change_point(series[name][fork], rule) for name, fork in sample])
        spent = time.process_time() - begin
        steady = np.mean((found >= 0) == (expected >= 0))
        both = (found >= 0) & (expected >= 0)
        near = np.mean(np.abs(found - expected)[both] <= 50)
        print(
            f"cp-ssd, filter {rule}: {len(sample)} forks, steady or not {steady:.1%} equal, start "
            f"{np.mean(found == expected):.1%} equal, {near:.1%} within 50 where both are steady; "
            f"{1e3 * spent / len(sample):.0f} ms"
        )


def change_point(values: FloatArray, rule: str) -> int:
    """Last change point before the steady part, as in the data: 0 also if there is none."""
    invocations = math.ceil(ITERATION_SECONDS / float(np.mean(values)))
    skip = math.ceil(200 / math.log1p(invocations)) if rule == "as published" else 20
    start = cp_ssd(values, unfiltered=skip).start
    return -1 if start is None else max(start - 1, 0)


def single_invocations(series: dict[str, FloatArray], rows: dict[Fork, dict[str, str]]) -> None:
    """Georges' rule for iterations of a single invocation; elsewhere it used invocations."""
    pairs = [
        (int(row["georges_warmup_last"]), series[name][fork])
        for (name, fork), row in sorted(rows.items())
        if row["georges_warmup_last"] and series[name][fork].min() >= ITERATION_SECONDS
    ]
    begin = time.process_time()
    states = [georges(values, window=30, overlap=False) for _, values in pairs]
    spent = time.process_time() - begin
    # The data have -1 both for a start at 0 and for none.
    found = [state.start or -1 for state in states]
    equal = sum(a == b for a, (b, _) in zip(found, pairs, strict=True))
    print(f"georges: {equal} of {len(pairs)} equal; {1e3 * spent / len(pairs):.1f} ms")


def warm_ups(
    series: dict[str, FloatArray], rows: dict[Fork, dict[str, str]], sample: list[Fork]
) -> None:
    """Laaber's stops, in seconds; the authors' used random samples of invocations."""
    for name in ("cv", "rciw", "kld"):
        forks = [fork for fork in rows if rows[fork][f"{name}_warmup_last"]]
        forks = [fork for fork in forks if series[fork[0]][fork[1]].max() < 0.01]
        chosen = sorted(set(forks) & set(sample)) or forks[: len(sample)]
        begin = time.process_time()
        found = np.array([seconds(series[n][f], f"laaber-{name}") for n, f in chosen])
        spent = time.process_time() - begin
        theirs = np.array([(int(rows[f][f"{name}_warmup_last"]) + 1) / JOINED for f in chosen])
        print(
            f"laaber-{name}: {len(chosen)} forks, median {np.median(found):.0f} s (theirs "
            f"{np.median(theirs):.0f} s), equal {np.mean(found == theirs):.0%}, within 2 s "
            f"{np.mean(np.abs(found - theirs) <= 2):.0%}, within 5 s "
            f"{np.mean(np.abs(found - theirs) <= 5):.0%}; {1e3 * spent / len(chosen):.1f} ms"
        )


def seconds(values: FloatArray, method: str) -> float:
    """Length of the warm-up of 1-s iterations, at most 50."""
    start = detect(values[: LONGEST_WARM_UP + 1], method, batch=JOINED).start
    return (LONGEST_WARM_UP if start is None else start) / JOINED


def published(state: SteadyState) -> int:
    """Return the start in the data's format."""
    return -1 if state.start is None else state.start


def read_series(folder: Path) -> list[tuple[str, FloatArray]]:
    """Return each benchmark's name and its series, shape (10, 3000)."""
    found: list[tuple[str, FloatArray]] = []
    for path in sorted((folder / "series").glob("*.npz")):
        with np.load(path) as data:
            planes = np.ascontiguousarray(np.moveaxis(data["planes"], 0, -1))
            found += zip(map(str, data["benchmark"]), planes.view("<f8")[..., 0], strict=True)
    return found


def read_rows(folder: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of one of the data's CSV files."""
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

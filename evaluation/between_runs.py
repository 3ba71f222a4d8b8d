"""Coverage of the expected error for the difference between two runs.

Two runs of a benchmark are two consecutive versions of ds3 (Java; few benchmarks change between
them), or two instances of ds1 (Go; each on a separate machine, with suite runs as forks). A
difference is compared with the combined expected error of both runs: from their forks alone, and
with a plan's allowance for run-to-run variation. The later half of the versions is judged.

    python -m evaluation.between_runs DATA      DATA: folder of the uoptime data
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from evaluation._uoptime_data import Run, read_projects
from steady.harnesses import harness_named
from steady.model import FloatArray

HARNESS = {"ds3": "jmh", "ds1": "go"}


def runs_of(dataset: str, versions: list[Run]) -> Iterator[list[Run]]:
    """Yield series of runs that should agree, with forks and iterations as axes."""
    if dataset == "ds3":
        yield versions
        return
    for run in versions:
        yield [
            {name: cells[i].reshape(cells.shape[1], -1) for name, cells in run.items()}
            for i in range(3)
        ]


def held(series: list[list[Run]], ratio: float) -> float:
    """Return the fraction of differences between runs within the combined expected error."""
    inside: list[bool] = []
    for runs in series:
        for one, other in pairwise(runs):
            for name in one.keys() & other.keys():
                a, b = (np.log(run[name].mean(axis=1)) for run in (one, other))
                inside.append(abs(float(a.mean() - b.mean())) < _expected(a, b, ratio))
    return float(np.mean(inside))


def _expected(a: FloatArray, b: FloatArray, ratio: float) -> float:
    squares = sum(float(x.var(ddof=1)) * (1 / len(x) + ratio**2) for x in (a, b))
    return float(np.sqrt(squares))


def main() -> None:
    """Print the table."""
    print("| data | project | forks alone | allowance |\n|---|---|--:|--:|")
    for dataset, harness in HARNESS.items():
        for project, versions in read_projects(Path(sys.argv[1]), dataset).items():
            judged = list(runs_of(dataset, versions[len(versions) // 2 :]))
            ratios = (0.0, harness_named(harness).cost.between_runs)
            cells = " | ".join(f"{held(judged, ratio):.0%}" for ratio in ratios)
            print(f"| {dataset} | {project} | {cells} |", flush=True)


if __name__ == "__main__":
    main()

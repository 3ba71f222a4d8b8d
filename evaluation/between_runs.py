"""How much runs differ beyond their forks, and how often an expected error then holds.

Two runs of a benchmark are two versions of ds3 that follow each other (Java; few benchmarks change
between them), or two instances of ds1 (Go; each a machine of its own, its suite runs the forks).
The ratio is that of `steady.optimize.between_runs`, learnt from the project itself. A difference
is held against the expected error of both runs together: from their forks alone, with the
allowance that a plan makes without earlier runs, and with the ratio that the project's other half
of the versions taught.

    python -m evaluation.between_runs DATA      DATA: folder of the uoptime data
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

import steady
from evaluation._uoptime_data import Run, read_projects
from steady.model import FloatArray, Suite
from steady.optimize.between_runs import between_runs

HARNESS = {"ds3": "jmh", "ds1": "go"}


def runs_of(dataset: str, versions: list[Run]) -> Iterator[list[Run]]:
    """Yield series of runs that ought to agree, forks and iterations as the axes."""
    if dataset == "ds3":
        yield versions
        return
    for run in versions:
        yield [
            {name: cells[i].reshape(cells.shape[1], -1) for name, cells in run.items()}
            for i in range(3)
        ]


def suite_of(run: Run, harness: str) -> Suite:
    """Return a run as a suite whose iterations are all measured."""
    doubled = {name: np.concatenate([v, v], axis=1) for name, v in run.items()}  # no half is lost
    suite = steady.Suite.of(doubled, unit="ns/op", iteration_seconds=1.0)
    return Suite(suite.benchmarks, harness=harness)


def held(series: list[list[Run]], ratio: float) -> float:
    """Return the share of differences between runs within the expected error of both."""
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


def learnt(series: list[list[Run]], harness: str) -> float:
    """Return the median ratio over series of runs."""
    ratios = []
    for runs in series:
        suites = [suite_of(run, harness) for run in runs]
        ratios.append(between_runs(suites[0], suites[1:]).ratio)
    return float(np.median(ratios))


def main() -> None:
    """Print the table."""
    print(
        "| data | project | ratio | forks alone | allowance | learnt |\n|---|---|--:|--:|--:|--:|"
    )
    for dataset, harness in HARNESS.items():
        for project, versions in read_projects(Path(sys.argv[1]), dataset).items():
            series = list(runs_of(dataset, versions))
            half = len(versions) // 2
            taught = list(runs_of(dataset, versions[:half]))
            judged = list(runs_of(dataset, versions[half:]))
            allowance = (
                between_runs(suite_of(versions[0], harness)).ratio if dataset == "ds3" else 1.0
            )
            shares = (0.0, allowance, learnt(taught, harness))
            cells = " | ".join(f"{held(judged, ratio):.0%}" for ratio in shares)
            print(
                f"| {dataset} | {project} | {learnt(series, harness):.2f} | {cells} |", flush=True
            )


if __name__ == "__main__":
    main()

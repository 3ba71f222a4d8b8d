"""Reader of the measurements of the µOpTime study: one array per benchmark and version."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from steady.model import FloatArray

Run = dict[str, FloatArray]
"""Measurements of one version by benchmark."""

LEVELS = {
    "ds1": ("instance", "suite_run", "iteration", "second"),
    "ds2": ("fork", "iteration"),
    "ds3": ("fork", "iteration"),
    "ds3_extra": ("fork", "iteration"),
}
SHAPES = {"ds1": (3, 3, 5, 5), "ds2": (5, 100), "ds3": (3, 20), "ds3_extra": (3, 20)}


def read_projects(folder: Path, dataset: str) -> dict[str, list[Run]]:
    """Read a data set's projects, their versions in order, benchmarks without gaps only.

    Parameters
    ----------
    folder : Path
        The folder ``uoptime`` of the data.
    dataset : str
        A key of `LEVELS`.

    Returns
    -------
    dict of str to list of dict
        Measurements by project, version and benchmark.
    """
    projects = {}
    for file in sorted((folder / "measurements").glob(f"{dataset}_*.csv.gz")):
        project = file.name.removeprefix(f"{dataset}_").removesuffix(".csv.gz")
        if not project.startswith("extra_"):
            projects[project] = _read(file, LEVELS[dataset], SHAPES[dataset])
    return projects


def _read(file: Path, levels: Sequence[str], shape: tuple[int, ...]) -> list[Run]:
    versions: dict[str, Run] = defaultdict(lambda: defaultdict(lambda: np.full(shape, np.nan)))
    with gzip.open(file, "rt", encoding="utf-8") as text:
        for line in csv.DictReader(text):
            cells = versions[line["version"]][line["benchmark"] + line["params"]]
            cells[tuple(int(line[level]) - 1 for level in levels)] = float(line["value"])
    return [
        {name: cells for name, cells in sorted(run.items()) if not np.isnan(cells).any()}
        for _, run in sorted(versions.items())
    ]

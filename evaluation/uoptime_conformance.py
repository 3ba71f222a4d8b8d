"""Agreement of the stability metrics and Algorithm 1 with the published results of µOpTime.

Usage: python evaluation/uoptime_conformance.py DATA_FOLDER

DATA_FOLDER holds the µOpTime data: ``measurements/`` and ``golden_min_configs.csv.gz``. The first
table counts benchmarks whose chosen configuration equals the published one. The second compares
stability values, and the third confidence intervals, on the published configurations. The prototype
draws its resamples at random, so the table also shows how often two of its seeds agree.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steady.model import FloatArray
from steady.papers.uoptime import minimal_configuration
from steady.stats import mean_interval, median_interval, stability

Key = tuple[str, str, str, str, str]
"""Data set, project, version, benchmark, parameters."""

FULL = {"ds1": (3, 5, 5), "ds2": (5, 100), "ds3": (3, 20)}
LEVELS = {
    "ds1": ("suite_run", "iteration", "second"),
    "ds2": ("fork", "iteration"),
    "ds3": ("fork", "iteration"),
}
WARMUP = 50
METRICS = {
    "cv": "cv",
    "rmad": "rmad",
    "rciw1": "rciw1",
    "rciw2": "rciw2",
    "rciw3": "rciw3-mean",
}
"""Our names of the metrics: the prototype's rciw3 is an interval of the mean."""

SECOND_SEED = {
    ("ds1", "rciw1"): "0.968",
    ("ds1", "rciw2"): "0.896",
    ("ds1", "rciw3"): "0.974",
    ("ds3", "rciw1"): "0.976",
    ("ds3", "rciw2"): "0.971",
    ("ds3", "rciw3"): "0.979",
    ("ds2 jenetics warmup50", "rciw1"): "0.90",
    ("ds2 jenetics warmup50", "rciw2"): "0.78",
    ("ds2 jenetics warmup50", "rciw3"): "0.93",
}
"""Agreement of a second seed of the prototype with its published choice, from the data's README.

For data set 2 it was measured on 40 benchmarks; only jenetics has as many.
"""


@dataclass(frozen=True, slots=True)
class Published:
    """One published choice, with its measurements."""

    dataset: str
    project: str
    variant: str
    metric: str
    measurements: FloatArray
    configuration: tuple[int, ...]
    stability: float
    interval: tuple[float, float]

    @property
    def group(self) -> str:
        """Row of the tables."""
        project = self.project if self.dataset == "ds2" else ""
        return " ".join(filter(None, (self.dataset, project, self.variant)))

    @property
    def sample(self) -> FloatArray:
        """Measurements of the published configuration."""
        return self.measurements[tuple(slice(count) for count in self.configuration)]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path, help="the µOpTime data")
    published = list(read_published(parser.parse_args().folder))
    print(*choices_table(published), "", *values_table(published), "", sep="\n")
    print(*intervals_table(published), sep="\n")


def choices_table(published: Iterable[Published]) -> Iterator[str]:
    """Yield the lines of the table of equal choices."""
    yield "| data | metric | benchmarks | same configuration | share | prototype, second seed |"
    yield "|---|---|---|---|---|---|"
    for (group, metric), rows in _grouped(published).items():
        same = sum(chosen(row) == row.configuration for row in rows)
        second = SECOND_SEED.get((group, metric), "1" if metric in ("cv", "rmad") else "")
        yield (
            f"| {group} | {_label(metric)} | {len(rows)} | {same} | {same / len(rows):.3f} "
            f"| {second} |"
        )


def values_table(published: Iterable[Published]) -> Iterator[str]:
    """Yield the lines of the table of relative differences of stability values."""
    yield "| stability | values | median difference | 95th percentile | largest |"
    yield "|---|---|---|---|---|"
    by_metric: dict[str, list[float]] = defaultdict(list)
    for row in published:
        ours = stability(row.sample, METRICS[row.metric])
        by_metric[row.metric].append(_difference(ours, row.stability))
    for metric, differences in by_metric.items():
        half, most, largest = np.quantile(differences, (0.5, 0.95, 1))
        yield (
            f"| {_label(metric)} | {len(differences)} | {half:.2%} | {most:.2%} | {largest:.2%} |"
        )


def intervals_table(published: Iterable[Published]) -> Iterator[str]:
    """Yield the lines of the table of interval endpoints, as fractions of the published width."""
    yield "| interval | ends | equal | median distance | 95th percentile |"
    yield "|---|---|---|---|---|"
    distances: dict[str, list[float]] = defaultdict(list)
    for row in published:
        width = row.interval[1] - row.interval[0]
        if row.metric in ("cv", "rmad") and width > 0:
            kind, measure = ("mean", mean_interval) if row.metric == "cv" else _MEDIAN
            ends = np.subtract(measure(row.sample), row.interval) / width
            distances[kind].extend(np.abs(ends))
    for kind, values in distances.items():
        half, most = np.quantile(values, (0.5, 0.95))
        equal = np.mean(np.less(values, 1e-9))
        yield f"| of the {kind} | {len(values)} | {equal:.1%} | {half:.2%} | {most:.2%} |"


_MEDIAN = ("median", median_interval)


def chosen(row: Published, *, strict: bool = False) -> tuple[int, ...]:
    """Return the choice of Algorithm 1; Go's seconds do not count as repetitions."""
    return minimal_configuration(
        row.measurements, METRICS[row.metric], 0.01, counted_levels=(0, 1), strict=strict
    ).levels


def read_published(
    folder: Path, metrics: Collection[str] = tuple(METRICS), groups: Collection[str] | None = None
) -> Iterator[Published]:
    """Yield the published choices whose measurements are available.

    Parameters
    ----------
    folder : Path
        The µOpTime data.
    metrics : collection of str
        Metrics in the prototype's naming.
    groups : collection of str, optional
        `Published.group` of those wanted; None: all.
    """
    measurements = dict(read_measurements(folder))
    for row in _rows(folder / "golden_min_configs.csv.gz", strategy="uoptime"):
        key = _key(row)
        if row["metric"] not in metrics or key not in measurements:
            continue
        values = measurements[key]
        found = Published(
            dataset=row["dataset"],
            project=row["project"],
            variant=row["variant"],
            metric=row["metric"],
            measurements=values[:, WARMUP:] if row["variant"] == "warmup50" else values,
            configuration=tuple(map(int, row["min_config"].split("x"))),
            stability=float(row["min_stability"]),
            interval=(float(row["min_ci_lower"]), float(row["min_ci_upper"])),
        )
        if groups is None or found.group in groups:
            yield found


def read_measurements(folder: Path) -> Iterator[tuple[Key, FloatArray]]:
    """Yield the measurements of each benchmark; for Go, of instance 1 only."""
    for path in sorted((folder / "measurements").glob("ds[123]_*.csv.gz")):
        if "extra" not in path.name:
            yield from _read_file(path).items()


def _read_file(path: Path) -> dict[Key, FloatArray]:
    found: dict[Key, FloatArray] = {}
    for row in _rows(path):
        dataset = row["dataset"]
        if row["instance"] in ("", "1"):
            values = found.get(key := _key(row))
            if values is None:
                values = found[key] = np.full(FULL[dataset], np.nan)
            position = tuple(int(row[level]) - 1 for level in LEVELS[dataset])
            values[position] = float(row["value"])
    return found


def _rows(path: Path, **wanted: str) -> Iterator[dict[str, str]]:
    """Yield the rows that have some values in some columns."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        names = next(rows)
        places = [(names.index(name), value) for name, value in wanted.items()]
        for cells in rows:
            if all(cells[place] == value for place, value in places):
                yield dict(zip(names, cells, strict=True))


def _key(row: Mapping[str, str]) -> Key:
    return row["dataset"], row["project"], row["version"], row["benchmark"], row["params"]


def _grouped(published: Iterable[Published]) -> dict[tuple[str, str], list[Published]]:
    groups: dict[tuple[str, str], list[Published]] = defaultdict(list)
    for row in published:
        groups[row.group, row.metric].append(row)
    return groups


def _label(metric: str) -> str:
    return metric if METRICS[metric] == metric else f"{metric} (our {METRICS[metric]})"


def _difference(ours: float, theirs: float) -> float:
    rounding = 1e-15  # the prototype's deviation of equal values
    return 0.0 if abs(ours - theirs) <= rounding else abs(ours / theirs - 1)


if __name__ == "__main__":
    main()

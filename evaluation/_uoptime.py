"""Savings and errors of smaller configurations on the µOpTime data."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation.uoptime_conformance import FULL, METRICS, WARMUP, Key, read_measurements
from steady.model import FloatArray

NEAR = (0.01, 0.03, 0.05, 0.1)
PUBLISHED_METRICS = tuple(METRICS)
MEDIAN_METRICS = ("rmad", "rciw3", "rciw3-mean")
"""Metrics whose benchmarks report the median; the others report the mean (section 4.2)."""


@dataclass(frozen=True)
class Group:
    """The benchmarks of one row of a table.

    Parameters
    ----------
    dataset, project, variant : str
        ``ds1``, ``ds2`` or ``ds3``; its project; ``nowarmup``, ``warmup50`` or nothing.
    versions : tuple of str
        Pooled versions.
    keys : tuple of Key
        Keys of the benchmarks.
    measurements : tuple of ndarray of float64
        Their measurements, outermost level first, without the variant's warm-up.
    """

    dataset: str
    project: str
    variant: str
    versions: tuple[str, ...]
    keys: tuple[Key, ...]
    measurements: tuple[FloatArray, ...]

    @property
    def label(self) -> str:
        """Title in tables."""
        return " ".join(filter(None, (self.dataset, self.project, self.variant)))

    @property
    def warmup(self) -> int:
        """Number of removed warm-up iterations per fork."""
        return WARMUP if self.variant == "warmup50" else 0


@dataclass(frozen=True)
class Quality:
    """Savings and errors of smaller configurations.

    Parameters
    ----------
    saved : float
        Fraction of the seconds of the full configurations saved, without warm-up.
    total_saved : float
        The same including warm-up, if known.
    near : tuple of float
        Fraction of the benchmarks within 1, 3, 5 and 10 % of the full result.
    """

    saved: float
    total_saved: float
    near: tuple[float, ...]


def groups(folder: Path, last: Collection[str] = ("ds3",)) -> list[Group]:
    """Return the projects with available measurements.

    Parameters
    ----------
    folder : Path
        The µOpTime data.
    last : collection of str
        Data sets of which only each project's last version is used, as for ``ds3`` in the paper's
        figure of savings; versions of other data sets are pooled.
    """
    by_project: dict[tuple[str, str], dict[str, dict[Key, FloatArray]]] = {}
    for key, values in read_measurements(folder):
        versions = by_project.setdefault(key[:2], {})
        versions.setdefault(key[2], {})[key] = values
    found = []
    for (dataset, project), versions in by_project.items():
        names = sorted(versions)[-1:] if dataset in last else sorted(versions)
        benchmarks = {key: values for name in names for key, values in versions[name].items()}
        for variant in ("nowarmup", "warmup50") if dataset == "ds2" else ("",):
            cut = WARMUP if variant == "warmup50" else 0
            measurements = tuple(values[..., cut:] for values in benchmarks.values())
            keys = tuple(benchmarks)
            found.append(Group(dataset, project, variant, tuple(names), keys, measurements))
    return found


def average(values: FloatArray, metric: str) -> float:
    """Return the result that corresponds to a metric, ignoring missing values."""
    middle = np.nanmedian if metric in MEDIAN_METRICS else np.nanmean
    return float(middle(values))


def prefix(measurements: FloatArray, configuration: Sequence[int]) -> FloatArray:
    """Return the measurements of a smaller configuration."""
    return measurements[tuple(slice(count) for count in configuration)]


def change_rates(
    group: Group, configurations: Sequence[tuple[int, ...]], metric: str
) -> FloatArray:
    """Return the relative deviation of each benchmark's result from the full configuration's."""
    pairs = [
        (average(prefix(values, configuration), metric), average(values, metric))
        for values, configuration in zip(group.measurements, configurations, strict=True)
    ]
    return np.array([(reduced - full) / full for reduced, full in pairs])


def quality(group: Group, configurations: Sequence[tuple[int, ...]], metric: str) -> Quality:
    """Return the savings and errors of configurations."""
    full = [values.shape for values in group.measurements]
    rates = np.abs(change_rates(group, configurations, metric))
    return Quality(
        1 - _seconds(configurations, 0) / _seconds(full, 0),
        1 - _seconds(configurations, group.warmup) / _seconds(full, group.warmup),
        tuple(float(np.mean(rates <= limit)) for limit in NEAR),
    )


def _seconds(configurations: Sequence[tuple[int, ...]], warmup: int) -> int:
    """Return the total seconds, one per iteration, including each fork's warm-up."""
    return sum(int(np.prod(one)) + warmup * one[0] for one in configurations)


def published_quality(folder: Path, group: Group, metric: str) -> Quality:
    """Return the published values, with versions weighted by their number of benchmarks."""
    rows = [
        row
        for row in read_rows(folder / "golden_quality.csv")
        if (row["dataset"], row["project"]) == (group.dataset, group.project)
        and (row["variant"], row["metric"]) == (group.variant, metric)
        and row["version"] in group.versions
        and row["strategy"] == "uoptime"
    ]
    weights = np.array([float(row["benchmarks"]) for row in rows])
    full, least = (sum(float(row[name]) for row in rows) for name in ("full_time_s", "min_time_s"))
    names = [f"frac_within_{round(100 * limit)}pct" for limit in NEAR]
    near = [np.average([float(row[name]) for row in rows], weights=weights) for name in names]
    totals = [row["total_saved_fraction"] for row in rows]
    total = float(totals[0]) if totals[0] else 1 - least / full
    return Quality(1 - least / full, total, tuple(map(float, near)))


def read_rows(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


__all__ = [
    "FULL",
    "METRICS",
    "NEAR",
    "Group",
    "Quality",
    "average",
    "change_rates",
    "groups",
    "prefix",
    "published_quality",
    "quality",
    "read_rows",
]

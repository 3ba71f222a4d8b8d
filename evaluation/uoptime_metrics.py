"""Table 3, second part: choice of the stability metric (µOpTime, RQ2).

Usage: python -m evaluation DATA --only uoptime_metrics
"""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import stats

from evaluation._markdown import Section, markdown, number, paragraph, percent
from evaluation._uoptime import METRICS, NEAR, change_rates, groups
from evaluation._uoptime_plans import prototype_choices
from steady.model import FloatArray

ALPHA = 0.01
SIZES = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"), (np.inf, "large"))
"""Bounds of the size of Cliff's delta: Japke et al. 2025, section 4.3."""

LAST = ("ds1", "ds3")
"""Data sets of which the last version of each project is used."""

Rates = Mapping[str, FloatArray]
"""Change rates of one project's benchmarks, by metric."""


def table(data: Path) -> Section:
    """Return all parts of the table."""
    folder = data / "uoptime"
    published = published_rates(folder)
    ours = {
        group.label: {
            metric: change_rates(group, prototype_choices(group, metric), metric)
            for metric in METRICS
        }
        for group in groups(folder, last=LAST)
    }
    return [
        "## Which metric to choose",
        paragraph(
            f"""This table follows RQ2 of Japke et al. (2025): do the change rates of the
                benchmarks' results differ between the metrics? It has the Kruskal-Wallis test over
                the five metrics. If p < {ALPHA}, Dunn's test with Bonferroni's correction compares
                all pairs, and each pair that differs is shown with Cliff's delta, which is positive
                if the first metric's rates are greater. Only the last version of each project is
                used. *Published*: from the published averages (`golden_min_configs.csv.gz`), also
                of projects without public measurements. *Ours*: from our choices with the
                prototype's method. The paper finds no difference in ds1 and ds3; in ds2 it mostly
                finds that rmad differs from all others. Signed change rates show the same. Absolute
                change rates show the deviation of results, and with these the metrics differ nearly
                everywhere."""
        ),
        differences_table(published, ours),
        paragraph(
            """This table helps to choose the metric for a kind of suite. It shows the absolute
                change rates (median / 90th percentile) and the share of benchmarks within 3 %, over
                all projects of a data set (published averages), in %. Another
                [page](evaluation-savings.md) shows the savings of each metric."""
        ),
        summary_table(published),
    ]


def differences_table(published: Mapping[str, Rates], ours: Mapping[str, Rates]) -> str:
    """Return the tests for each project, with the published choices."""
    rows = []
    for label, rates in published.items():
        own = differences(ours[label]) if label in ours else ("–", "–")
        sizes = differences({metric: np.abs(values) for metric, values in rates.items()})
        rows.append([label, *differences(rates), *own, *sizes])
    header = ["data"]
    for which in ("published", "ours", "published, without signs"):
        header += [f"{which}: p", "pairs that differ"]
    return markdown(header, rows)


def differences(rates: Rates) -> tuple[str, str]:
    """Return the p-value of Kruskal and Wallis, and the pairs that differ."""
    everything = list(rates.values())
    if np.ptp(np.concatenate(everything)) == 0:
        return "1", "none"
    probability = float(stats.kruskal(*everything).pvalue)
    shown = "< 0.0001" if probability < 1e-4 else number(probability, 4)
    if probability >= ALPHA:
        return shown, "none"
    corrected = dunn(everything)
    pairs = []
    for (first, second), p in zip(combinations(rates, 2), corrected, strict=True):
        if p < ALPHA:
            delta = cliffs_delta(rates[first], rates[second])
            pairs.append(f"{first}–{second} {number(delta)} ({size_of(delta)})")
    return shown, ", ".join(pairs) or "none"


def dunn(samples: list[FloatArray]) -> FloatArray:
    """Compare all pairs of samples by their mean ranks, p-values corrected by Bonferroni.

    Parameters
    ----------
    samples : list of ndarray
        At least two.

    Returns
    -------
    ndarray of float64, shape (pairs,)
        In the order of ``itertools.combinations``.

    References
    ----------
    O. J. Dunn, *Multiple comparisons using rank sums*, Technometrics 6 (1964), with ties as in
    section 3.
    """
    ranks = stats.rankdata(np.concatenate(samples))
    sizes = np.array([len(sample) for sample in samples])
    means = np.array([part.mean() for part in np.split(ranks, np.cumsum(sizes)[:-1])])
    total = int(sizes.sum())
    _, ties = np.unique(ranks, return_counts=True)
    variance = total * (total + 1) / 12 - np.sum(ties**3 - ties) / (12 * (total - 1))
    pairs = np.array(list(combinations(range(len(samples)), 2)))
    errors = np.sqrt(variance * (1 / sizes[pairs]).sum(axis=1))
    scores = np.abs(means[pairs[:, 0]] - means[pairs[:, 1]]) / errors
    return np.asarray(np.minimum(2 * stats.norm.sf(scores) * len(pairs), 1.0), dtype=np.float64)


def cliffs_delta(first: FloatArray, second: FloatArray) -> float:
    """Return Cliff's delta of two samples."""
    ordered = np.sort(second)
    below = np.searchsorted(ordered, first, side="left").sum()
    above = (len(ordered) - np.searchsorted(ordered, first, side="right")).sum()
    return float((int(below) - int(above)) / (len(first) * len(second)))


def size_of(delta: float) -> str:
    """Return the usual word for the size of Cliff's delta."""
    return next(word for bound, word in SIZES if abs(delta) < bound)


def published_rates(folder: Path) -> dict[str, dict[str, FloatArray]]:
    """Return the change rates of the published averages by project and metric.

    Of data sets with versions the last one of each project.
    """
    found: dict[tuple[str, str, str], dict[str, dict[str, list[float]]]] = {}
    with gzip.open(folder / "golden_min_configs.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["strategy"] == "uoptime":
                key = row["dataset"], row["project"], row["variant"]
                versions = found.setdefault(key, {})
                version = versions.setdefault(row["version"], defaultdict(list))
                full = float(row["full_average"])
                version[row["metric"]].append((float(row["min_average"]) - full) / full)
    rates = {}
    for (dataset, project, variant), versions in found.items():
        names = sorted(versions)[-1:] if dataset in LAST else sorted(versions)
        rates[" ".join(filter(None, (dataset, project, variant)))] = {
            metric: np.concatenate([versions[name][metric] for name in names]) for metric in METRICS
        }
    return rates


def summary_table(published: Mapping[str, Rates]) -> str:
    """Return the change rates over all projects of a data set and variant."""
    kinds: dict[str, list[Rates]] = defaultdict(list)
    for label, rates in published.items():
        dataset, *_, last = label.split()
        variant = last if last in ("nowarmup", "warmup50") else ""
        kinds[f"{dataset} {variant}".strip()].append(rates)
    rows = []
    for kind, projects in kinds.items():
        cells = []
        for metric in METRICS:
            pooled = np.abs(np.concatenate([project[metric] for project in projects]))
            middle, most = np.quantile(pooled, (0.5, 0.9)).tolist()
            near = float(np.mean(pooled <= NEAR[1]))
            cells.append(f"{percent(middle, 1)} / {percent(most, 1)}; {percent(near)}")
        rows.append([kind, *cells])
    return markdown(["data", *METRICS], rows)

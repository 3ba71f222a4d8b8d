"""Table 3, third part: changes detected with smaller configurations (µOpTime, RQ4).

Usage: python -m evaluation DATA --only uoptime_changes
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from evaluation._markdown import Section, markdown, paragraph
from evaluation._uoptime import read_rows
from evaluation._uoptime_plans import as_forks, paper, plan_of, prototype
from evaluation.uoptime_conformance import read_measurements
from steady.model import FloatArray
from steady.stats import median_interval

MIN_CHANGE = 0.03
PROTOTYPE_METRICS = {"ds1": "rmad", "ds3": "rciw3"}

Version = Mapping[str, FloatArray]
"""Measurements by benchmark."""

Measure = Callable[[FloatArray], FloatArray]
"""Function that returns a configuration's measurements of a benchmark."""

Way = Callable[[Version, str], dict[str, Measure]]
"""Function from a project's first version and data set to the configuration of each benchmark."""


def table(data: Path) -> Section:
    """Return the table."""
    folder = data / "uoptime"
    ways: dict[str, Way] = {
        "minimum (1 x 3)": minimum,
        "the prototype's way": in_prototypes_way,
        "as the paper is written": as_written,
        "plan: uoptime": lambda first, dataset: in_plan(first, dataset, strategy="uoptime"),
        "plan: error-budget 3 %": in_plan,
    }
    names = [f"published: {name}" for name in ("minimum", "random", "uoptime")]
    rows = []
    published = published_counts(folder)
    for (dataset, project), versions in projects(folder).items():
        cells = [published[project, name] for name in ("minimum", "random", "uoptime")]
        suites = list(versions.values())
        cells += [_cell(count_changes(suites, way, dataset)) for way in ways.values()]
        rows.append([f"{dataset} {project}", *cells])
    return [
        "## Changes found by smaller configurations",
        paragraph(
            """As in RQ4 of Japke et al. (2025), configurations are chosen on a project's first
                version and kept. Between two consecutive versions, a benchmark is reported if it
                becomes more than 3 % slower and the 99 % bootstrap confidence intervals of the
                medians do not overlap. The truth is the result of the same rule for the full
                configuration. Each cell has true positives / false positives / false negatives; the
                published figures are in `golden_changes.csv`. The prototype's method uses rmad for
                Go and rciw3 (of the mean) for Java. Section 5 shows how much of that truth is noise
                itself, and the results of steady's rules for the same versions."""
        ),
        markdown(["data", *names, *(f"ours: {name}" for name in ways)], rows),
    ]


def _cell(counts: tuple[int, int, int]) -> str:
    return " / ".join(map(str, counts))


def projects(folder: Path) -> dict[tuple[str, str], dict[str, dict[str, FloatArray]]]:
    """Return the measurements of Go and of data set 3 by project, version and benchmark."""
    found: dict[tuple[str, str], dict[str, dict[str, FloatArray]]] = defaultdict(dict)
    for (dataset, project, version, benchmark, params), values in read_measurements(folder):
        if dataset != "ds2":
            found[dataset, project].setdefault(version, {})[benchmark + params] = values
    return {
        key: {name: versions[name] for name in sorted(versions)} for key, versions in found.items()
    }


def published_counts(folder: Path) -> dict[tuple[str, str], str]:
    """Return the published counts, by project and strategy."""
    sums: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in read_rows(folder / "golden_changes.csv"):
        key = row["project"], row["strategy"]
        sums[key].update({name: int(row[name]) for name in ("tp", "fp", "fn")})
    return {key: f"{c['tp']} / {c['fp']} / {c['fn']}" for key, c in sums.items()}


def count_changes(versions: Sequence[Version], way: Way, dataset: str) -> tuple[int, int, int]:
    """Count true positives, false positives and false negatives over consecutive versions."""
    measures = way(versions[0], dataset)
    full = [_judged(version, dict.fromkeys(measures, _everything)) for version in versions]
    reduced = [_judged(version, measures) for version in versions]
    counts: Counter[tuple[bool, bool]] = Counter()
    for truth, found in zip(pairwise(full), pairwise(reduced), strict=True):
        for name in truth[0].keys() & truth[1].keys():
            true = is_slower(truth[0][name], truth[1][name])
            counts[true, is_slower(found[0][name], found[1][name])] += 1
    return counts[True, True], counts[False, True], counts[True, False]


Judged = tuple[float, float, float]
"""Median with its confidence limits."""


def is_slower(base: Judged, head: Judged) -> bool:
    """Return whether head is slower by the paper's rule; touching intervals do not overlap."""
    overlap = min(base[2], head[2]) - max(base[1], head[1])
    return (head[0] - base[0]) / base[0] > MIN_CHANGE and overlap <= 0


def _judged(version: Version, measures: Mapping[str, Measure]) -> dict[str, Judged]:
    found = {}
    for name in version.keys() & measures.keys():
        values = measures[name](version[name])
        found[name] = (float(np.nanmedian(values)), *median_interval(values))
    return found


def _everything(values: FloatArray) -> FloatArray:
    return values


def minimum(first: Version, dataset: str) -> dict[str, Measure]:
    """Measure the minimal configuration that the paper allows."""
    return _blocks((name, (1, 3, 1) if dataset == "ds1" else (1, 3)) for name in first)


def in_prototypes_way(first: Version, dataset: str) -> dict[str, Measure]:
    """Choose like the prototype."""
    metric = PROTOTYPE_METRICS[dataset]
    return _blocks((name, prototype(values, metric)) for name, values in first.items())


def as_written(first: Version, dataset: str) -> dict[str, Measure]:
    """Choose as in the paper, by its recommended metric."""
    metric = PROTOTYPE_METRICS[dataset]
    return _blocks((name, paper(values, metric)) for name, values in first.items())


def in_plan(first: Version, dataset: str, **options: object) -> dict[str, Measure]:
    """Choose like `steady optimize`."""
    plan = plan_of(list(first.values()), dataset, **options)
    return {
        name: _window(entry.forks, entry.warmup, entry.iterations)
        for name, entry in zip(first, plan.benchmarks, strict=True)
    }


def _blocks(configurations: Iterable[tuple[str, tuple[int, ...]]]) -> dict[str, Measure]:
    return {name: _block(configuration) for name, configuration in configurations}


def _block(configuration: tuple[int, ...]) -> Measure:
    return lambda values: values[tuple(slice(count) for count in configuration)]


def _window(forks: int, warmup: int, iterations: int) -> Measure:
    return lambda values: as_forks(values)[:forks, warmup : warmup + iterations]

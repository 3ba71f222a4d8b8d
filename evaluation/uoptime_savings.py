"""Table 3, first part: savings of µOpTime and errors of its results.

Usage: python -m evaluation DATA --only uoptime_savings
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from evaluation._markdown import Cell, Section, Table, markdown, paragraph, percent
from evaluation._uoptime import (
    METRICS,
    NEAR,
    Group,
    Quality,
    average,
    groups,
    prefix,
    published_quality,
    quality,
)
from evaluation._uoptime_plans import as_forks, paper, planned, prototype_choices

WITHIN = [f"within {percent(limit)} %" for limit in NEAR]
BUDGETS = (0.01, 0.03, 0.05)

Results = Mapping[tuple[str, str], Quality]
"""By label of the group, and metric."""


def table(data: Path) -> Section:
    """Return all parts of the table."""
    folder = data / "uoptime"
    found = groups(folder)
    results = {
        (group.label, metric): quality(group, prototype_choices(group, metric), metric)
        for group in found
        for metric in METRICS
    }
    warmed = [group for group in found if group.variant == "warmup50"]
    return [
        "## 3. Smaller configurations: what they save, and how far their results are off",
        paragraph(
            """These are the configurations that Algorithm 1 of Japke et al. (2025, RQ1 and RQ3)
                chooses at a threshold of 1 %, as in their prototype, but with our metrics, of which
                only rciw2 draws random numbers. *ds1*: Go, all versions pooled. *ds2*: Java from
                the first iteration on (*nowarmup*) and from the 51st (*warmup50*). *ds3*: Java
                after 20 s of warm-up, the last version. Each cell holds our figure / the published
                one (`golden_quality.csv`), in %. *Saved*: the share of the measured seconds.
                *Within*: the share of the benchmarks whose result differs by at most that much from
                the full configuration's. Six projects of ds2 have published results but no public
                measurements."""
        ),
        prototype_table(folder, found, results),
        "Saved in all if 50 s of warm-up count for each fork, ours / published, %:",
        warmup_table(folder, warmed, results),
        paragraph(
            """This table has the same benchmarks with steady's configurations, in %. *rciw3 as
                written*: `steady.minimal_configuration` with the confidence interval of the median,
                as the paper describes it; every level counts, and a value at the threshold is
                stable. *Plan*: `steady.optimize`, which detects the warm-up itself. Its seconds
                include warm-up and the start of forks, and its results are compared with the median
                of the second half of every fork. So it is judged on *nowarmup*, and *warmup50* is
                excluded. These figures have not been published before."""
        ),
        own_table(found),
    ]


def prototype_table(folder: Path, found: list[Group], results: Results) -> Table:
    """Return savings and accuracy of each metric, with the published ones."""
    rows: list[list[Cell]] = []
    for group in found:
        for metric in METRICS:
            ours = results[group.label, metric]
            theirs = published_quality(folder, group, metric)
            cells = zip((ours.saved, *ours.near), (theirs.saved, *theirs.near), strict=True)
            pairs = [(percent(mine), percent(published)) for mine, published in cells]
            rows.append([group.label, metric, *pairs])
    return Table(["data", "metric", "saved", *WITHIN], rows)


def warmup_table(folder: Path, found: list[Group], results: Results) -> Table:
    """Return the total savings if every fork has a warm-up of 50 s."""
    rows: list[list[Cell]] = []
    for group in found:
        cells: list[Cell] = []
        for metric in METRICS:
            ours = results[group.label, metric].total_saved
            theirs = published_quality(folder, group, metric).total_saved
            cells.append((percent(ours), percent(theirs)))
        rows.append([group.label, *cells])
    return Table(["data", *METRICS], rows)


def own_table(found: list[Group]) -> str:
    """Return savings and accuracy of steady's strategies."""
    rows = []
    for group in found:
        chosen = [paper(values) for values in group.measurements]
        rows.append(_own_row(group, "rciw3 as written", quality(group, chosen, "rciw3")))
        if group.variant == "warmup50":
            continue
        uoptime = plan_quality(group, strategy="uoptime")
        rows.append(_own_row(group, "plan: uoptime", uoptime))
        for budget in BUDGETS:
            result = plan_quality(group, strategy="error-budget", budget=budget)
            rows.append(_own_row(group, f"plan: error-budget {percent(budget)} %", result))
    return markdown(["data", "way", "saved", *WITHIN], rows)


def plan_quality(group: Group, **options: object) -> Quality:
    """Return a plan's savings, and its results' deviation from the steady forks."""
    plan = planned(group, **options)
    rates = []
    for values, entry in zip(group.measurements, plan.benchmarks, strict=True):
        forks = as_forks(values)
        settled = forks[:, forks.shape[1] // 2 :] if group.dataset == "ds2" else forks
        full = average(settled, "rciw3")
        measured = prefix(forks, (entry.forks, entry.warmup + entry.iterations))
        rates.append(abs(average(measured[:, entry.warmup :], "rciw3") / full - 1))
    saved = 1 - plan.seconds / plan.full_seconds
    near = tuple(float(np.mean(np.array(rates) <= limit)) for limit in NEAR)
    return Quality(saved, saved, near)


def _own_row(group: Group, way: str, result: Quality) -> list[str]:
    shares = (result.saved, *result.near)
    return [group.label, way, *(percent(share) for share in shares)]

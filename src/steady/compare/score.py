"""The harness's own score, beside the value that the rule judges.

Rules rest on values that a few odd iterations do not move, such as medians. Whoever compares the
report with the harness's output looks for the number that the harness shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from steady.compare.change import Change, Estimate
from steady.compare.pair import fork_values
from steady.model import Benchmark, FloatArray


@dataclass(frozen=True, slots=True)
class HarnessScore:
    """The number that a harness's own tools show of a benchmark.

    Parameters
    ----------
    name : str
        What it is, as the subject of a sentence.
    of : callable
        Computes it from all measured values.
    without : tuple of str
        Modes in which it does not follow from the results.
    """

    name: str
    of: Callable[[FloatArray], np.floating[Any]]
    without: tuple[str, ...] = ()


HARNESS_SCORES: Mapping[str, HarnessScore] = MappingProxyType(
    {
        # In sample mode, JMH's score is a mean over single samples, and the results hold only one
        # mean for each iteration.
        "jmh": HarnessScore("JMH's score, the mean of all iterations,", np.mean, ("sample",)),
        "go": HarnessScore("benchstat's value, the median of all results,", np.median),
    }
)
"""What is known of each harness, by its name."""


def harness_score(benchmark: Benchmark, harness: str) -> float | None:
    """Return what the harness's own tools show of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        Its measured iterations count.
    harness : str
        A name in `HARNESS_SCORES`.

    Returns
    -------
    float or None
        In the benchmark's unit. None for other harnesses, and in modes without a score.
    """
    values = benchmark.measured[np.isfinite(benchmark.measured)]
    score = HARNESS_SCORES.get(harness)
    if score is None or benchmark.identity.mode in score.without or not values.size:
        return None
    return float(score.of(values))


def with_scores(
    change: Change, base: Benchmark, head: Benchmark, harness: str, min_change: float
) -> Change:
    """Return a change whose two results also hold the harness's score.

    If a result changed, and a score is further from the value than the smallest change that
    counts, a note says so and gives the reason.

    Parameters
    ----------
    change : Change
        As the rule found it.
    base, head : Benchmark
        The two sides.
    harness : str
        That ran them.
    min_change : float
        Smallest relative change that counts, where the change has none of its own.
    """
    least = min_change if change.min_change is None else change.min_change
    sides = {"base": (change.base, base), "head": (change.head, head)}
    scores = {name: harness_score(benchmark, harness) for name, (_, benchmark) in sides.items()}
    off = {name: _off(estimate, scores[name]) for name, (estimate, _) in sides.items()}
    furthest = max(off, key=lambda name: abs(off[name]))
    notes = change.notes
    # For a suite without changes, such a note on every benchmark would only distract.
    if abs(off[furthest]) > least and change.outcome in ("regression", "improvement"):
        estimate, benchmark = sides[furthest]
        where = "above" if off[furthest] > 0 else "below"
        why = _why(fork_values(benchmark), estimate.center, off[furthest], least)
        # The note has no numbers, so that a report can group benchmarks with the same note.
        notes += (f"{HARNESS_SCORES[harness].name} lies well {where} the value shown here: {why}",)
    return replace(
        change,
        base=replace(change.base, score=scores["base"]),
        head=replace(change.head, score=scores["head"]),
        notes=notes,
    )


def _off(estimate: Estimate, score: float | None) -> float:
    if score is None or estimate.center == 0:
        return 0.0
    return score / estimate.center - 1


def _why(table: FloatArray, center: float, off: float, least: float) -> str:
    """Say what moves a mean away from the middle; `table` has a row for each fork."""
    of_forks = float(np.nanmean(np.nanmedian(table, axis=1))) / center - 1
    if abs(of_forks) >= abs(off) / 2 and of_forks * off > 0:
        return "its forks differ"
    half = table.shape[1] // 2
    halves = np.stack([table[:, :half], table[:, -half:]])
    halves = halves[:, ~np.isnan(halves).all(axis=2).any(axis=0)]  # a fork may have ended early
    if halves.size:
        early, late = np.nanmedian(halves, axis=2)
        with np.errstate(all="ignore"):
            drift = float(np.nanmedian(early / late - 1))
        if abs(drift) > least:
            return "its iterations still drift"
    return "single iterations lie far from the others"

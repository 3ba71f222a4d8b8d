"""The harness's own score, beside the value that the rule judges.

Rules rest on values that a few odd iterations do not move, such as medians. Whoever compares the
report with the harness's output looks for the number that the harness shows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steady.compare.benchmark_change import Change, Estimate
from steady.compare.pair import fork_values
from steady.harness import harness_named
from steady.model import Benchmark, FloatArray


def harness_score(benchmark: Benchmark, harness: str) -> float | None:
    """Return what the harness's own tools show of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        Its measured iterations count.
    harness : str
        What it shows: the mean of all iterations of all forks, or their median.

    Returns
    -------
    float or None
        In the benchmark's unit. None for harnesses without a score, and in modes whose results do
        not hold it.
    """
    values = benchmark.measured[np.isfinite(benchmark.measured)]
    score = harness_named(harness).score
    if score is None or benchmark.identity.mode in score.not_of or not values.size:
        return None
    return float(values.mean() if score.kind == "mean" else np.median(values))


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
        score = harness_named(harness).score
        words = "" if score is None else score.words
        notes += (f"{words} lies well {where} the value shown here: {why}",)
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

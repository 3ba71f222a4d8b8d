"""Onset: the warm-up's contrast says whether a fork becomes steady, and a model says where."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steady.inputs import check_between, check_positive, to_unit_scale
from steady.model import FloatArray
from steady.steadystate._onset_evidence import (
    GROUPS,
    PARTS,
    Whole,
    local_evidence,
    whole_evidence,
)
from steady.steadystate._onset_model import (
    best_part,
    middle_of,
    start_distribution,
    stored_trees,
)
from steady.steadystate._validation import as_series, unjudged
from steady.steadystate.result import SteadyState

NAME = "onset"

CONTRAST = 11.0
LEAST_CONTRAST = 2.5
"""A straight fall from beginning to end has a contrast of 2."""
CONTRAST_LENGTH = 3000
"""The full contrast is needed from this many iterations on."""

LEVEL_P = 0.01

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Quantiles of the start's distribution that the result contains."""


def onset(
    values: npt.ArrayLike, *, contrast: float = CONTRAST, level_p: float = LEVEL_P
) -> SteadyState:
    """Find the steady state of one fork as people see it in a plot.

    A fork becomes steady if its warm-up is much higher than the spread at its end, or if its
    second half is noise around one level. If it does, a model of human labels gives the start.
    The start is 0 if there is no warm-up: all is noise around one level, and nothing at the
    beginning is as high as the late spread.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first: lower is better. NaN at
        the end marks iterations that did not run. Never modified.
    contrast : float
        The warm-up is high enough if its height (largest value of the first tenth, above the
        median of the last two thirds) is at least this many times the late spread (1st to 99th
        percentile of the last third). Below 3000 iterations the limit falls in proportion, to 2.5.
    level_p : float
        The second half is level if, with at least this probability, noise alone makes groups of
        it differ as much as they do (Kruskal and Wallis, up to ten groups).

    Returns
    -------
    SteadyState
        ``intervals`` show how certain the start is: where the probability that the steady state
        has begun reaches 10, 25, 50, 75 and 90 %. Unsteady forks have them too.

    Raises
    ------
    InputError
        If `values` is not one series of finite numbers, or an option is out of its range.

    Notes
    -----
    The series is cut into 300 parts. Boosted trees, fitted to human starts, give the hazard of
    the start at each part: its probability there, given that it was not earlier. The start is the
    middle of the part with the least expected cost: the distance from the true start, and 20
    parts more if it is off by more than 5. ``evaluation/train_recommended.py`` fits the trees;
    ``docs/methods.md`` says how well they do.

    References
    ----------
    steady's own. Labels: M. Beseda et al., *A kernel-based approach for accurate steady-state
    detection in performance time series*, 2025, section 4. Hazards in steps: D. R. Cox, *Regression
    models and life-tables*, 1972, section 6. Boosting: J. H. Friedman, *Greedy function
    approximation: a gradient boosting machine*, 2001. Levels: W. H. Kruskal, W. A. Wallis, *Use of
    ranks in one-criterion variance analysis*, 1952.
    """
    series = as_series(values)
    check_positive(contrast=contrast)
    check_between(0, 1, level_p=level_p)
    early = unjudged(series, NAME)
    if early is not None:
        return early
    with np.errstate(under="ignore"):
        scaled = to_unit_scale(series)
        whole = whole_evidence(scaled)
        probability = start_distribution(stored_trees(), local_evidence(scaled, whole))
    intervals = _begun(probability, len(series))
    needed = needed_contrast(len(series), contrast)
    towers, level = whole.contrast >= needed, whole.level_p >= level_p
    why = _why(whole, needed, towers=towers, level=level)
    if not (towers or level):
        return SteadyState(None, NAME, None, intervals, f"not steady: {why}")
    if has_no_warmup(whole, level_p):
        why = f"no warm-up, all is noise around one level (p = {whole.whole_level_p:.3f})"
        start = 0
    else:
        start = middle_of(best_part(probability), len(series))
    reason = f"steady from iteration {start} (counted from 0) on: {why}; {_within(scaled[start:])}"
    return SteadyState(start, NAME, None, intervals, reason)


def needed_contrast(iterations: int, contrast: float = CONTRAST) -> float:
    """Return the contrast that a series of this length needs.

    If iterations are longer and fewer, the first invocations are a smaller part of the first one,
    so the warm-up is lower.
    """
    return min(contrast, max(LEAST_CONTRAST, contrast * iterations / CONTRAST_LENGTH))


def has_no_warmup(whole: Whole, level_p: float = LEVEL_P) -> bool:
    """Tell whether all is noise around one level, and nothing high at the beginning."""
    return whole.contrast < 1 and whole.whole_level_p >= level_p


def _begun(probability: FloatArray, iterations: int) -> tuple[tuple[int, float], ...]:
    """Return where the probability that the steady state has begun reaches each quantile."""
    parts = np.searchsorted(np.cumsum(probability), QUANTILES)
    reached = {0: 0.0}
    for part, quantile in zip(parts.tolist(), QUANTILES, strict=True):
        reached[middle_of(min(part, PARTS - 1), iterations)] = quantile
    return tuple(reached.items())


def _why(whole: Whole, needed: float, *, towers: bool, level: bool) -> str:
    """Describe what was found, the deciding evidence first."""
    height = (
        f"the warm-up stands {whole.contrast:.1f} times as high as the late spread "
        f"(needed: {needed:.1f})"
    )
    if towers:
        return height
    if level:
        return f"the second half is noise around one level (p = {whole.level_p:.3f})"
    return f"{height}, and the level changes in the second half (p = {whole.level_p:.3f})"


def _within(steady: FloatArray) -> str:
    """Describe how level the steady part is: how much medians of ten groups differ from theirs."""
    groups = np.array_split(steady, min(GROUPS, len(steady)))
    medians = np.array([np.median(group) for group in groups])
    level = np.median(medians)
    if level == 0:
        return "the level from there on is 0"
    share = 100 * np.max(np.abs(medians - level)) / abs(level)
    return f"medians of {len(groups)} groups from there on lie within {share:.2g} % of their level"

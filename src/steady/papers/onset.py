"""Onset: steady-state detection by models of human labels of plots."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.number_checks import check_between, to_unit_scale
from steady.papers.onset_features import (
    FEATURES,
    GROUPS,
    PARTS,
    SeriesFeatures,
    part_features,
    series_features,
)
from steady.papers.onset_model import (
    FULL_LENGTH,
    PlotProperties,
    PointsModel,
    plot_properties,
    stored_points,
)
from steady.steadystate.detection import SteadyState, as_series, trivial_result

LAST_START = 5 * PARTS // 6
"""Last part that can be the start; later ones would leave a steady state that is too short."""

MISS_DISTANCE = 5
"""Maximum error of a start, in parts, without an additional cost."""

MISS_COST = 20.0
"""Additional cost of a larger error, in parts."""

MODEL_FILE = "onset.json"


@dataclass(frozen=True, slots=True)
class Trees:
    """Boosted decision trees of depth two, whose sum is the log-odds of the start.

    Parameters
    ----------
    base : float
        Log-odds without the trees.
    columns : ndarray of int, shape (trees, 3)
        Feature of each split: at the root, and at its left and right child.
    thresholds : ndarray of float64, shape (trees, 3)
        Thresholds of the splits; values above go right.
    leaves : ndarray of float64, shape (trees, 4)
        Log-odds of the leaves, from left to right.
    """

    base: float
    columns: npt.NDArray[np.intp]
    thresholds: FloatArray
    leaves: FloatArray

    def log_odds(self, evidence: FloatArray) -> FloatArray:
        """Return the log-odds for each row of `evidence`, shape (rows, columns)."""
        above = evidence[:, self.columns] > self.thresholds
        leaf = np.where(above[:, :, 0], 2 + above[:, :, 2], above[:, :, 1])
        chosen = self.leaves[np.arange(len(self.leaves)), leaf]
        return np.asarray(self.base + np.sum(chosen, axis=1), dtype=np.float64)


def start_distribution(trees: Trees, evidence: FloatArray) -> FloatArray:
    """Return the probability that the steady state starts at each part, shape (PARTS,).

    The trees predict the hazard: the probability of a start here, given no earlier start. The
    remaining probability is assigned to `LAST_START`.
    """
    hazard = 1 / (1 + np.exp(-trees.log_odds(evidence[: LAST_START + 1])))
    hazard[-1] = 1
    waiting = np.concatenate(([1.0], np.cumprod(1 - hazard[:-1])))
    probability = np.zeros(PARTS)
    probability[: LAST_START + 1] = hazard * waiting
    return probability


def best_part(probability: FloatArray, miss: float = MISS_COST) -> int:
    """Return the start with the least expected cost of distance and misses."""
    parts = np.arange(PARTS)
    distance = np.abs(parts[:, np.newaxis] - parts)
    return int(np.argmin((distance + miss * (distance > MISS_DISTANCE)) @ probability))


def middle_of(part: int, iterations: int) -> int:
    """Return the iteration in the middle of a part."""
    return (2 * part + 1) * iterations // (2 * PARTS)


@cache
def stored_trees() -> Trees:
    """Load the trees stored by ``evaluation/train_recommended.py``."""
    file = resources.files("steady.papers").joinpath(MODEL_FILE)
    stored = json.loads(file.read_text(encoding="utf-8"))
    column = {name: number for number, name in enumerate(FEATURES)}
    trees = stored["trees"]
    return Trees(
        stored["base"],
        np.array([[column[name] for name in tree["columns"]] for tree in trees], dtype=np.intp),
        np.array([tree["thresholds"] for tree in trees], dtype=np.float64),
        np.array([tree["leaves"] for tree in trees], dtype=np.float64),
    )


NAME = "onset"

PROBABILITY = 0.5
LEVEL_P = 0.01

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Quantiles of the start's distribution in the result."""


def onset(
    values: npt.ArrayLike, *, probability: float = PROBABILITY, level_p: float = LEVEL_P
) -> SteadyState:
    """Detect the steady state of one fork as people would in a plot.

    A fork is steady if people would probably call it steady, according to five properties of its
    plot, or if its second half is noise around one level. If so, a model of human labels predicts
    the start. The start is 0 if there is no warm-up: the whole series is noise around one level,
    and no value at the beginning exceeds the late values.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first: lower is better. NaN at
        the end marks iterations that did not run. Never modified.
    probability : float
        Minimum probability that people would call the fork steady.
    level_p : float
        Minimum p-value of a Kruskal-Wallis test on up to ten groups of the second half for it to
        count as level.

    Returns
    -------
    SteadyState
        The result; ``intervals`` describe the uncertainty of the start: the iterations at which the
        probability that the steady state has begun reaches 10, 25, 50, 75 and 90 %. They are also
        given for unsteady forks.

    Raises
    ------
    InputError
        If `values` is not one series of finite numbers, or an option is out of range.

    Notes
    -----
    The properties are the range of all values divided by the late range (with an estimate of the
    peak that the first of fewer than 3000 iterations averages out), the time from which on the
    running median stays near its last level (within 2 % of the warm-up's height, and within 5 % of
    its own range), the longest segment around one level, and the maximum of the last third. The
    log-odds are fitted by logistic regression on human labels, piecewise linear between four values
    of each property.

    The series is split into 300 parts. Boosted trees, fitted to human labels, predict the hazard of
    the start at each part: its probability there, given that it was not earlier. The start is the
    middle of the part with the least expected cost: the distance from the true start, plus 20 parts
    if it is off by more than 5. ``evaluation/train_recommended.py`` fits both; ``docs/methods.md``
    reports their accuracy.

    References
    ----------
    steady's own. Labels: M. Beseda et al., *A kernel-based approach for accurate steady-state
    detection in performance time series*, 2025, section 4. Hazards in steps: D. R. Cox, *Regression
    models and life-tables*, 1972, section 6. Boosting: J. H. Friedman, *Greedy function
    approximation: a gradient boosting machine*, 2001. Levels: W. H. Kruskal, W. A. Wallis, *Use of
    ranks in one-criterion variance analysis*, 1952.
    """
    series = as_series(values)
    check_between(0, 1, probability=probability, level_p=level_p)
    early = trivial_result(series, NAME)
    if early is not None:
        return early
    with np.errstate(under="ignore"):
        scaled = to_unit_scale(series)
        whole = series_features(scaled)
        distribution = start_distribution(stored_trees(), part_features(scaled, whole))
        seen = plot_properties(scaled, whole)
    intervals = _begun(distribution, len(series))
    level = whole.level_p >= level_p
    why = _why(stored_points(), seen, len(series))
    if not (level or stored_points().probability(seen) >= probability):
        changes = f"the level changes in the second half (p = {whole.level_p:.3f})"
        return SteadyState(None, NAME, None, intervals, f"not steady: {why}, and {changes}")
    if has_no_warmup(whole, level_p):
        why = f"no warm-up, all is noise around one level (p = {whole.whole_level_p:.3f})"
        start = 0
    else:
        start = middle_of(best_part(distribution), len(series))
        if level:
            why = f"the second half is noise around one level (p = {whole.level_p:.3f})"
    reason = f"steady from iteration {start} (counted from 0) on: {why}; {_within(scaled[start:])}"
    return SteadyState(start, NAME, None, intervals, reason)


def has_no_warmup(whole: SeriesFeatures, level_p: float = LEVEL_P) -> bool:
    """Return whether the series is noise around one level without a peak at the beginning."""
    return whole.contrast < 1 and whole.whole_level_p >= level_p


def _begun(distribution: FloatArray, iterations: int) -> tuple[tuple[int, float], ...]:
    """Return the iterations at which the probability of a steady state reaches each quantile."""
    parts = np.searchsorted(np.cumsum(distribution), QUANTILES)
    reached = {0: 0.0}
    for part, quantile in zip(parts.tolist(), QUANTILES, strict=True):
        reached[middle_of(min(part, PARTS - 1), iterations)] = quantile
    return tuple(reached.items())


def _why(points: PointsModel, seen: PlotProperties, iterations: int) -> str:
    """Return a sentence with the probability, and the property that contributes most."""
    probability, each = points.probability(seen), points.each(seen)
    most = max(each, key=lambda name: each[name] * np.sign(probability - 0.5))
    likely = f"people would call it steady with a probability of {100 * probability:.0f} %"
    return f"{likely}: {_shown(most, seen, iterations)}"


def _shown(name: str, seen: PlotProperties, iterations: int) -> str:
    """Describe one property as it appears in a plot."""
    value = seen[name]
    since = "never" if value == 1 else f"from iteration {round(value * iterations)} on"
    bands = {"in_warmup_band": "2 % of the warm-up's height", "in_own_band": "5 % of its own range"}
    if name in bands:
        return f"the running median stays within {bands[name]} {since}"
    hidden = (
        "" if iterations >= FULL_LENGTH else ", including those that the first iteration covers,"
    )
    return {
        "span": f"all values{hidden} span {np.exp(value):.1f} times the late spread",
        "stretch": f"the longest stretch around one level is {100 * value:.0f} % of the run",
        "late_top": f"the last third reaches {100 * value:.0f} % of the height of the plot",
    }[name]


def _within(steady: FloatArray) -> str:
    """Describe the variation of the medians of ten groups of the steady part."""
    groups = np.array_split(steady, min(GROUPS, len(steady)))
    medians = np.array([np.median(group) for group in groups])
    level = np.median(medians)
    if level == 0:
        return "the level from there on is 0"
    share = 100 * np.max(np.abs(medians - level)) / abs(level)
    return f"medians of {len(groups)} groups from there on lie within {share:.2g} % of their level"

"""The detector `by-length`, which chooses the best detector for the length of a fork."""

import numpy.typing as npt

from steady.registry import OnRequest
from steady.steadystate.detection import SteadyState, as_series, never_steady, trivial_result
from steady.steadystate.kb_kssd import NAME as KB_KSSD
from steady.steadystate.kb_kssd import PUBLISHED_WINDOW, kb_kssd

NAME = "by-length"

ONSET = "onset"
_ONSET = OnRequest("steady.papers.onset:onset")

SHORTEST = 30
"""Minimum length at which a detector outperforms a constant warm-up; see
docs/evaluation-warmups.md."""

LONG_ENOUGH = PUBLISHED_WINDOW
"""Minimum length that contains all of KB-KSSD's published windows."""


def detector_for(iterations: int) -> str:
    """Return the name of the detector for this length; empty if it is too short for all.

    Parameters
    ----------
    iterations : int
        Number of iterations of the shortest fork.
    """
    if iterations >= LONG_ENOUGH:
        return KB_KSSD
    return ONSET if iterations >= SHORTEST else ""


def by_length(values: npt.ArrayLike) -> SteadyState:
    """Detect the steady state of one fork with the detector for its length.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first: lower is better. NaN at
        the end marks iterations that did not run. Never modified.

    Returns
    -------
    SteadyState
        The result of `kb_kssd`, exactly as published, from 500 iterations on, and of `onset` from
        30 on. ``start`` is None for fewer iterations; a constant series is steady from 0.

    Raises
    ------
    InputError
        If `values` is not one series of finite numbers.

    Notes
    -----
    KB-KSSD's windows have up to 500 iterations. In shorter forks of the jmh-steady data, the
    warm-ups that it detects are no better than a constant warm-up, and those of onset are. With 20
    iterations, no detector outperforms a constant.
    """
    series = as_series(values)
    early = trivial_result(series, NAME)
    if early is not None:
        return early
    if len(series) >= LONG_ENOUGH:
        return kb_kssd(series)
    if len(series) >= SHORTEST:
        state: SteadyState = _ONSET(series)
        return state
    return never_steady(NAME, f"too few iterations: {len(series)}, but {SHORTEST} are needed")

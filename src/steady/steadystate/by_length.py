"""By length: the detector that does best for the number of a fork's iterations."""

import numpy.typing as npt

from steady.registry import OnRequest
from steady.steadystate.detection import SteadyState, as_series, never_steady, unjudged
from steady.steadystate.kb_kssd import NAME as KB_KSSD
from steady.steadystate.kb_kssd import PUBLISHED_WINDOW, kb_kssd

NAME = "by-length"

ONSET = "onset"
_ONSET = OnRequest("steady.papers.onset:onset")

SHORTEST = 30
"""Fewest iterations at which a detector does better than a constant: docs/evaluation-warmups.md."""

LONG_ENOUGH = PUBLISHED_WINDOW
"""Fewest iterations in which all of KB-KSSD's published windows fit."""


def detector_for(iterations: int) -> str:
    """Return the registered name of the detector for this length; empty if none can tell.

    Parameters
    ----------
    iterations : int
        In the shortest fork that is to be judged.
    """
    if iterations >= LONG_ENOUGH:
        return KB_KSSD
    return ONSET if iterations >= SHORTEST else ""


def by_length(values: npt.ArrayLike) -> SteadyState:
    """Find the steady state of one fork with the detector for its length.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first: lower is better. NaN at
        the end marks iterations that did not run. Never modified.

    Returns
    -------
    SteadyState
        From 500 iterations on that of `kb_kssd`, exactly as published, from 30 on that of `onset`.
        ``start`` is None if there are fewer; a constant series is steady from 0.

    Raises
    ------
    InputError
        If `values` is not one series of finite numbers.

    Notes
    -----
    KB-KSSD's windows hold up to 500 iterations. In shorter forks of the jmh-steady data it finds
    warm-ups that are no better than a constant one, and onset does; in 20 iterations nothing does.
    """
    series = as_series(values)
    early = unjudged(series, NAME)
    if early is not None:
        return early
    if len(series) >= LONG_ENOUGH:
        return kb_kssd(series)
    if len(series) >= SHORTEST:
        state: SteadyState = _ONSET(series)
        return state
    return never_steady(NAME, f"too short to tell: {len(series)} iterations, it takes {SHORTEST}")

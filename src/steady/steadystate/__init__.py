"""Steady-state detection: find the end of a fork's warm-up.

The default for a series is KB-KSSD. The default for a plan is `by-length`, which chooses the best
detector for the length of a fork. `METHODS` also contains the detectors of other papers, which are
implemented in `steady.papers`. `ONLINE` has an online stop for every method: methods that process
iterations one by one have their own, and the others are rerun as the series grows.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy.typing as npt

from steady.registry import OnRequest, Registered, Registry
from steady.steadystate.detection import SteadyState as SteadyState
from steady.steadystate.detection import as_series, never_steady, trivial_result
from steady.steadystate.kb_kssd import NAME as KB_KSSD
from steady.steadystate.kb_kssd import PUBLISHED_WINDOW
from steady.steadystate.kb_kssd import kb_kssd as kb_kssd
from steady.steadystate.online import OnlineStop as OnlineStop
from steady.steadystate.online import RerunStop as RerunStop
from steady.steadystate.online import StabilityStop as StabilityStop

BY_LENGTH = "by-length"

ONSET = "onset"
_ONSET_DETECTOR = OnRequest("steady.papers.onset:onset")

SHORTEST = 30
"""Minimum length at which a detector outperforms a constant warm-up
(docs/evaluation-warmups.md)."""

LONG_ENOUGH = PUBLISHED_WINDOW
"""Minimum length that contains all of KB-KSSD's published windows."""


def detector_for(iterations: int) -> str:
    """Return the name of the detector for this length; empty if it is too short for any detector.

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
        The result of `kb_kssd` as published for at least 500 iterations, and of `onset` for 30 to
        499. ``start`` is None for fewer iterations; a constant series is steady from 0.

    Raises
    ------
    InputError
        If `values` is not one series of finite numbers.

    Notes
    -----
    KB-KSSD's windows have up to 500 iterations. For shorter forks of the jmh-steady data, onset
    outperforms a constant warm-up, and KB-KSSD does not. For forks of 20 iterations, no detector
    outperforms a constant warm-up.
    """
    series = as_series(values)
    early = trivial_result(series, BY_LENGTH)
    if early is not None:
        return early
    if len(series) >= LONG_ENOUGH:
        return kb_kssd(series)
    if len(series) >= SHORTEST:
        state: SteadyState = _ONSET_DETECTOR(series)
        return state
    return never_steady(BY_LENGTH, f"too few iterations: {len(series)}, but {SHORTEST} are needed")


Detector = Callable[..., SteadyState]
"""A detector: a function of one fork's series and keyword options."""

_BATCHES = "package ossdem; parameters of Beseda et al. 2025, section 4"
_FIRST = "first 100 iterations that"
_GEORGES = "Georges et al. 2007"
_LAABER = "Laaber et al. 2020"
_LEARNED = "Traini et al. 2024; our own training"
_OWN = "steady's own, docs/methods.md"
_FLAT = "five consecutive medians are alike, and the last two thirds have no trend"
_R_TEST = "Cao and Rhinehart 1995"
_ONSET = "five properties of a plot, or a level second half; start as people would place it"


def _of(module: str, name: str, summary: str, source: str) -> Registered[Detector]:
    place = f"steady.papers.{module}:{name.replace('-', '_')}"
    return Registered(name, summary, source, OnRequest(place))


METHODS: Registry[Detector] = Registry(
    "steady-state detector",
    Registered(
        "by-length",
        f"kb-kssd from {LONG_ENOUGH} iterations on, onset from {SHORTEST} on, none below",
        "docs/evaluation-warmups.md",
        by_length,
    ),
    Registered(
        "kb-kssd",
        "step down found by two kernels, then Kelly's probability of a steady state by windows",
        "Beseda et al. 2025, section 3",
        kb_kssd,
    ),
    _of(
        "cp_ssd",
        "cp-ssd",
        "change points in mean and variance, segments compared with the last one",
        "Traini et al. 2023",
    ),
    _of("stops", "sdm", "first batch with a flat regression line", _BATCHES),
    _of("stops", "t-test", "first batch with the same mean as the next", _BATCHES),
    _of("stops", "r-test", "ratio of the variances of deviations and of steps", _R_TEST),
    _of("stops", "georges", "first window with a small coefficient of variation", _GEORGES),
    _of("laaber", "laaber-cv", "coefficient of variation no longer changes", _LAABER),
    _of(
        "laaber",
        "laaber-rciw",
        "relative width of the mean's confidence interval no longer changes",
        _LAABER,
    ),
    _of("laaber", "laaber-kld", "distribution no longer changes", _LAABER),
    _of("window_classifiers", "rocket", f"{_FIRST} random kernels classify as stable", _LEARNED),
    _of(
        "window_classifiers",
        "fcn",
        f"{_FIRST} a convolutional network classifies as stable",
        _LEARNED,
    ),
    _of(
        "window_classifiers",
        "oscnn",
        f"{_FIRST} a network with kernels of many widths classifies as stable",
        _LEARNED,
    ),
    _of("stops", "flat", _FLAT, _OWN),
    _of("onset", "onset", _ONSET, _OWN),
    Registered(
        "recommended",
        f"the best one, currently onset: {_ONSET}",
        "docs/methods.md",
        _ONSET_DETECTOR,
    ),
)


def _stop(method: str, /, **options: Any) -> OnlineStop:
    detector = METHODS[method].value
    own: Callable[..., OnlineStop] = getattr(detector, "stop", partial(RerunStop, detector))
    return own(**options)


def _online(entry: Registered[Detector]) -> Registered[Callable[..., OnlineStop]]:
    return Registered(entry.name, entry.summary, entry.source, partial(_stop, entry.name))


ONLINE: Registry[Callable[..., OnlineStop]] = Registry(
    "online stop", *map(_online, METHODS.values())
)
"""Factories of online stops, which accept the method's keyword options. A factory is the detector's
attribute `stop`, or `RerunStop`, which also accepts `minimum` and `growth`."""


def detect(values: npt.ArrayLike, method: str = "kb-kssd", **options: object) -> SteadyState:
    """Detect the steady state of one fork's series.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first. Lower must be better:
        invert throughput first (``Benchmark.times`` does). NaN at the end marks iterations that did
        not run. Never modified.
    method : str
        A name in `METHODS`.
    **options
        Keyword options of the method.

    Returns
    -------
    SteadyState
        The result; ``start`` is None if the series never becomes steady or is too short.

    Raises
    ------
    UnknownNameError
        If no method has this name.
    InputError
        If `values` is not one series of finite numbers, or an option is out of range.

    Examples
    --------
    >>> state = detect([9.0] * 5 + [1.0, 1.1] * 20)
    >>> state.start
    5
    """
    return METHODS[method].value(values, **options)

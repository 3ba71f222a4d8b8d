"""Steady-state detection: where the warm-up of a fork ends, if it does.

To add a method, write one file here and one entry in `METHODS`; the contract tests cover it then.
`ONLINE` has every method as an online stop, too. Methods that look at iterations one by one have a
stop of their own; the others run again as the series grows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy.typing as npt

from steady.registry import Registered, Registry
from steady.papers.learned.windows import WINDOW, windows_within
from steady.steadystate._validation import MINIMUM_ITERATIONS
from steady.papers.stops.batches import TTestStop, t_test
from steady.papers.change_points.cp_ssd import cp_ssd
from steady.papers.stops.georges import GeorgesStop, georges
from steady.steadystate.kb_kssd import kb_kssd
from steady.papers.stops.laaber_cv import LaaberCvStop, laaber_cv
from steady.papers.stops.laaber_kld import LaaberKldStop, laaber_kld
from steady.papers.stops.laaber_rciw import LaaberRciwStop, laaber_rciw
from steady.papers.learned.networks import FcnStop, OscnnStop, fcn, oscnn
from steady.steadystate.online import OnlineStop, RerunStop, StabilityStop
from steady.papers.human_labels.onset import onset
from steady.steadystate.detection import SteadyState
from steady.papers.learned.rocket import RocketStop, rocket
from steady.papers.stops.sdm import SlopeStop, sdm
from steady.papers.stops.variance_ratio import RTestStop, r_test

Detector = Callable[..., SteadyState]
"""A detector takes one fork's series, and its own options as keywords."""

_BATCHES = "package ossdem; parameters of Beseda et al. 2025, section 4"
_LAABER = "Laaber et al. 2020"
_LEARNED = "Traini et al. 2024; our own training"
_ONSET = "five things that a plot shows, or a level second half; start as people place it"

METHODS: Registry[Detector] = Registry(
    "steady-state detector",
    Registered(
        "kb-kssd",
        "step down found by two kernels, then Kelly's probability of a steady state by windows",
        "Beseda et al. 2025, section 3",
        kb_kssd,
    ),
    Registered(
        "cp-ssd",
        "change points in mean and variance, segments compared with the last one",
        "Traini et al. 2023",
        cp_ssd,
    ),
    Registered("sdm", "first batch with a flat regression line", _BATCHES, sdm),
    Registered("t-test", "first batch with the same mean as the next", _BATCHES, t_test),
    Registered(
        "r-test",
        "ratio of the variances of deviations and of steps",
        "Cao and Rhinehart 1995",
        r_test,
    ),
    Registered(
        "georges",
        "first window with a small coefficient of variation",
        "Georges et al. 2007",
        georges,
    ),
    Registered("laaber-cv", "coefficient of variation changes no more", _LAABER, laaber_cv),
    Registered(
        "laaber-rciw", "relative width of the mean's interval changes no more", _LAABER, laaber_rciw
    ),
    Registered("laaber-kld", "distribution changes no more", _LAABER, laaber_kld),
    Registered("rocket", "first 100 iterations that random kernels call stable", _LEARNED, rocket),
    Registered(
        "fcn", "first 100 iterations that a convolutional network calls stable", _LEARNED, fcn
    ),
    Registered(
        "oscnn",
        "first 100 iterations that a network with kernels of many widths calls stable",
        _LEARNED,
        oscnn,
    ),
    Registered("onset", _ONSET, "steady's own, docs/methods.md", onset),
    Registered(
        "recommended", f"the best known here, now onset: {_ONSET}", "docs/methods.md", onset
    ),
)

_OWN_STOPS: dict[str, Callable[..., OnlineStop]] = {
    "sdm": SlopeStop,
    "t-test": TTestStop,
    "r-test": RTestStop,
    "georges": GeorgesStop,
    "laaber-cv": LaaberCvStop,
    "laaber-rciw": LaaberRciwStop,
    "laaber-kld": LaaberKldStop,
    "rocket": RocketStop,
    "fcn": FcnStop,
    "oscnn": OscnnStop,
}

ONLINE: Registry[Callable[..., OnlineStop]] = Registry(
    "online stop",
    *(
        Registered(
            entry.name,
            entry.summary,
            entry.source,
            _OWN_STOPS.get(entry.name, partial(RerunStop, entry.value)),
        )
        for entry in METHODS.values()
    ),
)
"""Each entry makes a new stop from the method's options, given as keywords. A detector that runs
again and again also takes `minimum` and `growth`."""


def detect(values: npt.ArrayLike, method: str = "kb-kssd", **options: object) -> SteadyState:
    """Find where one fork's series becomes steady.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first. Lower must be better:
        invert throughput first (``Benchmark.times`` does). NaN at the end marks iterations that did
        not run. Never modified.
    method : str
        A name in `METHODS`.
    **options
        The method's own keywords.

    Returns
    -------
    SteadyState
        ``start`` is None if the series never becomes steady or is too short to judge.

    Raises
    ------
    UnknownNameError
        If no method has this name.
    InputError
        If `values` is not one series of finite numbers, or an option is out of its range.

    Examples
    --------
    >>> state = detect([9.0] * 5 + [1.0, 1.1] * 20)
    >>> state.start
    5
    """
    return METHODS[method].value(values, **options)


__all__ = [
    "METHODS",
    "MINIMUM_ITERATIONS",
    "ONLINE",
    "Detector",
    "OnlineStop",
    "RerunStop",
    "StabilityStop",
    "SteadyState",
    "WINDOW",
    "cp_ssd",
    "detect",
    "fcn",
    "georges",
    "kb_kssd",
    "laaber_cv",
    "laaber_kld",
    "laaber_rciw",
    "onset",
    "oscnn",
    "r_test",
    "rocket",
    "sdm",
    "t_test",
    "windows_within",
]

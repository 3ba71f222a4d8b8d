"""Steady-state detection: where the warm-up of a fork ends, if it does.

KB-KSSD is the default; `METHODS` names the detectors of other papers, which `steady.papers` holds.
`ONLINE` has every method as an online stop, too. Methods that look at iterations one by one have a
stop of their own; the others run again as the series grows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy.typing as npt

from steady.registry import OnRequest, Registered, Registry
from steady.steadystate.detection import SteadyState as SteadyState
from steady.steadystate.kb_kssd import kb_kssd as kb_kssd
from steady.steadystate.online import OnlineStop as OnlineStop
from steady.steadystate.online import RerunStop as RerunStop
from steady.steadystate.online import StabilityStop as StabilityStop

Detector = Callable[..., SteadyState]
"""A detector takes one fork's series, and its own options as keywords."""

_BATCHES = "package ossdem; parameters of Beseda et al. 2025, section 4"
_LAABER = "Laaber et al. 2020"
_LEARNED = "Traini et al. 2024; our own training"
_ONSET = "five things that a plot shows, or a level second half; start as people place it"


def _of_papers(name: str, summary: str, source: str, place: str) -> Registered[Detector]:
    return Registered(name, summary, source, OnRequest(f"steady.papers.{place}"))


METHODS: Registry[Detector] = Registry(
    "steady-state detector",
    Registered(
        "kb-kssd",
        "step down found by two kernels, then Kelly's probability of a steady state by windows",
        "Beseda et al. 2025, section 3",
        kb_kssd,
    ),
    _of_papers(
        "cp-ssd",
        "change points in mean and variance, segments compared with the last one",
        "Traini et al. 2023",
        "cp_ssd:cp_ssd",
    ),
    _of_papers("sdm", "first batch with a flat regression line", _BATCHES, "stops:sdm"),
    _of_papers("t-test", "first batch with the same mean as the next", _BATCHES, "stops:t_test"),
    _of_papers(
        "r-test",
        "ratio of the variances of deviations and of steps",
        "Cao and Rhinehart 1995",
        "stops:r_test",
    ),
    _of_papers(
        "georges",
        "first window with a small coefficient of variation",
        "Georges et al. 2007",
        "stops:georges",
    ),
    _of_papers(
        "laaber-cv", "coefficient of variation changes no more", _LAABER, "laaber:laaber_cv"
    ),
    _of_papers(
        "laaber-rciw",
        "relative width of the mean's interval changes no more",
        _LAABER,
        "laaber:laaber_rciw",
    ),
    _of_papers("laaber-kld", "distribution changes no more", _LAABER, "laaber:laaber_kld"),
    _of_papers(
        "rocket",
        "first 100 iterations that random kernels call stable",
        _LEARNED,
        "rocket:rocket",
    ),
    _of_papers(
        "fcn",
        "first 100 iterations that a convolutional network calls stable",
        _LEARNED,
        "networks:fcn",
    ),
    _of_papers(
        "oscnn",
        "first 100 iterations that a network with kernels of many widths calls stable",
        _LEARNED,
        "networks:oscnn",
    ),
    _of_papers(
        "flat",
        "five medians in a row are alike: no trend in the latest two thirds",
        "steady's own, docs/methods.md",
        "stops:flat",
    ),
    _of_papers("onset", _ONSET, "steady's own, docs/methods.md", "onset:onset"),
    _of_papers(
        "recommended",
        f"the best known here, now onset: {_ONSET}",
        "docs/methods.md",
        "onset:onset",
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
"""Each entry makes a new stop from the method's options, given as keywords: the one that the
detector is made of, its attribute `stop`, or else one that runs it again and again. Those take
`minimum` and `growth`, too."""


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

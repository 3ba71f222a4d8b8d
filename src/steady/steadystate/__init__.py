"""Steady-state detection: where the warm-up of a fork ends, if it does.

A new method is one file here and one entry in `METHODS`; the contract tests run over all entries.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy.typing as npt

from steady.registry import Entry, Registry
from steady.steadystate._validation import MINIMUM_ITERATIONS
from steady.steadystate.kb_kssd import kb_kssd
from steady.steadystate.result import SteadyState

Detector = Callable[..., SteadyState]
"""Takes one fork's series, and its own options as keywords."""

METHODS: Registry[Detector] = Registry(
    "steady-state detector",
    Entry(
        "kb-kssd",
        "step down found by two kernels, then Kelly's probability of a steady state by windows",
        "Beseda et al. 2025, section 3",
        kb_kssd,
    ),
)


def detect(values: npt.ArrayLike, method: str = "kb-kssd", **options: object) -> SteadyState:
    """Find where one fork's series becomes steady.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first. Lower must be better:
        turn throughput round first (``Benchmark.times`` does). NaN at the end marks iterations
        that did not run. Never modified.
    method : str
        A name in `METHODS`.
    **options
        The method's own keywords.

    Returns
    -------
    SteadyState
        ``start`` is None where the series never becomes steady or is too short to judge.

    Raises
    ------
    UnknownNameError
        If no method is called so.
    InputError
        If `values` is not one series of finite numbers, or an option is out of its range.

    Examples
    --------
    >>> state = detect([9.0] * 5 + [1.0, 1.1] * 20)
    >>> state.start
    5
    """
    return METHODS[method].value(values, **options)


__all__ = ["METHODS", "MINIMUM_ITERATIONS", "Detector", "SteadyState", "detect", "kb_kssd"]

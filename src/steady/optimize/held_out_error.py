"""The error of a plan on forks that the choice did not see: step 5.

Each fork in turn is left out, the strategy chooses on the others, and the chosen window of the fork
left out is compared with the steady result of the others. The mean of these errors is the bias of
the choice, and their standard deviation is what one fork adds: ``f`` forks are off by ``sqrt(bias^2
+ sd^2 / f)``. Forks of one run do not show how much another run differs. That is added as a share
of the standard deviation (`steady.optimize.between_runs`).

On a busy machine, the compiler may get so little time that a fork is still in its warm-up where the
plan measures, hundreds of times slower than at its end. Such a fork shows how busy the machine was,
and says nothing about the plan. So it does not count, and if too few forks are left, the error is
not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.optimize.strategy import Choice, Material

HELD_OUT_FORKS = 3
"""With fewer, the strategy has too few to choose on once a fork is left out."""

STILL_WARM = 2.0
"""If a fork is this many times slower or faster than in the last fifth of its own iterations, it is
still in its warm-up."""


def held_out_error(
    choose: Callable[[Material], Choice],
    material: Material,
    warmups: Sequence[int | None],
    forks: int,
    ratio: float = 0.0,
) -> float | None:
    """Return the expected relative error of `forks` forks run as `choose` chooses.

    Parameters
    ----------
    choose : callable
        Chooses again without each fork.
    material : Material
        The full run.
    warmups : sequence of int or None
        The warm-up that the others require, with each fork left out; None: `material`'s own.
    forks : int
        Forks of the plan.
    ratio : float
        Standard deviation between runs, in standard deviations between forks.

    Returns
    -------
    float or None
        As a fraction; None with fewer than three forks that are not still in their warm-up, or
        where their result is 0.
    """
    if len(material.series) < HELD_OUT_FORKS:
        return None
    ends = np.array([_median(row[4 * len(row) // 5 :]) for row in map(_known, material.series)])
    medians: dict[int, FloatArray] = {}
    found: list[float] = []
    for fork, warmup in enumerate(warmups):
        seen = _without(material, fork, warmup)
        start = seen.measured_from
        if start not in medians:
            levels = np.array([_median(row[start:]) for row in material.series])
            medians[start] = np.where(_warm(levels, ends), levels, np.nan)
        others = _known(np.delete(medians[start], fork))
        truth = float(np.median(others)) if others.size else 0.0
        if truth == 0:
            return None
        result = _result(choose(seen), material, fork)
        if _warm(result, ends[fork]):
            found.append(result / truth - 1.0)
    if len(found) < HELD_OUT_FORKS:
        return None
    errors = np.array(found)
    spread = float(errors.std(ddof=1))
    return float(np.sqrt(errors.mean() ** 2 + spread**2 * (1 / forks + ratio**2)))


def _warm(values: FloatArray | float, ends: FloatArray | float) -> npt.NDArray[np.bool_]:
    """Tell which values do not come from a warm-up; NaN counts as not from one."""
    larger, smaller = np.maximum(values, ends), np.minimum(values, ends)
    return np.asarray(~(larger > STILL_WARM * smaller))


def _median(values: FloatArray) -> float:
    """Return the median of what was measured; NaN where nothing was."""
    present = _known(values)
    return float(np.median(present)) if present.size else np.nan


def _known(values: FloatArray) -> FloatArray:
    return np.asarray(values[~np.isnan(values)])


def _without(material: Material, fork: int, warmup: int | None) -> Material:
    others = np.delete(material.series, fork, axis=0)
    return replace(
        material,
        series=others,
        warmup=material.warmup if warmup is None else warmup,
        min_forks=min(material.min_forks, len(others)),
    )


def _result(choice: Choice, material: Material, fork: int) -> float:
    """Return what `fork` measures in the window that was chosen without having seen it."""
    start = max(choice.warmup, material.first)
    return _median(material.series[fork, start : start + choice.iterations])

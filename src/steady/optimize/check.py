"""Step 5 of a plan: is it true, on forks that the choice did not see.

Each fork in turn is left out, the strategy chooses on the others, and the chosen window of the
fork left out is held against the steady result of the others. The mean of these errors is the
bias of the choice, their standard deviation what one fork adds; ``f`` forks are off by
``sqrt(bias^2 + sd^2 / f)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steady.optimize.analysis import required_warmup
from steady.optimize.strategy import Chooser, Material

MIN_FORKS = 3
"""Fewer leave nothing to choose on once a fork is left out."""


def held_out_error(
    chooser: Chooser, material: Material, starts: Sequence[int | None], forks: int
) -> float | None:
    """Return the expected relative error of `forks` forks run as `chooser` chooses.

    Parameters
    ----------
    chooser : Chooser
        Which chooses anew without each fork.
    material : Material
        The full run.
    starts : sequence of int or None
        The detector's start for each fork.
    forks : int
        Forks of the plan.

    Returns
    -------
    float or None
        As a fraction; None with fewer than three forks.
    """
    count = len(material.series)
    if count < MIN_FORKS:
        return None
    errors = np.array([_error_without(chooser, material, starts, fork) for fork in range(count)])
    spread = float(errors.std(ddof=1))
    return float(np.sqrt(errors.mean() ** 2 + spread**2 / forks))


def _error_without(
    chooser: Chooser, material: Material, starts: Sequence[int | None], fork: int
) -> float:
    """Return the signed relative error that `fork` makes in a choice that did not see it."""
    others = np.delete(material.series, fork, axis=0)
    warmup, _ = required_warmup(others, [s for i, s in enumerate(starts) if i != fork])
    seen = replace(
        material,
        series=others,
        warmup=material.warmup if warmup is None else warmup,
        min_forks=min(material.min_forks, len(others)),
    )
    choice = chooser.choose(seen)
    start = max(choice.warmup, material.first)
    window = material.series[fork, start : start + choice.iterations]
    truth = float(np.median(np.nanmedian(seen.steady, axis=1)))
    return float(np.nanmedian(window)) / truth - 1.0

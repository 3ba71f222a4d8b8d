"""What earlier runs tell about how much the forks of a benchmark differ."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from steady.compare.fastest import fastest_quarter
from steady.compare.spread import Spread
from steady.model import FloatArray


def earlier_spread(tables: Iterable[FloatArray], unit: str, iterations: int) -> Spread:
    """Return the spread between forks within earlier runs of one benchmark.

    Each run counts about its own mean, so it does not matter that the benchmark became faster
    or slower between them, or ran on another machine. A benchmark's forks differ by the same
    share of its time for years (``docs/methods-compare.md`` has figures).

    Parameters
    ----------
    tables : iterable of ndarray of float64, shape (forks, iterations)
        One a run, as `fork_values` returns them.
    unit : str
        Of them all.
    iterations : int
        How many iterations the forks have that the spread is needed for: long earlier forks
        are cut to that, because the more iterations, the less do forks differ.

    Returns
    -------
    Spread
        Of the logarithms of the forks' fastest quarters; worth nothing without a run of two
        forks, or where not all values are positive.
    """
    known = Spread()
    for table in tables:
        cut = table[:, :iterations]
        cut = cut[np.isfinite(cut).any(axis=1)]
        values = fastest_quarter(cut, unit)
        if len(values) > 1 and values.min() > 0:
            known += Spread(float(np.log(values).var(ddof=1)), len(values) - 1)
    return known

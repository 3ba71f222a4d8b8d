"""What earlier runs show of how much the forks of a benchmark differ."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from steady.compare.fastest import fastest_quarter
from steady.compare.spread import Spread
from steady.model import FloatArray


def earlier_spread(tables: Iterable[FloatArray], unit: str, iterations: int) -> Spread:
    """Return the spread between forks within earlier runs of one benchmark.

    The spread of each run is taken about its own mean. So it does not matter if the benchmark
    became faster or slower between runs, or ran on another machine. The forks of a benchmark
    differ by the same share of its time for years (``docs/methods-compare.md`` has figures).

    Parameters
    ----------
    tables : iterable of ndarray of float64, shape (forks, iterations)
        One a run, as `fork_values` returns them.
    unit : str
        Of them all.
    iterations : int
        How many iterations the forks have that the spread is needed for. Earlier forks are cut
        to that length, since forks differ less the more iterations they have.

    Returns
    -------
    Spread
        Of the logarithms of the forks' fastest quarters. Runs with a single fork, or with values
        that are not all positive, do not count; without any other run the spread is unknown.
    """
    known = Spread()
    for table in tables:
        cut = table[:, :iterations]
        cut = cut[np.isfinite(cut).any(axis=1)]
        values = fastest_quarter(cut, unit)
        if len(values) > 1 and values.min() > 0:
            known += Spread(float(np.log(values).var(ddof=1)), len(values) - 1)
    return known

"""Fork similarity: whether the forks of one benchmark are similar, and which of them differ.

The default method is a majority of five measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.number_checks import check_positive, check_whole, real_numbers, to_unit_scale
from steady.registry import OnRequest, Registered, Registry
from steady.similarity import pair_measures
from steady.text.numbers import listed

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

_ROWS = "the forks cannot be read as rows of numbers of one length"

MINIMUM_ITERATIONS = 10
"""Minimum number of iterations for a comparison; shorter forks would always seem dissimilar."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """Whether the forks of one benchmark are similar, and which forks differ from the others.

    Parameters
    ----------
    similar : bool
        Whether the forks as a whole are similar.
    method : str
        Registered name of the method.
    measures : mapping of str to float
        The method's measures, averaged over all pairs of forks; 0 is perfect similarity.
    odd_forks : tuple of int
        Indices of forks that differ from the majority of the others, ascending, 0-based. Empty if
        there are none, or if no majority is similar. One fork of many may differ even if the forks
        are similar as a whole.
    reason : str
        Reason for the result, in one line.

    Examples
    --------
    >>> import numpy as np
    >>> import steady
    >>> forks = 1 + 0.01 * np.random.default_rng(1).standard_normal((5, 60))
    >>> agreement = steady.similarity(forks)
    >>> agreement.similar, agreement.odd_forks
    (True, ())
    """

    similar: bool
    method: str
    measures: Mapping[str, float]
    odd_forks: tuple[int, ...] = ()
    reason: str = ""

    def _repr_html_(self) -> str:
        from steady.tables import html_table

        said = f"{self.method}: the forks are {'' if self.similar else 'not '}similar"
        if self.odd_forks:
            said += f"; different (counted from 0): {listed(list(map(str, self.odd_forks)))}"
        rows = [(name, f"{value:.3g}") for name, value in self.measures.items()]
        return html_table(said, ("measure", "mean over all pairs"), rows, len(rows))

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame of one row; it needs the extra ``tables``.

        Its columns are ``method``, ``similar``, ``odd_forks`` (a tuple), ``reason``, and
        ``measures.`` with the name of each measure. Use ``pandas.concat`` to combine several data
        frames.

        Raises
        ------
        MissingToolError
            If pandas is not installed.
        """
        from steady.tables import frame_of_rows

        kinds = {"method": str, "similar": bool, "odd_forks": object, "reason": str}
        row = {name: getattr(self, name) for name in kinds}
        measures = {f"measures.{name}": value for name, value in self.measures.items()}
        return frame_of_rows([row | measures], kinds | dict.fromkeys(measures, float))

    def plot(self, forks: npt.ArrayLike, *, ax: Axes | None = None) -> Axes:
        """Draw the forks, with differing ones in colour; it needs the extra ``plot``.

        Parameters
        ----------
        forks : array-like, shape (forks, n)
            The compared forks, which this object does not store.
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        InputError
            If `forks` does not consist of rows of numbers.
        MissingToolError
            If matplotlib is not installed.
        """
        from steady.plots.fork_lines import ForkLines, draw_forks

        series = real_numbers(forks, _ROWS)
        if series.ndim != 2:
            raise InputError(f"{_ROWS}: they have shape {series.shape}")
        return draw_forks(ForkLines(series, self.reason, odd_forks=self.odd_forks), ax)


def as_forks(forks: npt.ArrayLike) -> FloatArray:
    """Return `forks` as float64 series of one length, in unit scale.

    Forks of different lengths are cut to the shortest one, so that every pair is compared over
    the same iterations.

    Parameters
    ----------
    forks : array-like, shape (forks, iterations)
        NaN at the end of a row marks iterations that this fork did not run.

    Returns
    -------
    ndarray of float64, shape (forks, m)
        A new array; m is the length of the shortest fork.

    Raises
    ------
    InputError
        If there are fewer than 2 forks, fewer than 10 iterations in one of them, or values that
        are not finite numbers.
    """
    array = real_numbers(forks, _ROWS)
    if array.ndim != 2 or len(array) < 2:
        raise InputError(
            "at least 2 forks, one per row, are needed to compare forks; "
            f"the values have shape {array.shape}"
        )
    positions = np.arange(1, array.shape[1] + 1)
    lengths = np.max(np.where(np.isnan(array), 0, positions), axis=1, initial=0)
    shortest = int(np.argmin(lengths))
    if lengths[shortest] < MINIMUM_ITERATIONS:
        raise InputError(
            f"fork {shortest} (counted from 0) has {lengths[shortest]} iterations; at least "
            f"{MINIMUM_ITERATIONS} are needed: remove this fork, or measure more iterations"
        )
    _check_finite(array, lengths)
    return to_unit_scale(array[:, : lengths[shortest]])


def _check_finite(array: FloatArray, lengths: npt.NDArray[np.int_]) -> None:
    for fork, length in enumerate(lengths):
        for iteration in np.flatnonzero(~np.isfinite(array[fork, :length]))[:1]:
            raise InputError(
                f"iteration {iteration} of fork {fork} (both counted from 0) is "
                f"{array[fork, iteration]}; every iteration must be a finite number, and only "
                "missing iterations at the end of a fork may be NaN"
            )


NAME = "heuristic"

_MAJORITY = 3
"""Number of measures above the threshold for which forks are dissimilar."""


def heuristic(
    forks: npt.ArrayLike,
    *,
    threshold: float = 0.25,
    tolerance: float = 0.0,
    segments: int = 30,
    alphabet: int = 4,
) -> Similarity:
    """Assess fork similarity by the majority of five measures, M1 to M5.

    The measures are the dissimilarity of correlation, compression, Fourier coefficients and cosine,
    and the Kolmogorov-Smirnov statistic; each is averaged over all pairs of forks. The forks are
    dissimilar if at least three averages lie above `threshold`. A fork is reported as different if
    the same rule, applied to single pairs, calls it dissimilar to more than half of the others.

    Parameters
    ----------
    forks : array-like, shape (forks, n)
        One row for each fork, in any unit. Remove the warm-up to judge the steady state. NaN at
        the end of a row marks missing iterations: all forks are then cut to the shortest. The
        array is never modified.
    threshold : float
        Value above which a measure calls two forks dissimilar.
    tolerance : float
        Difference between two iterations that M5 ignores, as a fraction of the median of all
        values; the paper uses 0. Steady forks often differ by a few percent, so most of them are
        dissimilar with a tolerance of 0 (see Notes): use 0.05 for them.
    segments, alphabet : int
        Length of SAX words in M2, and size of their alphabet.

    Returns
    -------
    Similarity
        Its measures are ``correlation``, ``compression``, ``fourier``, ``cosine`` and
        ``kolmogorov-smirnov``.

    Raises
    ------
    InputError
        If there are fewer than 2 forks, fewer than 10 iterations in one of them, values that are
        not finite numbers, or an option out of range.

    Notes
    -----
    The paper is ambiguous or has misprints in some places, which are resolved as follows. M4
    divides by the product of the norms, because the printed sum of squares would make identical
    forks dissimilar. M3 includes the zero frequency. M2 counts the phrases of Lempel and Ziv
    (1976), averaged over both orders of concatenation. A constant fork correlates only with another
    constant fork.

    If forks have no common shape over time, M1 and M2 are above 0.25 at any level, so the result
    depends on M3, M4 and M5. For steady forks it depends on M5, and `tolerance` sets the difference
    that M5 ignores.

    References
    ----------
    A. Bauer, M. Straesser, M. Leznik et al., *Searching for the Ground Truth: Assessing the
    Similarity of Benchmarking Runs*, ICPE 2023 Companion, sections 3.1 and 3.2, Algorithm 1.
    """
    check_positive(threshold=threshold)
    if not 0 <= tolerance < np.inf:
        raise InputError(f"tolerance must be 0 or above, but is {tolerance!r}")
    check_whole(2, segments=segments, alphabet=alphabet)
    series = as_forks(forks)
    slack = tolerance * abs(float(np.median(series)))
    measures = {
        "correlation": pair_measures.correlation(series),
        "compression": pair_measures.compression(series, segments, alphabet),
        "fourier": pair_measures.fourier(series),
        "cosine": pair_measures.cosine(series),
        "kolmogorov-smirnov": pair_measures.kolmogorov_smirnov(series, slack),
    }
    averages = {name: float(np.mean(values)) for name, values in measures.items()}
    above = [name for name, average in averages.items() if average > threshold]
    odd = _odd_forks(np.array(list(measures.values())), threshold, len(series))
    return Similarity(
        similar=len(above) < _MAJORITY,
        method=NAME,
        measures=averages,
        odd_forks=odd,
        reason=f"{len(above)} of 5 measures above {threshold:g}"
        + (": " + ", ".join(f"{name} {averages[name]:.3f}" for name in above) if above else ""),
    )


def _odd_forks(measures: FloatArray, threshold: float, forks: int) -> tuple[int, ...]:
    """Return the forks that are dissimilar to more than half of the others, if they are a minority.

    Parameters
    ----------
    measures : ndarray of float64, shape (5, pairs)
        Measures of each pair, in row-major order of the upper triangle.
    threshold : float
        Value above which a measure calls two forks dissimilar.
    forks : int
        Number of forks.
    """
    dissimilar = np.zeros((forks, forks), dtype=np.bool_)
    dissimilar[np.triu_indices(forks, 1)] = (measures > threshold).sum(axis=0) >= _MAJORITY
    dissimilar |= dissimilar.T
    odd = np.flatnonzero(2 * dissimilar.sum(axis=0) > forks - 1)
    return tuple(odd.tolist()) if 2 * len(odd) < forks else ()


SimilarityMethod = Callable[..., Similarity]
"""A similarity method: a function of the forks' series, one row each, and keyword options."""

METHODS: Registry[SimilarityMethod] = Registry(
    "similarity method",
    Registered(
        "heuristic",
        "majority of five measures: correlation, compression, Fourier, cosine, Kolmogorov-Smirnov",
        "Bauer et al. 2023, section 3",
        heuristic,
    ),
    Registered(
        "same",
        "clusters of forks by four averaged measures: cosine, Wave-Hedges, Kumar-Hassebrook, "
        "scaled RMSE",
        "Bauer et al. 2023, section 2.3",
        OnRequest("steady.papers.fork_clusters:same"),
    ),
)


def similarity(forks: npt.ArrayLike, method: str = "heuristic", **options: object) -> Similarity:
    """Assess whether the forks of one benchmark are similar, and find those that differ.

    Parameters
    ----------
    forks : array-like, shape (forks, n)
        One row for each fork, in any unit. NaN at the end of a row marks missing iterations: all
        forks are then cut to the shortest. Remove the warm-up first, unless you want to compare
        it too. The array is never modified.
    method : str
        A name in `METHODS`.
    **options
        Keyword options of the method.

    Returns
    -------
    Similarity
        The averaged measures, and the forks that differ from the others.

    Raises
    ------
    UnknownNameError
        If no method has this name.
    InputError
        If there are fewer than 2 forks, fewer than 10 iterations in one of them, values that are
        not finite numbers, or an option out of range.

    Examples
    --------
    >>> import numpy as np
    >>> forks = 1 + 0.01 * np.random.default_rng(1).standard_normal((5, 60))
    >>> forks[3] *= 1.2
    >>> similarity(forks, tolerance=0.05).odd_forks
    (3,)
    """
    return METHODS[method].value(forks, **options)

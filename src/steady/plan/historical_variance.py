"""Historical data: the variance between pairs of forks of a benchmark in earlier runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HistoricalVariance:
    """The variance between pairs of forks of one benchmark in earlier runs.

    Parameters
    ----------
    variance : float
        Variance of the log ratios of rounds, including the part due to iterations.
    freedom : float
        Degrees of freedom; 0 if the variance is unknown.
    noise : float
        Part of the variance that is due to iterations.
    steps : float
        Median absolute difference between the logarithms of successive iterations of a fork; 0 for
        interleaved forks. Without interleaving, a busy machine adds variance between forks, and
        this value shows how busy it was.
    """

    variance: float = 0.0
    freedom: float = 0.0
    noise: float = 0.0
    steps: float = 0.0

    def __bool__(self) -> bool:
        """Return whether the variance is known and above 0; counts can agree exactly."""
        return self.freedom > 0 and self.variance > 0

    def __add__(self, other: HistoricalVariance) -> HistoricalVariance:
        """Pool two estimates by their degrees of freedom."""
        freedom = self.freedom + other.freedom
        if not freedom:
            return HistoricalVariance()
        ours, theirs = self.freedom / freedom, other.freedom / freedom
        return HistoricalVariance(
            ours * self.variance + theirs * other.variance,
            freedom,
            ours * self.noise + theirs * other.noise,
            ours * self.steps + theirs * other.steps,
        )

"""Historical data on the variance between forks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownForks:
    """Historical data on one benchmark's pairs of forks.

    Parameters
    ----------
    variance : float
        Variance of the rounds' log ratios, including the part due to iterations.
    freedom : float
        Degrees of freedom of the variance; 0 if unknown.
    noise : float
        Within-fork part of the variance, due to iterations.
    steps : float
        Median absolute difference of the logarithms of successive iterations in a fork; 0 if the
        forks were interleaved. Without interleaving, machine noise adds to the variance between
        forks, and this value measures the noise.
    """

    variance: float = 0.0
    freedom: float = 0.0
    noise: float = 0.0
    steps: float = 0.0

    def __bool__(self) -> bool:
        """Return whether the variance is known and positive; it is 0 for exact counts."""
        return self.freedom > 0 and self.variance > 0

    def __add__(self, other: KnownForks) -> KnownForks:
        """Pool two estimates, weighted by their degrees of freedom."""
        freedom = self.freedom + other.freedom
        if not freedom:
            return KnownForks()
        ours, theirs = self.freedom / freedom, other.freedom / freedom
        return KnownForks(
            ours * self.variance + theirs * other.variance,
            freedom,
            ours * self.noise + theirs * other.noise,
            ours * self.steps + theirs * other.steps,
        )

"""What earlier runs show of how much the forks of a benchmark differ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownForks:
    """What earlier runs show of one benchmark's pairs of forks.

    Parameters
    ----------
    variance : float
        Between the rounds' differences of logarithms, iterations included.
    freedom : float
        Its degrees of freedom; 0 where nothing is known.
    noise : float
        The part of the variance that iterations explain.
    steps : float
        Median difference between an iteration and the next one of its fork, in logarithms; 0 where
        the forks took turns. Without turns, a busy machine makes forks differ, too, and this shows
        how busy it was.
    """

    variance: float = 0.0
    freedom: float = 0.0
    noise: float = 0.0
    steps: float = 0.0

    def __bool__(self) -> bool:
        """Tell whether anything is known; forks that agree exactly, as counts do, tell nothing."""
        return self.freedom > 0 and self.variance > 0

    def __add__(self, other: KnownForks) -> KnownForks:
        """Pool two estimates by their degrees of freedom."""
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

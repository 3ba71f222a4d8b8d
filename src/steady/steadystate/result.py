"""What every steady-state detector returns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SteadyState:
    """Where one fork's series becomes steady, and what speaks for it.

    Parameters
    ----------
    start : int or None
        First steady iteration, 0-based; None where the series never becomes steady or cannot be
        judged.
    method : str
        Registered name of the detector.
    warmup_end : int or None
        Last iteration of the warm-up that the method looked for, 0-based; None where it found no
        step down, or looks for none.
    intervals : tuple of (int, float)
        Start and steady-state probability of the intervals that the method told apart, in order;
        the last one ends with the series. Empty for methods without intervals.
    reason : str
        One plain line: why this start, or why there is none.
    """

    start: int | None
    method: str
    warmup_end: int | None = None
    intervals: tuple[tuple[int, float], ...] = ()
    reason: str = ""

    @property
    def steady(self) -> bool:
        """Whether the series becomes steady."""
        return self.start is not None

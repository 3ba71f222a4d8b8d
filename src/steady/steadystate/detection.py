"""What every steady-state detector returns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SteadyState:
    """Where one fork's series becomes steady, and the evidence.

    Parameters
    ----------
    start : int or None
        First steady iteration, 0-based; None if the series never becomes steady or cannot be
        judged.
    method : str
        Registered name of the detector.
    warmup_end : int or None
        Last iteration of the warm-up, 0-based; None if the method found no step down, or does not
        look for one.
    intervals : tuple of (int, float)
        Start and steady-state probability of the intervals that the method found, in order;
        the last one ends with the series. Empty for methods without intervals.
    reason : str
        Why it starts there, or why there is no start, in one line.

    Examples
    --------
    >>> import steady
    >>> state = steady.detect([9.0] * 5 + [1.0, 1.1] * 20)
    >>> state.start, state.method
    (5, 'kb-kssd')
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

"""The options of the metrics that resample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

from steady.errors import InputError
from steady.model import FloatArray
from steady.stats.samples import Samples


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How to bootstrap an interval.

    Parameters
    ----------
    confidence : float
        Confidence level, between 0 and 1.
    resamples : int
        How many resamples to draw, if the metric draws any.
    seed : int
        Seed of these draws.

    Raises
    ------
    InputError
        If an option is out of its range.
    """

    confidence: float = 0.99
    resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise InputError(f"a confidence of {self.confidence}: expected a value between 0 and 1")
        if self.resamples < 1:
            raise InputError(f"{self.resamples} resamples: expected at least 1")
        if self.seed < 0:
            raise InputError(f"a seed of {self.seed}: expected 0 or a positive whole number")

    @property
    def tail(self) -> float:
        """The probability that the interval leaves out on each side."""
        return (1 - self.confidence) / 2


class BootstrapOptions(TypedDict, total=False):
    """The options of `Bootstrap`, as a function that only hands them on takes them."""

    confidence: float
    resamples: int
    seed: int


StabilityMetric = Callable[[Samples, Bootstrap], FloatArray]
"""A measure of relative spread: one value for each sample, infinite if it is undefined."""

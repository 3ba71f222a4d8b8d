"""The contract of planning strategies: their input and their choice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.optimize.cost import CostModel
from steady.optimize.variance_components import VarianceComponents

MIN_FORKS = 5
"""Minimum forks of a reduced plan, if the full run has as many (``docs/decisions.md``)."""

MAX_COUNTS = 100
"""Most candidate counts of one level; more are thinned to a geometric grid."""

MIN_ITERATIONS = 5
"""Fewest measurement iterations of a fork, so that one disturbance is not its whole result."""


@dataclass(frozen=True, eq=False)
class Material:
    """The full run of one benchmark, the input of a strategy.

    Parameters
    ----------
    series : ndarray, shape (forks, iterations)
        Times; NaN at the end of a shorter fork.
    warmup : int
        Recorded iterations after which nearly all forks are steady.
    first : int
        Index of the first iteration that is as long as measurement iterations.
    cost : CostModel
        Cost model of the benchmark.
    min_forks : int
        Minimum number of forks in the plan.
    min_iterations : int
                Minimum measurement iterations, for strategies that predict errors.
    recorded : VarianceComponents, optional
        Components from earlier forks of base and head in turn, if any.
    """

    series: FloatArray
    warmup: int
    first: int
    cost: CostModel
    min_forks: int
    min_iterations: int = MIN_ITERATIONS
    recorded: VarianceComponents | None = None

    @property
    def measured_from(self) -> int:
        """Position at which the measurement starts after `warmup`."""
        return max(self.warmup, self.first)

    @property
    def steady(self) -> FloatArray:
        """The steady part, shape (forks, steady iterations)."""
        return self.series[:, self.measured_from :]


@dataclass(frozen=True, slots=True)
class Choice:
    """The configuration that a strategy chose.

    Parameters
    ----------
    warmup, iterations, forks : int
        Recorded warm-up iterations and measurement iterations of a fork, and number of forks.
    met : bool
        Whether the strategy's criterion is met; if not, the counts are the full configuration.
    reason : str
        For the reader of the plan.
    stability : float, optional
        Value of the criterion.
    detectable : float, optional
        Detectable effect: relative change between two versions, as a fraction.
    recorded_rounds : int, optional
        Recorded pairs of forks in turn behind it; 0 if it comes from forks without turns.
    """

    warmup: int
    iterations: int
    forks: int
    met: bool
    reason: str
    stability: float | None = None
    detectable: float | None = None
    recorded_rounds: int | None = None


class Chooser(Protocol):
    """The chooser of configurations for the benchmarks of one suite."""

    def choose(self, material: Material, offer: Any) -> Choice:
        """Choose a configuration of a benchmark from the strategy's `offer`."""


class Strategy(Protocol):
    """A method to choose configurations; its fields are its options.

    Attributes
    ----------
    min_forks : int
        Default minimum number of forks of a reduced plan.
    interleaved : bool
        Whether it plans for interleaved base and head. If so, dissimilar forks need not all be
        kept, and a drift of the machine does not require more warm-up.
    """

    min_forks: ClassVar[int]
    interleaved: ClassVar[bool]

    def offer(self, material: Material) -> Any:
        """Return the candidates of one benchmark for the chooser."""

    def prepare(self, offers: Sequence[Any], kept_seconds: float) -> Chooser:
        """Return the chooser for a whole suite.

        Parameters
        ----------
        offers : sequence
            Offers of the benchmarks to plan.
        kept_seconds : float
            Seconds of base and head of the suite's other benchmarks, which keep their
            configuration, with the start of the harness.
        """


def counts(most: int) -> npt.NDArray[np.int64]:
    """Return the candidate counts from 1 to `most`: all, or a geometric grid."""
    if most <= MAX_COUNTS:
        return np.arange(1, most + 1)
    return np.unique(np.geomspace(1, most, MAX_COUNTS).round().astype(np.int64))


def fork_counts(material: Material) -> npt.NDArray[np.int64]:
    """Return the allowed numbers of forks."""
    forks = len(material.series)
    return np.arange(min(material.min_forks, forks), forks + 1)

"""The interface of planning strategies: their input and their result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.optimize.cost import CostModel
from steady.optimize.pair_components import PairComponents

MIN_FORKS = 5
"""Minimum forks of a reduced plan, if the full run has as many (``docs/decisions.md``)."""

MAX_COUNTS = 100
"""Maximum counts of one level to try; larger ranges are thinned to a geometric grid."""


MIN_ITERATIONS = 5
"""Minimum measurement iterations of a fork, so that no single disturbance dominates."""


@dataclass(frozen=True, eq=False)
class Material:
    """A strategy's input: the full run of one benchmark.

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
    recorded : PairComponents, optional
        Variance components from earlier interleaved forks of base and head; None if there are
        none.
    """

    series: FloatArray
    warmup: int
    first: int
    cost: CostModel
    min_forks: int
    min_iterations: int = MIN_ITERATIONS
    recorded: PairComponents | None = None

    @property
    def measured_from(self) -> int:
        """Index of the first measured iteration if `warmup` is kept."""
        return max(self.warmup, self.first)

    @property
    def steady(self) -> FloatArray:
        """The steady part, shape (forks, steady iterations)."""
        return self.series[:, self.measured_from :]


@dataclass(frozen=True, slots=True)
class Choice:
    """The configuration that a strategy chooses.

    Parameters
    ----------
    warmup, iterations, forks : int
        Recorded warm-up iterations and measurement iterations of a fork, and number of forks.
    met : bool
        Whether the strategy's criterion is met; if not, the counts are the full configuration.
    reason : str
        Reason for the choice, for the report.
    stability : float, optional
        Value of the criterion.
    detectable : float, optional
        Detectable effect between two versions, as a fraction.
    recorded_rounds : int, optional
        Number of recorded interleaved pairs behind `detectable`; 0 if the forks were not
        interleaved.
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
    """A planning strategy, which chooses the smallest sufficient configuration.

    Its fields are its options.

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
        """Return additional data about one benchmark for the chooser."""

    def prepare(self, offers: Sequence[Any], kept_seconds: float) -> Chooser:
        """Return the chooser for a whole suite.

        Parameters
        ----------
        offers : sequence
            Offers of the benchmarks to plan.
        kept_seconds : float
            Seconds of base and head of the other benchmarks, which keep their configuration,
            including the start of the harness.
        """


def counts(most: int) -> npt.NDArray[np.int64]:
    """Return the counts from 1 to `most` to try: all of them, or a geometric grid."""
    if most <= MAX_COUNTS:
        return np.arange(1, most + 1)
    return np.unique(np.geomspace(1, most, MAX_COUNTS).round().astype(np.int64))


def fork_counts(material: Material) -> npt.NDArray[np.int64]:
    """Return the allowed numbers of forks."""
    forks = len(material.series)
    return np.arange(min(material.min_forks, forks), forks + 1)

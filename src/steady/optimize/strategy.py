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
"""Fewest forks of a reduced plan, if the full run has as many: see ``docs/decisions.md``."""

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
        Times; NaN at the end of a fork where it is shorter.
    warmup : int
        Recorded iterations after which nearly all forks are steady.
    first : int
        The first position whose iterations are as long as measurement iterations.
    cost : CostModel
        Seconds of any configuration.
    min_forks : int
        The fewest forks that a plan may have.
    min_iterations : int
        The fewest measurement iterations that a strategy that predicts errors may choose.
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
        Recorded iterations spent on warm-up, measurement iterations of a fork, forks.
    met : bool
        Whether the strategy's criterion holds; if not, the rest is the full configuration.
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
        """Choose a configuration of a benchmark, for which the strategy made `offer`."""


class Strategy(Protocol):
    """A method to choose configurations; its fields are its options.

    Attributes
    ----------
    min_forks : int
        The fewest forks of a reduced plan, by default.
    in_turn : bool
        Whether it plans for base and head in turn. Then forks that disagree need not all be kept,
        and a drift of the machine does not need more warm-up.
    """

    min_forks: ClassVar[int]
    in_turn: ClassVar[bool]

    def offer(self, material: Material) -> Any:
        """Return the candidates of one benchmark for the chooser."""

    def prepare(self, offers: Sequence[Any], kept_seconds: float) -> Chooser:
        """Return the chooser for a whole suite.

        Parameters
        ----------
        offers : sequence
            Those of the benchmarks to choose for.
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
    """Return the numbers of forks that the plan may have."""
    forks = len(material.series)
    return np.arange(min(material.min_forks, forks), forks + 1)

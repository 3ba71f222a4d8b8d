"""The planning strategies: their contract, their registry and their options."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Protocol, TypedDict

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.optimize.cost import STARTUP_SECONDS, CostModel
from steady.optimize.variance_components import VarianceComponents
from steady.percent import LEVEL, POSITIVE, SHARE
from steady.registry import OnRequest, Registered, Registry
from steady.steadystate import BY_LENGTH

MIN_FORKS = 5
"""Minimum forks of a reduced configuration, if the full run has as many (``docs/decisions.md``)."""

MAX_COUNTS = 100
"""Maximum number of candidate counts of one level; more are thinned to a geometric grid."""

MIN_ITERATIONS = 5
"""Minimum measurement iterations of a fork, so that a single disturbance does not determine its
result."""


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
        Minimum number of measurement iterations of a fork, for strategies that predict errors.
    recorded : VarianceComponents, optional
        Variance components from earlier interleaved forks of base and head, if any.
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
        """Index of the first measured iteration after `warmup`."""
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
        Reason, for readers of the plan.
    stability : float, optional
        Value of the criterion.
    detectable : float, optional
        Detectable effect: relative change between two versions, as a fraction.
    recorded_rounds : int, optional
        Number of recorded interleaved pairs of forks from which `detectable` was computed; 0 if the
        forks were not interleaved.
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


STRATEGIES: Registry[type[Strategy]] = Registry(
    "strategy",
    Registered(
        "error-budget",
        "time where it reduces predicted errors most, until these are within a budget",
        "steady: sqrt(bias^2 + sd^2 / forks) over the forks of the full run",
        OnRequest("steady.optimize.error_budget:ErrorBudget"),
    ),
    Registered(
        "detect",
        "the cheapest pairs of forks of base and head that make a given change detectable",
        "Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM 2013",
        OnRequest("steady.optimize.detect:Detect"),
    ),
    Registered(
        "uoptime",
        "the smallest configuration after the warm-up whose stability metric meets a threshold",
        "Japke et al., µOpTime, TOSEM 2025, Algorithm 1",
        OnRequest("steady.papers.uoptime:UOptime"),
    ),
)

DEFAULT_STRATEGY = "error-budget"
"""The default strategy: it saves most for the same error (``docs/decisions.md``)."""

SHARES = {
    "budget": POSITIVE,
    "confidence": LEVEL,
    "detect": POSITIVE,
    "min_change": SHARE,
    "power": POSITIVE,
    "threshold": POSITIVE,
}
"""Strategy options that are percentages, with their validators."""


def make_strategy(name: str, **options: Any) -> Strategy:
    """Return the strategy `name` with validated options."""
    kind = STRATEGIES[name].value
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    unknown = [option for option in options if option not in known]
    if unknown:
        raise InputError(
            f"strategy {name!r} has no option {unknown[0]!r}; it has: {', '.join(known)}"
        )
    optional = {field.name for field in fields(kind) if field.default is None}  # type: ignore[arg-type]
    for option, value in options.items():
        if value is None and option in optional:
            continue
        if option in SHARES:
            options[option] = SHARES[option].of(option, value)
        elif option == "time_budget" and not (
            isinstance(value, int | float) and 0 < value < np.inf
        ):
            raise InputError(
                f"{option} is {value}; give seconds above 0, such as 600 for 10 minutes"
            )
    return kind(**options)


Unsteady = Literal["keep", "reduce"]
"""Treatment of a benchmark without steady state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonOptions:
    """The options common to all strategies; see `steady.optimize`."""

    detector: str = BY_LENGTH
    similarity: str = "heuristic"
    min_forks: int
    startup_seconds: float = STARTUP_SECONDS
    unsteady: Unsteady = "keep"

    def __post_init__(self) -> None:
        if self.min_forks < 1:
            raise InputError(f"min_forks is {self.min_forks}; give at least 1")
        if self.unsteady not in ("keep", "reduce"):
            raise InputError(f"unsteady is {self.unsteady!r}; give 'keep' or 'reduce'")
        if not np.isfinite(self.startup_seconds) or self.startup_seconds < 0:
            raise InputError(
                f"startup_seconds is {self.startup_seconds}; give seconds of 0 or more"
            )


COMMON = tuple(field.name for field in fields(CommonOptions))
"""The names of the options common to all strategies."""


class PlanOptions(TypedDict, total=False):
    """The keyword options of `steady.optimize`."""

    detector: str
    similarity: str
    min_forks: int | None
    startup_seconds: float
    unsteady: Unsteady
    budget: float | str
    confidence: float | str | None
    detect: float | str
    metric: str
    min_change: float | str
    power: float | str
    resamples: int
    seed: int
    threshold: float | str
    time_budget: float | None

"""The registered strategies, and the options of a plan with their validation."""

from dataclasses import dataclass, fields
from typing import Any, Literal, TypedDict

import numpy as np

from steady.errors import InputError
from steady.optimize.cost import STARTUP_SECONDS
from steady.optimize.detect import Detect
from steady.optimize.error_budget import ErrorBudget
from steady.optimize.strategy import Strategy
from steady.percent import LEVEL, POSITIVE, SHARE
from steady.registry import OnRequest, Registered, Registry
from steady.steadystate import BY_LENGTH

STRATEGIES: Registry[type[Strategy]] = Registry(
    "strategy",
    Registered(
        "error-budget",
        "time where it reduces predicted errors most, until these are within a budget",
        "steady: sqrt(bias^2 + sd^2 / forks) over the forks of the full run",
        ErrorBudget,
    ),
    Registered(
        "detect",
        "the cheapest pairs of forks of base and head that make a given change detectable",
        "Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM 2013",
        Detect,
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

"""The options of a plan: those of every strategy, and the keywords that users write."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypedDict

import numpy as np

from steady.errors import InputError
from steady.optimize.cost import STARTUP_SECONDS

Unsteady = Literal["keep", "reduce"]
"""What becomes of a benchmark without steady state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonOptions:
    """The options that all strategies have in common; see `steady.optimize`."""

    detector: str = "kb-kssd"
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
"""The names of the options that all strategies have in common."""


class PlanOptions(TypedDict, total=False):
    """The keywords of `steady.optimize` that say what the plan is to be."""

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

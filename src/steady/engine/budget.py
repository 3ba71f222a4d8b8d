"""The budget of a run: one time for all that it does, from its first look into a file on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from steady.engine.time_limit import CLOCK, Clock

LISTING_SHARE = 0.3
"""Part of the time after which no further benchmark is looked for: the rest is for measuring."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a run may take.

    Parameters
    ----------
    seconds : float
        From its beginning to its end; infinite without a limit.
    began : float
        When it began, by its clock.
    clock : Clock
        Tells the time.
    """

    seconds: float = math.inf
    began: float = 0.0
    clock: Clock = CLOCK

    @classmethod
    def begin(cls, seconds: float | None, clock: Clock = CLOCK) -> Budget:
        """Begin a run now."""
        return cls(math.inf if seconds is None else seconds, clock.now(), clock)

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return self.clock.now() - self.began

    def left(self, share: float = 1.0) -> float:
        """Return the seconds that are left of the time, or of a part of it."""
        return share * self.seconds - self.spent

    def up_to(self, share: float) -> Callable[[], float]:
        """Return what returns the seconds that are left of a part of the time."""
        return partial(self.left, share)


UNLIMITED = Budget()
"""Time without an end."""

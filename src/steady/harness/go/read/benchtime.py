"""Go's ``-benchtime``: seconds, or a number of operations; inferred if unknown.

Source: package testing of Go 1.26, ``durationOrCountFlag`` and ``B.launch``.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from steady.model.units import exact_seconds

DEFAULT_SECONDS = 1.0
"""Go's default."""

MOST_OPERATIONS = 10**9
"""Largest number of operations in an iteration of Go."""

_PART = re.compile(r"(\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(h|ms|us|µs|μs|ns|m|s)", re.ASCII)
_OPERATIONS = re.compile(r"([1-9]\d{0,9})x", re.ASCII)

_STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
_ROUNDING = 1e-3
"""Go prints four digits; the relative error of a product of two is below this."""


@dataclass(frozen=True, slots=True)
class Benchtime:
    """The length of an iteration.

    Parameters
    ----------
    seconds : float
        Its shortest length; 0 for a fixed number of operations.
    operations : int
        The fixed number of operations; otherwise 1.
    """

    seconds: float
    operations: int = 1

    @property
    def text(self) -> str:
        """The value of Go's flag: ``100ms``, ``1s``, ``50x``."""
        if self.seconds == 0:
            return f"{self.operations}x"
        nanoseconds = round(self.seconds * 1e9)
        for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
            if nanoseconds % size == 0:
                return f"{nanoseconds // size}{unit}"
        return f"{nanoseconds}ns"


def parse_benchtime(text: str) -> Benchtime:
    """Parse a value of Go's flag.

    Raises
    ------
    ValueError
        If it is neither a duration above zero nor a number of operations.
    """
    counted = _OPERATIONS.fullmatch(text)
    if counted is not None:
        return Benchtime(0.0, int(counted[1]))
    parts = _PART.findall(text)
    seconds = sum(
        (Decimal(number) * exact_seconds("min" if unit == "m" else unit) for number, unit in parts),
        Decimal(0),
    )
    if "".join(number + unit for number, unit in parts) != text or seconds <= 0:
        raise ValueError(f"{text!r} is not a benchtime such as 100ms, 1s or 50x")
    return Benchtime(float(seconds))


def infer_benchtime(iterations: Iterable[tuple[int, float]]) -> Benchtime:
    """Infer the benchtime from the iterations of a run.

    Go increases the number of operations until an iteration is long enough, and adds a fifth. So
    the shortest iteration is slightly longer than the benchtime. Go stops at 1e9 operations.

    Parameters
    ----------
    iterations : iterable of (int, float)
        Operations and seconds of each iteration.

    Returns
    -------
    Benchtime
        A number of operations, if all iterations had the same; Go's default of 1 s, if none was
        shorter; otherwise the largest round number that none was shorter than.
    """
    timed = [(n, seconds) for n, seconds in iterations if n < MOST_OPERATIONS and seconds > 0]
    if not timed:
        return Benchtime(DEFAULT_SECONDS)
    operations, seconds = np.array(timed, dtype=np.float64).T
    least = float(seconds.min()) * (1 + _ROUNDING)
    if len(timed) > 1 and (operations == operations[0]).all():
        return Benchtime(0.0, int(operations[0]))
    if least >= DEFAULT_SECONDS or not np.isfinite(least):
        return Benchtime(DEFAULT_SECONDS)
    power = 10.0 ** math.floor(math.log10(least))
    step = max((s for s in _STEPS if s * power <= least), default=1.0)
    return Benchtime(max(round(step * power, 9), 1e-9))

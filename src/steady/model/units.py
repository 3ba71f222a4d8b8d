"""Units of the harnesses: direction of improvement, and conversion to seconds."""

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

Direction = Literal["lower", "higher"]

SECONDS_PER_UNIT: Mapping[str, float] = MappingProxyType(
    {
        "ps": 1e-12,
        "ns": 1e-9,
        "us": 1e-6,
        "µs": 1e-6,
        "μs": 1e-6,
        "ms": 1e-3,
        "s": 1.0,
        "sec": 1.0,
        "min": 60.0,
        "hr": 3600.0,
        "h": 3600.0,
        "day": 86400.0,
    }
)
"""Seconds in each time unit of the harnesses (JMH: ``TimeValue.tuToString``)."""

_TIME_PER_OPERATION = re.compile(r"(?P<time>[a-zµμ]+)/\w+")
_WORDS = frozenset({"second", "seconds", "minute", "minutes", "hour", "hours"})
_RATES = frozenset({"fps", "qps", "tps", "rps", "ips", "iops", "ops", "flops", "mflops", "gflops"})
"""Rates whose name contains no time unit: frames, queries, transactions or requests per second."""

_OPERATIONS_PER_TIME = re.compile(r"\w+/(?P<time>[a-zµμ]+)")


def exact_seconds(unit: str) -> Decimal:
    """Return the exact number of seconds in a time unit, so that products are rounded only once."""
    return Decimal(repr(SECONDS_PER_UNIT[unit]))


@lru_cache(maxsize=1024)
def direction_of(unit: str) -> Direction:
    """Return whether lower or higher values of `unit` are better.

    Higher is better for rates (``ops/s``, ``MB/s``, ``fps``), and lower for all other units, such
    as ``ns/op`` and ``B/op``.
    """
    match = _OPERATIONS_PER_TIME.fullmatch(unit)
    is_rate = match is not None and (match["time"] in SECONDS_PER_UNIT or match["time"] in _WORDS)
    return "higher" if is_rate or unit.lower() in _RATES else "lower"


def as_times(values: FloatArray, direction: Direction) -> FloatArray:
    """Convert values so that lower is better; a throughput of 0 becomes infinite."""
    if direction == "lower":
        return values
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / values, dtype=np.float64)


@lru_cache(maxsize=1024)
def seconds_factor(unit: str, threads: int = 1) -> float:
    """Return the seconds per unit of `as_times`; NaN if the unit has no time.

    Throughput is summed over all `threads`, so one operation takes `threads` times as long.
    """
    per_time = _OPERATIONS_PER_TIME.fullmatch(unit)
    if per_time and unit.startswith("ops/") and per_time["time"] in SECONDS_PER_UNIT:
        return SECONDS_PER_UNIT[per_time["time"]] * threads
    per_operation = _TIME_PER_OPERATION.fullmatch(unit)
    if per_operation and per_operation["time"] in SECONDS_PER_UNIT:
        return SECONDS_PER_UNIT[per_operation["time"]]
    return float("nan")

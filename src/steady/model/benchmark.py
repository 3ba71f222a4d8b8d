"""The benchmark and what was measured of it, as arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model.circumstances import Environment, ExecutionConfiguration, Spent
from steady.model.identity import Identity
from steady.model.units import Direction, FloatArray, as_times, direction_of, seconds_factor
from steady.text.escape import visible

_SMALLEST, _LARGEST = 1e-100, 1e100
"""Limits of the size of a value: beyond them, squares and ratios overflow or become 0."""


@dataclass(frozen=True, slots=True)
class Level:
    """One axis of the measurements.

    Parameters
    ----------
    name : str
        ``fork``, ``iteration``, ``suite run``, ...
    startup_seconds : float
        What one repetition costs in addition to its content: for a fork, the start of a JVM.
    """

    name: str
    startup_seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A further result of a benchmark: bytes allocated, processor time, a custom unit of Go.

    Parameters
    ----------
    unit : str
        The harness's unit: ``B/op``, ``allocs/op``.
    values : ndarray of float64, shape (n1, ..., nl)
        As many repetitions as the benchmark's measurements without warm-up, on the same levels;
        NaN where a repetition has none.
    """

    unit: str
    values: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _read_only(self.values))

    @property
    def direction(self) -> Direction:
        """Whether lower or higher values are better, which follows from the unit."""
        return direction_of(self.unit)


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark:
    """The measurements of one benchmark.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    unit : str
        The harness's unit: ``ns/op``, ``ops/s``, ``MB/s``.
    measurements : ndarray of float64, shape (n1, ..., nl)
        One axis for each level, outermost first, in `unit`; a missing repetition is NaN at the
        end of its axis. Warm-up iterations come first on the innermost axis.
    levels : tuple of Level
        What the axes mean.
    warmup : int
        How many leading positions of the innermost axis the harness ran as warm-up.
    configuration : ExecutionConfiguration, optional
        The configuration that the harness was given; None if the format does not say.
    environment : Environment
        Where it ran.
    blocks : tuple of str
        For each repetition of the outermost level, the name of its round in an interleaved run;
        repetitions of base and head in the same round ran close in time. The name is empty if
        the round is unknown. The tuple is empty if all are, as after two runs in sequence.
    declared : ExecutionConfiguration, optional
        What the benchmark itself declares, which is what the harness runs without options. No
        forks means that it runs in the harness's own process. None if it is unknown.
    spent : tuple of Spent or None
        For each repetition of the outermost level, how long it took; None if that is unknown.
        The tuple is empty if it is unknown for all.
    left_out : tuple of str
        Names of further results in the file that were not read: ``gc.alloc.rate.norm``, ``B/op``.
    in_turn : tuple of bool
        For each repetition of the outermost level, whether it took turns, iteration by iteration,
        with the one of the other version in the same round (`blocks`): then the k-th measured
        iterations of both ran one right after the other. The tuple is empty if none did.
    looks : tuple of int
        After how many rounds an interleaved run decided, or would have decided, whether this
        benchmark needs more of them; ascending. Empty if the number of rounds was fixed.
    metrics : mapping of str to Metric
        Further results by the harness's name for them: ``gc.alloc.rate.norm``, ``allocs/op``.
    cold_seconds : tuple of float
        For each repetition of the outermost level that was to be warmed up as long as it takes, and
        was not warm when its time was over, after how many seconds that was; 0 for all others.
        What is not warm says nothing about a change. The tuple is empty if none was left cold.
    calibrated : bool
        Whether the harness chose by itself how often and how long it ran. Then `configuration`
        holds what was observed, which differs from run to run.
    variant : mapping of str to str
        What makes it another benchmark than one of the same name, in the harness's own words: asv's
        ``version``, the ``job`` of BenchmarkDotNet. Two variants are not compared.

    Examples
    --------
    >>> import steady
    >>> suite = steady.Suite.of({"a.Codec.parse": [[3.0, 1.0], [2.9, 1.2]]}, unit="ms/op")
    >>> benchmark = suite["parse"]
    >>> benchmark.measurements.shape
    (2, 2)
    >>> benchmark.fork_times
    array([[3. , 1. ],
           [2.9, 1.2]])
    """

    identity: Identity
    unit: str
    measurements: FloatArray
    levels: tuple[Level, ...]
    warmup: int = 0
    configuration: ExecutionConfiguration | None = None
    environment: Environment = field(default_factory=Environment)
    blocks: tuple[str, ...] = ()
    declared: ExecutionConfiguration | None = None
    spent: tuple[Spent | None, ...] = ()
    left_out: tuple[str, ...] = ()
    in_turn: tuple[bool, ...] = ()
    looks: tuple[int, ...] = ()
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    cold_seconds: tuple[float, ...] = ()
    calibrated: bool = False
    variant: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = _read_only(self.measurements)
        object.__setattr__(self, "measurements", values)
        if values.ndim != len(self.levels) or values.ndim == 0:
            raise InputError(
                f"{self.identity.label}: {values.ndim} axes of measurements for "
                f"{len(self.levels)} levels; give one level for each axis"
            )
        if not 0 <= self.warmup <= values.shape[-1]:
            raise InputError(
                f"{self.identity.label}: {self.warmup} warm-up iterations of {values.shape[-1]}"
            )
        for what, given in (
            ("blocks", self.blocks),
            ("times by the clock", self.spent),
            ("marks of turns", self.in_turn),
            ("times without being warm", self.cold_seconds),
        ):
            if given and len(given) != values.shape[0]:
                raise InputError(
                    f"{self.identity.label}: {len(given)} {what} for {values.shape[0]} "
                    "repetitions of its outermost level; give one for each, or none"
                )
        for name, metric in self.metrics.items():
            if metric.values.shape != self.measured.shape:
                raise InputError(
                    f"{self.identity.label}: {name} has the shape {metric.values.shape}, and the "
                    f"measurements without warm-up have {self.measured.shape}; give them one shape"
                )

    @property
    def direction(self) -> Direction:
        """Whether lower or higher values are better, which follows from the unit."""
        return direction_of(self.unit)

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest value; NaN where one is missing, or there is none."""
        values = self.measurements
        return (float(values.min()), float(values.max())) if values.size else (math.nan, math.nan)

    @property
    def complete(self) -> bool:
        """Whether all values are finite and above 0: nearly always, and fast to see."""
        low, high = self.extremes
        return low > 0 and high < math.inf

    @property
    def in_range(self) -> bool:
        """Whether every finite value is 0 or of a size that squares and ratios can handle."""
        low, high = self.extremes
        if low >= _SMALLEST and high <= _LARGEST:
            return True
        sizes = np.abs(self.measurements[np.isfinite(self.measurements)])
        return bool(((sizes == 0) | ((sizes >= _SMALLEST) & (sizes <= _LARGEST))).all())

    def check_range(self) -> None:
        """Raise InputError unless all values are in range."""
        if not self.in_range:
            raise InputError(
                f"{self.identity.label} holds a value that no measurement has; values are 0, or "
                f"of a size from {_SMALLEST:g} to {_LARGEST:g}"
            )

    @property
    def measured(self) -> FloatArray:
        """The measurements without the iterations that the harness ran as warm-up."""
        return self.measurements[..., self.warmup :] if self.warmup else self.measurements

    @property
    def forks(self) -> FloatArray:
        """The series of the innermost level, shape (repetitions of the outer levels, n)."""
        return self.measurements.reshape(-1, self.measurements.shape[-1])

    @property
    def fork_times(self) -> FloatArray:
        """`times` of the innermost level, shape (repetitions of the outer levels, n)."""
        return self.times.reshape(-1, self.measurements.shape[-1])

    @property
    def times(self) -> FloatArray:
        """The measurements turned so that lower is better: a throughput's reciprocal.

        They keep the unit's scale and are not in seconds; a throughput of zero becomes infinite.
        """
        return as_times(self.measurements, self.direction)

    @property
    def seconds_per_operation(self) -> FloatArray:
        """Seconds that one operation takes on one thread, shape of the measurements.

        All are NaN if the unit does not name a time per operation (``MB/s``, ``bytes/op``).
        """
        return self.times * seconds_factor(self.unit, self.identity.threads)

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.measurements.shape))
        names = " x ".join(level.name for level in self.levels)
        warm = f", the first {self.warmup} of each are warm-up" if self.warmup else ""
        return f"{visible(self.identity.label)}: {size} values ({names}) in {self.unit}{warm}"

    def to_dict(self) -> dict[str, Any]:
        """Return identity, unit, levels and measurements as plain lists and texts."""
        return {
            "name": self.identity.name,
            "mode": self.identity.mode,
            "params": dict(self.identity.params),
            "threads": self.identity.threads,
            "unit": self.unit,
            "levels": [level.name for level in self.levels],
            "warmup": self.warmup,
            "measurements": self.measurements.tolist(),
        }

    def with_measurements(self, measurements: FloatArray, *, warmup: int = 0) -> Benchmark:
        """Return the same benchmark with other measurements on the same levels.

        Its metrics are left out if they belong to another number of repetitions.
        """
        shape = (*measurements.shape[:-1], measurements.shape[-1] - warmup)
        metrics = {n: m for n, m in self.metrics.items() if m.values.shape == shape}
        return replace(self, measurements=measurements, warmup=warmup, metrics=metrics)


def _read_only(values: npt.ArrayLike) -> FloatArray:
    """Return float64 that nobody can change: a copy, unless the values are such an array."""
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        flags = values.flags
        if flags.owndata and not flags.writeable:
            return values
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array

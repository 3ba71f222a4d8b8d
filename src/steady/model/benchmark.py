"""A benchmark and its measurements, as arrays."""

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
"""Limits of the magnitude of a value; beyond them, squares and ratios overflow or underflow."""


@dataclass(frozen=True, slots=True)
class Level:
    """One axis of the measurements.

    Parameters
    ----------
    name : str
        ``fork``, ``iteration``, ``suite run``, ...
    startup_seconds : float
        Overhead of one repetition, in seconds: for a fork, the start of a JVM.
    """

    name: str
    startup_seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A secondary metric of a benchmark, such as bytes allocated, CPU time or a custom unit in Go.

    Parameters
    ----------
    unit : str
        Unit of the harness: ``B/op``, ``allocs/op``.
    values : ndarray of float64, shape (n1, ..., nl)
        Values with the shape of the benchmark's measurements without warm-up; NaN for repetitions
        without a value.
    """

    unit: str
    values: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _read_only(self.values))

    @property
    def direction(self) -> Direction:
        """Whether lower or higher values are better, derived from the unit."""
        return direction_of(self.unit)


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark:
    """The measurements of one benchmark.

    Parameters
    ----------
    identity : Identity
        Identity of the benchmark.
    unit : str
        Unit of the harness: ``ns/op``, ``ops/s``, ``MB/s``.
    measurements : ndarray of float64, shape (n1, ..., nl)
        Values in `unit`, with one axis per level, outermost first. Missing repetitions are NaN at
        the end of their axis. Warm-up iterations come first on the innermost axis.
    levels : tuple of Level
        Levels of the axes.
    warmup : int
        Number of leading iterations on the innermost axis that the harness ran as warm-up.
    configuration : ExecutionConfiguration, optional
        Configuration passed to the harness; None if the format does not contain it.
    environment : Environment
        Environment of the run.
    blocks : tuple of str
        For each repetition of the outermost level, the name of its round in an interleaved run.
        Repetitions of base and head in the same round ran close in time. A name is empty if the
        round is unknown. The tuple is empty if all rounds are unknown, as after two separate runs.
    declared : ExecutionConfiguration, optional
        Configuration declared by the benchmark itself, which the harness uses without options. 0
        forks means that it runs in the harness's own process. None if unknown.
    spent : tuple of Spent or None
        Duration of each repetition of the outermost level; None if unknown. The tuple is empty if
        all are unknown.
    left_out : tuple of str
        Names of unread secondary metrics of the file: ``gc.alloc.rate.norm``, ``B/op``.
    in_turn : tuple of bool
        For each repetition of the outermost level, whether its iterations were interleaved with
        those of the other version in the same round (`blocks`). If so, the k-th measured iterations
        of both ran one right after the other. The tuple is empty if none were interleaved.
    looks : tuple of int
        Numbers of rounds, ascending, after which an interleaved run performed or would have
        performed an interim analysis. Empty if the number of rounds was fixed.
    metrics : mapping of str to Metric
        Secondary metrics by the harness's name: ``gc.alloc.rate.norm``, ``allocs/op``.
    cold_seconds : tuple of float
        Seconds of warm-up of each fork that did not reach a steady state, and 0 for each other
        fork, also if its warm-up had a fixed length. Forks without a steady state are no evidence
        of a change. The tuple is empty if all are 0.
    calibrated : bool
        Whether the harness chose the numbers and durations of its repetitions. Then `configuration`
        contains observed values, which differ from run to run.
    variant : mapping of str to str
        Properties, in the harness's terms, that distinguish it from other benchmarks of the same
        name: asv's ``version``, BenchmarkDotNet's ``job``. Different variants are not compared.
    layouts : tuple of str
        For each repetition of the outermost level, the memory layout in which it ran: in Go, the
        number of a binary with another order of functions. A name is empty if it is unknown, or if
        a version has only one layout. The tuple is empty if all names are.

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
    layouts: tuple[str, ...] = ()

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
        for kind, values_of_each in (
            ("names of rounds", self.blocks),
            ("durations", self.spent),
            ("interleaving flags", self.in_turn),
            ("durations of cold warm-ups", self.cold_seconds),
            ("names of layouts", self.layouts),
        ):
            if values_of_each and len(values_of_each) != values.shape[0]:
                raise InputError(
                    f"{self.identity.label}: {len(values_of_each)} {kind} for {values.shape[0]} "
                    "repetitions of its outermost level; give one for each, or none"
                )
        for name, metric in self.metrics.items():
            if metric.values.shape != self.measured.shape:
                raise InputError(
                    f"{self.identity.label}: {name} has shape {metric.values.shape}, but the "
                    f"measurements without warm-up have shape {self.measured.shape}"
                )

    @property
    def direction(self) -> Direction:
        """Whether lower or higher values are better, derived from the unit."""
        return direction_of(self.unit)

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest value; NaN if a value is missing or there are none."""
        values = self.measurements
        return (float(values.min()), float(values.max())) if values.size else (math.nan, math.nan)

    @property
    def complete(self) -> bool:
        """Whether all values are finite and positive; a cheap test that is nearly always true."""
        low, high = self.extremes
        return low > 0 and high < math.inf

    @property
    def in_range(self) -> bool:
        """Whether every finite value is 0 or of a magnitude that is safe for squares and ratios."""
        low, high = self.extremes
        if low >= _SMALLEST and high <= _LARGEST:
            return True
        sizes = np.abs(self.measurements[np.isfinite(self.measurements)])
        return bool(((sizes == 0) | ((sizes >= _SMALLEST) & (sizes <= _LARGEST))).all())

    def check_range(self) -> None:
        """Raise InputError if a value is out of range."""
        if not self.in_range:
            raise InputError(
                f"{self.identity.label} has a value out of range; the magnitude of a value is "
                f"0, or from {_SMALLEST:g} to {_LARGEST:g}"
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
        """The measurements converted so that lower is better: reciprocals of throughputs.

        They are on the unit's scale, not in seconds; a throughput of 0 becomes infinite.
        """
        return as_times(self.measurements, self.direction)

    @property
    def seconds_per_operation(self) -> FloatArray:
        """Seconds per operation on one thread; same shape as the measurements.

        All are NaN if the unit is not a time per operation or its inverse (``MB/s``, ``bytes/op``).
        """
        return self.times * seconds_factor(self.unit, self.identity.threads)

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.measurements.shape))
        names = " x ".join(level.name for level in self.levels)
        warm = f", the first {self.warmup} of each are warm-up" if self.warmup else ""
        return f"{visible(self.identity.label)}: {size} values ({names}) in {self.unit}{warm}"

    def to_dict(self) -> dict[str, Any]:
        """Return identity, unit, levels and measurements as lists, dicts and scalars."""
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
        """Return a copy with different measurements on the same levels.

        Secondary metrics with a different number of repetitions are dropped.
        """
        shape = (*measurements.shape[:-1], measurements.shape[-1] - warmup)
        metrics = {n: m for n, m in self.metrics.items() if m.values.shape == shape}
        return replace(self, measurements=measurements, warmup=warmup, metrics=metrics)


def _read_only(values: npt.ArrayLike) -> FloatArray:
    """Return a read-only float64 array; copy unless `values` already is one."""
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        flags = values.flags
        if flags.owndata and not flags.writeable:
            return values
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array

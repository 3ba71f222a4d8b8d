"""JMH's annotations of a configuration: their existing and their planned values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from steady.harness.jmh.annotate.names import Names, Value
from steady.harness.jmh.annotate.source import Annotation, SourceFile, Type
from steady.harness.jmh.configure.command_lines import duration
from steady.model import ExecutionConfiguration

NANOSECONDS = {
    "NANOSECONDS": 1,
    "MICROSECONDS": 10**3,
    "MILLISECONDS": 10**6,
    "SECONDS": 10**9,
    "MINUTES": 60 * 10**9,
    "HOURS": 3600 * 10**9,
    "DAYS": 86400 * 10**9,
}
"""Nanoseconds of Java's time units."""

UNITS = {"s": "SECONDS", "ms": "MILLISECONDS", "us": "MICROSECONDS", "ns": "NANOSECONDS"}
"""Java's time units, by JMH's abbreviation."""

USUAL_UNIT = "SECONDS"
"""JMH's default unit."""

_BLANK = -1
"""JMH's value for an argument that is not set."""


@dataclass(frozen=True, slots=True)
class Kind:
    """An annotation type.

    Parameters
    ----------
    name : str
        Its simple name.
    amount : str
        Its argument for the number of iterations or forks.
    """

    name: str
    amount: str

    @property
    def timed(self) -> bool:
        """Whether it has arguments for a time and a batch size."""
        return self is not FORK

    def wanted(self, configuration: ExecutionConfiguration, mode: str) -> PlannedValues:
        """Return its planned values."""
        one = configuration
        if self is FORK:
            return PlannedValues(one.forks)
        amount, seconds, batch = (
            (one.warmup_iterations, one.warmup_seconds, one.warmup_batch_size)
            if self is WARMUP
            else (one.iterations, one.iteration_seconds, one.batch_size)
        )
        time = duration(seconds, mode)
        nanoseconds = None if time is None else time.amount * NANOSECONDS[UNITS[time.unit]]
        return PlannedValues(amount, nanoseconds, batch)


WARMUP = Kind("Warmup", "iterations")
MEASUREMENT = Kind("Measurement", "iterations")
FORK = Kind("Fork", "value")
KINDS = (WARMUP, MEASUREMENT, FORK)


@dataclass(frozen=True, slots=True)
class PlannedValues:
    """The planned values of an annotation.

    Parameters
    ----------
    amount : int
        Iterations or forks.
    nanoseconds : int, optional
        Length of an iteration in nanoseconds; None for single shots.
    batch : int
        Batch size; a patch does not change it.
    """

    amount: int
    nanoseconds: int | None = None
    batch: int = 1

    @classmethod
    def largest(cls, several: Iterable[PlannedValues]) -> PlannedValues:
        """Return the maximum of each planned value."""
        known = [*several]
        times = [one.nanoseconds for one in known if one.nanoseconds is not None]
        amount, batch = max(one.amount for one in known), max(one.batch for one in known)
        return cls(amount, max(times, default=None), batch)


@dataclass(frozen=True, slots=True)
class EffectiveValues:
    """The values that annotations give to a benchmark; None if absent or unknown.

    Parameters
    ----------
    amount : int, optional
        Iterations or forks.
    nanoseconds : int, optional
        Length of an iteration in nanoseconds.
    batch : int, optional
        Batch size; 1 by default.
    """

    amount: int | None = None
    nanoseconds: int | None = None
    batch: int | None = 1

    def outdated(self, wanted: PlannedValues) -> Outdated:
        """Return the arguments that differ from the plan."""
        time = wanted.nanoseconds is not None and wanted.nanoseconds != self.nanoseconds
        return Outdated(wanted.amount != self.amount, time)


@dataclass(frozen=True, slots=True)
class Outdated:
    """The arguments that differ from a plan.

    Parameters
    ----------
    amount, time : bool
        Whether the amount, or the time, differs.
    """

    amount: bool = False
    time: bool = False

    def __bool__(self) -> bool:
        return self.amount or self.time

    def __or__(self, other: Outdated) -> Outdated:
        return Outdated(self.amount or other.amount, self.time or other.time)


_NOTHING = Outdated()


@dataclass(frozen=True, slots=True)
class Written:
    """An annotation, and the scope in which its names are resolved.

    Parameters
    ----------
    annotation : Annotation
        The annotation.
    file : SourceFile
        Its file.
    within : Type
        The type that is annotated, or that declares the annotated method.
    """

    annotation: Annotation
    file: SourceFile
    within: Type

    def value(self, names: Names, argument: str) -> tuple[bool, Value | None]:
        """Return whether an argument is set, and its value if it is known."""
        one = self.annotation.argument(argument)
        if one is None:
            return False, None
        value = names.value(one.text, self.file, self.within)
        return value != _BLANK, value

    def unit(self) -> str | None:
        """Return the unit of its time; None if it is unknown."""
        one = self.annotation.argument("timeUnit")
        name = USUAL_UNIT if one is None else one.text.rpartition(".")[2]
        return name if name in NANOSECONDS else None


@dataclass(frozen=True, slots=True)
class Level:
    """The annotation of a benchmark on one level: its method, its class, or a superclass.

    Parameters
    ----------
    written : Written, optional
        The existing annotation.
    wanted : PlannedValues, optional
        The planned values, if this level changes.
    outdated : Outdated
        The arguments that change to planned values.
    """

    written: Written | None
    wanted: PlannedValues | None = None
    outdated: Outdated = _NOTHING

    @property
    def exists(self) -> bool:
        """Whether this level has an annotation after the change."""
        return self.written is not None or self.wanted is not None

    def arguments(self, names: Names, kind: Kind) -> Mapping[str, int | None]:
        """Return the values after the change, by field of `EffectiveValues`."""
        values = {} if self.written is None else _arguments(names, kind, self.written)
        if self.wanted is not None and self.outdated.amount:
            values["amount"] = self.wanted.amount
        if self.wanted is not None and self.outdated.time and self.wanted.nanoseconds is not None:
            values["nanoseconds"] = self.wanted.nanoseconds
        return values


def effective_values(names: Names, kind: Kind, levels: Iterable[Level]) -> EffectiveValues:
    """Return the effective values; the first level that sets an argument determines it.

    Source: JMH 1.37, ``generators/core/MethodGroup.java``, ``getAll`` and its callers.

    Parameters
    ----------
    names : Names
        The names in the sources, which resolve constants.
    kind : Kind
        The kind of annotation.
    levels : iterable of Level
        The levels: method, class, then superclasses.
    """
    values: dict[str, int | None] = {}
    for level in levels:
        values = {**level.arguments(names, kind), **values}
    return EffectiveValues(values.get("amount"), values.get("nanoseconds"), values.get("batch", 1))


def _arguments(names: Names, kind: Kind, written: Written) -> dict[str, int | None]:
    values: dict[str, int | None] = {}
    arguments = {"amount": kind.amount, "nanoseconds": "time", "batch": "batchSize"}
    for key, argument in arguments.items():
        is_there, value = written.value(names, argument)
        if is_there:
            values[key] = value if isinstance(value, int) else None
    amount, unit = values.get("nanoseconds"), written.unit()
    if amount is not None:
        values["nanoseconds"] = None if unit is None else amount * NANOSECONDS[unit]
    return values

"""The three annotations, their present values, and their planned ones."""

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
"""Java's time units by JMH's abbreviations."""

USUAL_UNIT = "SECONDS"
"""JMH's default unit."""

_BLANK = -1
"""JMH's value of an unset argument."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the annotations.

    Parameters
    ----------
    name : str
        Its simple name.
    amount : str
        Its argument for a number.
    """

    name: str
    amount: str

    @property
    def timed(self) -> bool:
        """Whether it has a time and a batch size."""
        return self is not FORK

    def wanted(self, configuration: ExecutionConfiguration, mode: str) -> Wanted:
        """Return its planned values."""
        one = configuration
        if self is FORK:
            return Wanted(one.forks)
        amount, seconds, batch = (
            (one.warmup_iterations, one.warmup_seconds, one.warmup_batch_size)
            if self is WARMUP
            else (one.iterations, one.iteration_seconds, one.batch_size)
        )
        time = duration(seconds, mode)
        nanoseconds = None if time is None else time.amount * NANOSECONDS[UNITS[time.unit]]
        return Wanted(amount, nanoseconds, batch)


WARMUP = Kind("Warmup", "iterations")
MEASUREMENT = Kind("Measurement", "iterations")
FORK = Kind("Fork", "value")
KINDS = (WARMUP, MEASUREMENT, FORK)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The planned values of an annotation.

    Parameters
    ----------
    amount : int
        Iterations or forks.
    nanoseconds : int, optional
        Length of an iteration; None for single shots.
    batch : int
        Batch size, which is not changed.
    """

    amount: int
    nanoseconds: int | None = None
    batch: int = 1

    @classmethod
    def largest(cls, several: Iterable[Wanted]) -> Wanted:
        """Return the largest of several planned values."""
        known = [*several]
        times = [one.nanoseconds for one in known if one.nanoseconds is not None]
        amount, batch = max(one.amount for one in known), max(one.batch for one in known)
        return cls(amount, max(times, default=None), batch)


@dataclass(frozen=True, slots=True)
class Said:
    """The values of annotations for a benchmark; None if absent or unknown.

    Parameters
    ----------
    amount : int, optional
        Iterations or forks.
    nanoseconds : int, optional
        Length of an iteration.
    batch : int, optional
        Batch size; 1 by default.
    """

    amount: int | None = None
    nanoseconds: int | None = None
    batch: int | None = 1

    def lacks(self, wanted: Wanted) -> Lack:
        """Return the arguments that have to change."""
        time = wanted.nanoseconds is not None and wanted.nanoseconds != self.nanoseconds
        return Lack(wanted.amount != self.amount, time)


@dataclass(frozen=True, slots=True)
class Lack:
    """The arguments that have to change.

    Parameters
    ----------
    amount, time : bool
        Whether amount and time change.
    """

    amount: bool = False
    time: bool = False

    def __bool__(self) -> bool:
        return self.amount or self.time

    def __or__(self, other: Lack) -> Lack:
        return Lack(self.amount or other.amount, self.time or other.time)


_NOTHING = Lack()


@dataclass(frozen=True, slots=True)
class Written:
    """An annotation with the scope of its names.

    Parameters
    ----------
    annotation : Annotation
        The annotation.
    file : SourceFile
        Its file.
    within : Type
        The type with the annotation, or with its method.
    """

    annotation: Annotation
    file: SourceFile
    within: Type

    def value(self, names: Names, argument: str) -> tuple[bool, Value | None]:
        """Return whether an argument is present, and its value if known."""
        one = self.annotation.argument(argument)
        if one is None:
            return False, None
        value = names.value(one.text, self.file, self.within)
        return value != _BLANK, value

    def unit(self) -> str | None:
        """Return the unit of its time; None if unknown."""
        one = self.annotation.argument("timeUnit")
        name = USUAL_UNIT if one is None else one.text.rpartition(".")[2]
        return name if name in NANOSECONDS else None


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a benchmark's annotations: its method, its class, or a superclass.

    Parameters
    ----------
    written : Written, optional
        The present annotation.
    wanted : Wanted, optional
        The planned values at this level.
    lack : Lack
        The arguments that change.
    """

    written: Written | None
    wanted: Wanted | None = None
    lack: Lack = _NOTHING

    @property
    def exists(self) -> bool:
        """Whether there is an annotation, present or planned."""
        return self.written is not None or self.wanted is not None

    def arguments(self, names: Names, kind: Kind) -> Mapping[str, int | None]:
        """Return the present arguments, by the fields of `Said`."""
        values = {} if self.written is None else _arguments(names, kind, self.written)
        if self.wanted is not None and self.lack.amount:
            values["amount"] = self.wanted.amount
        if self.wanted is not None and self.lack.time and self.wanted.nanoseconds is not None:
            values["nanoseconds"] = self.wanted.nanoseconds
        return values


def said(names: Names, kind: Kind, levels: Iterable[Level]) -> Said:
    """Return the effective values of levels: for each argument, that of the first level with it.

    Source: JMH 1.37, ``generators/core/MethodGroup.java``, ``getAll`` and its callers.

    Parameters
    ----------
    names : Names
        The names, for constants.
    kind : Kind
        The kind of annotation.
    levels : iterable of Level
        The method, its class, the superclasses.
    """
    values: dict[str, int | None] = {}
    for level in levels:
        values = {**level.arguments(names, kind), **values}
    return Said(values.get("amount"), values.get("nanoseconds"), values.get("batch", 1))


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

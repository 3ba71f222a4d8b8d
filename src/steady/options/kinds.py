"""Kinds of values: how a text becomes one, and how it is written as a text again."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from steady.errors import InputError
from steady.percent import Percentage, in_percent

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


T = TypeVar("T")

SKIP = (0, 0)
"""What ``--new skip`` stands for."""

ALL = "all"
"""What ``--rotation`` takes to look at every benchmark."""


SHARD = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})", re.ASCII)
"""The form of a part of several."""

LINES: Mapping[str, Any] = {"type": "list", "separator": "\n", "list-item": {"type": "string"}}
"""The type of an input of the action that has a value on each line."""

_COUNTS = re.compile(r"([1-9]\d{0,5})x([1-9]\d{0,5})", re.ASCII)
_SEED = re.compile(r"\d{1,18}", re.ASCII)
_PART = re.compile(r"\d{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """What an option or an input may be.

    Parameters
    ----------
    read : callable
        Given the text, the value; raises ValueError with a sentence where it is something else.
    show : callable
        Given the value, a text of which `read` makes it again.
    metavar : str, optional
        What stands for the value in the help; None: its names, or the option's own.
    known : callable, optional
        Returns the only texts that are taken; None: there are others.
    said : str
        What the action's messages expect, where it is not one of a few names.
    typed : mapping, optional
        What `action-types.yml` says, where it is neither one of a few names nor a text.
    share : Percentage, optional
        What a percentage may be; messages then say how to write a bare number as one.
    is_file : bool
        Whether it names files, so that a shell can complete it.
    """

    read: Callable[[str], T]
    show: Callable[[T], str] = str
    metavar: str | None = None
    known: Callable[[], Sequence[str]] | None = None
    said: str = ""
    typed: Mapping[str, Any] | None = None
    share: Percentage | None = None
    is_file: bool = False

    @property
    def names(self) -> Sequence[str]:
        """The only texts that are taken; none: there are others."""
        return () if self.known is None else self.known()

    @property
    def expected(self) -> str:
        """What it may be, as the action's messages say it."""
        return self.said or " or ".join(f"`{name}`" for name in self.names)

    @property
    def type(self) -> Mapping[str, Any]:
        """Its type, as `action-types.yml` says it."""
        return self.typed or (enum(self.names) if self.names else {"type": "string"})

    def parse(self, text: str, write: str = "{}") -> T:
        """Return the value; `write` is how it is written in this place (``--min-change {}``)."""
        return self.read(text) if self.share is None else self.share.parse(text, write)  # type: ignore[return-value]

    def hint(self, text: str, write: str) -> str:
        """Return the end of a sentence that says how to write what cannot be read."""
        return "" if self.share is None else in_percent(text, write)


def choice(*names: T, metavar: str | None = None) -> Kind[T]:
    """Return the kind of what is one of `names`, which are texts."""
    known = {str(name): name for name in names}
    return Kind(known.__getitem__, metavar=metavar, known=lambda: list(known))


def named_in(table: str, metavar: str | None = "NAME") -> Kind[str]:
    """Return the kind of what has a name in a table, such as ``steady.stats:METRICS``.

    The table is looked up when its names are needed: it stands in a room above this one, other
    packages may add to it, and most commands need no name of it.
    """
    module, _, attribute = table.partition(":")

    def names() -> Sequence[str]:
        return list(getattr(import_module(module), attribute))

    def read(text: str) -> str:
        if text not in names():
            raise KeyError(text)
        return text

    return Kind(read, metavar=metavar, known=names)


def percentage(of: Percentage) -> Kind[float]:
    """Return the kind of a percentage."""

    def show(value: float) -> str:
        short = f"{100 * value:.12g}"
        return f"{short}%" if float(short) / 100 == value else repr(value)

    return Kind(of.parse, show, "PERCENT", said=of.expected, share=of)


def enum(names: Iterable[str]) -> dict[str, Any]:
    """Return the type of an input that is one of some names."""
    return {"type": "enum", "allowed-values": list(names)}


def check_expression(text: str) -> str:
    """Return a text that is a regular expression.

    Raises
    ------
    InputError
        If it is none.
    """
    try:
        re.compile(text)
    except re.error as error:
        raise InputError(f"{text!r} is not a regular expression: {error}") from None
    except (OverflowError, RecursionError):
        raise InputError(
            f"{text[:80]!r} is not a regular expression: it repeats too often, or is nested too "
            "deeply"
        ) from None
    return text


def parse_counts(text: str) -> tuple[int, int]:
    """Parse forks x iterations: ``5x60``.

    Raises
    ------
    ValueError
        If it is not of this form.
    """
    match = _COUNTS.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not forks x iterations; write 5x60")
    return int(match[1]), int(match[2])


def _counts(value: tuple[int, int]) -> str:
    return "skip" if value == SKIP else "{}x{}".format(*value)


def _shard(text: str) -> tuple[int, int]:
    match = SHARD.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise ValueError(f"{text!r} is not a shard; write 1/3, 2/3 or 3/3")
    return int(match[1]), int(match[2])


def _rotation(text: str) -> int | str:
    if text == ALL:
        return ALL
    if _PART.fullmatch(text) is None:
        raise ValueError(
            f"{text!r} does not say which part; write a whole number, such as 7, or all"
        )
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise ValueError(f"{text!r} is not a number of seconds; write 0.1 or 30")
    return value


def _seed(text: str) -> int:
    if _SEED.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a seed; write a whole number, such as 7")
    return int(text)


def seconds_of(text: str) -> float:
    """Parse a time above 0: ``600``, ``600s``, ``10m`` or ``1.5h``.

    Raises
    ------
    ValueError
        If it is not such a time.
    """
    unit = _SECONDS.get(text[-1:])
    with suppress(ValueError):
        value = float(text if unit is None else text[:-1]) * (unit or 1.0)
        if 0.0 < value < float("inf"):
            return value
    raise ValueError(f"{text!r} is not a time; write 600, 10m or 1.5h")


def _shown_time(seconds: float) -> str:
    return f"{seconds / 60:.0f}m" if seconds % 60 == 0 else f"{_shown_number(seconds)}s"


def _number_of(kind: Callable[[str], T], name: str) -> Callable[[str], T]:
    def read(text: str) -> T:
        try:
            return kind(text)
        except ValueError:
            raise ValueError(f"invalid {name} value: {text!r}") from None

    return read


def _shown_number(value: float) -> str:
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def target_of(text: str) -> Path | str:
    """Return the path of benchmarks, or a command as it was typed: several words, and no file."""
    is_command = any(map(str.isspace, text.strip())) and not Path(text).exists()
    return text if is_command else Path(text)


TEXT: Kind[str] = Kind(str)
FILES = Kind(str, is_file=True)
TARGET = Kind(target_of, is_file=True)
PATH = Kind(Path, is_file=True)
FLAG = Kind(bool)
WHOLE = Kind(_number_of(int, "int"), metavar="N")
NUMBER = Kind(_number_of(float, "float"), _shown_number)
SECONDS = Kind(_seconds, _shown_number, "S")
TIME = Kind(seconds_of, _shown_time, "TIME", said="a time, such as `600`, `10m` or `1.5h`")
EXPRESSION = Kind(check_expression, metavar="REGEX")
COUNTS = Kind(parse_counts, _counts, "FxI")
NEW = Kind(lambda text: SKIP if text == "skip" else parse_counts(text), _counts, "FxI")
PART = Kind(_shard, "{0[0]}/{0[1]}".format, "K/N")
ROTATION = Kind(_rotation, metavar="K")
SEED = Kind(_seed, metavar="N")

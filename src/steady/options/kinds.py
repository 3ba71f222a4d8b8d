"""Kinds of option values, with their parsing and formatting."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from steady.errors import InputError
from steady.percent import Percentage, percent_hint

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


T = TypeVar("T")

SKIP = (0, 0)
"""Value of ``--new skip``."""

ALL = "all"
"""Value of ``--rotation`` that selects every benchmark."""


SHARD = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})", re.ASCII)
"""Format of a shard, such as ``2/3``."""

LINES: Mapping[str, Any] = {"type": "list", "separator": "\n", "list-item": {"type": "string"}}
"""Type of an action input with one value per line."""

_COUNTS = re.compile(r"([1-9]\d{0,5})x([1-9]\d{0,5})", re.ASCII)
_SEED = re.compile(r"\d{1,18}", re.ASCII)
_POSITIVE = re.compile(r"[1-9]\d{0,5}", re.ASCII)
_PART = re.compile(r"\d{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """The kind of values of an option or an action input.

    Parameters
    ----------
    read : callable
        Parser of the text; it raises ValueError with a sentence if the text is invalid.
    show : callable
        Formatter of the value; the inverse of `read`.
    metavar : str, optional
        Placeholder in the help text; None to use the names or the option's own placeholder.
    known : callable, optional
        Function that returns the allowed texts; None if they are not a fixed set.
    said : str
        Description of the expected value in the action's messages, if not one of a few names.
    typed : mapping, optional
        Type in `action-types.yml`, if neither an enumeration nor a string.
    share : Percentage, optional
        Range of a percentage; messages then suggest a percent sign for bare numbers.
    is_file : bool
        Whether values are paths, which a shell can complete.
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
        """The allowed texts; empty if they are not a fixed set."""
        return () if self.known is None else self.known()

    @property
    def expected(self) -> str:
        """Description of the expected value in the action's messages."""
        return self.said or " or ".join(f"`{name}`" for name in self.names)

    @property
    def type(self) -> Mapping[str, Any]:
        """Type in `action-types.yml`."""
        return self.typed or (enum(self.names) if self.names else {"type": "string"})

    def parse(self, text: str, write: str = "{}") -> T:
        """Parse a value; `write` is the option's syntax: ``--min-change {}``."""
        return self.read(text) if self.share is None else self.share.parse(text, write)  # type: ignore[return-value]

    def hint(self, text: str, write: str) -> str:
        """Return a suggestion for an invalid text, as the end of a sentence."""
        return "" if self.share is None else percent_hint(text, write)


def choice(*names: T, metavar: str | None = None) -> Kind[T]:
    """Return a kind whose values are `names`."""
    known = {str(name): name for name in names}
    return Kind(known.__getitem__, metavar=metavar, known=lambda: list(known))


def registered_in(table: str, metavar: str | None = "NAME") -> Kind[str]:
    """Return a kind whose values are the names in a registry, such as ``steady.stats:METRICS``.

    The registry is imported when its names are needed: it depends on this package, other packages
    may extend it, and most commands do not use it.
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
    """Return a kind of percentages."""

    def show(value: float) -> str:
        short = f"{100 * value:.12g}"
        return f"{short}%" if float(short) / 100 == value else repr(value)

    return Kind(of.parse, show, "PERCENT", said=of.expected, share=of)


def enum(names: Iterable[str]) -> dict[str, Any]:
    """Return the type of an enumerated action input."""
    return {"type": "enum", "allowed-values": list(names)}


def check_expression(text: str) -> str:
    """Return `text` if it is a valid regular expression.

    Raises
    ------
    InputError
        If it is invalid.
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
        If it does not have this format.
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
        raise ValueError(f"{text!r} is not a part; write a whole number, such as 7, or all")
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


def _positive(text: str) -> int:
    if _POSITIVE.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a whole number from 1; write one, such as 2")
    return int(text)


def seconds_of(text: str) -> float:
    """Parse a positive duration: ``600``, ``600s``, ``10m`` or ``1.5h``.

    Raises
    ------
    ValueError
        If it is not such a duration.
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
    """Return a path, or the text itself if it is a command: several words, and no existing file."""
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
POSITIVE = Kind(_positive, metavar="N")

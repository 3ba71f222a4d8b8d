"""Records of JMH's list of benchmarks, ``META-INF/BenchmarkList``.

JMH's annotation processor writes one line for each method and mode, which its runner reads
(``runner/BenchmarkListEntry.java``, ``util/lines/TestLineReader.java``). A line consists of ``JMH``
and 23 fields. Each field is a letter for its type, then lengths and texts, separated by single
spaces. The format is internal to JMH, and the same in JMH 1.19 to 1.37, except that parameter
values are encoded ("armoured") since 1.24.
"""

from __future__ import annotations

import re
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TypeVar

from steady.harness.jmh.configure.command_lines import MODE_NAMES
from steady.harness.jmh.time_value import TimeValue

_GROUP = 8
_LETTERS_OF_CHARACTERS = {1: 3, 2: 6, 3: 8}
"""Number of letters for one, two and three characters."""


def encode(text: str) -> str:
    """Encode a parameter value as in JMH's list (JMH's *armour*)."""
    data = text.encode("utf-16-le", "surrogatepass")
    return "".join(_encode_group(data[start : start + 6]) for start in range(0, len(data), 6))


def decode(text: str) -> str | None:
    """Decode a parameter value; None if it is not encoded."""
    groups = [text[start : start + _GROUP] for start in range(0, len(text), _GROUP)]
    try:
        data = b"".join(map(_decode_group, groups))
        decoded = data.decode("utf-16-le", "surrogatepass")
    except ValueError:  # a character is not of base 64, or misplaced
        return None
    return decoded if encode(decoded) == text else None


def _encode_group(data: bytes) -> str:
    """Encode up to three characters in base 64, least significant bits first."""
    letters = b64encode(data.ljust(6, b"\0")[::-1]).decode()[::-1]
    return letters[: _LETTERS_OF_CHARACTERS[len(data) // 2]].ljust(_GROUP, "=")


def _decode_group(group: str) -> bytes:
    held = group.rstrip("=")
    sizes = _LETTERS_OF_CHARACTERS.items()
    characters = max((n for n, size in sizes if size <= len(held)), default=0)
    return b64decode(held.ljust(_GROUP, "A")[::-1], validate=True)[::-1][: 2 * characters]


T = TypeVar("T")

FIELDS = (
    *("user class", "generated class", "method", "mode", "threads", "thread groups"),
    *("thread group labels", "warmup iterations", "warmup time", "warmup batch size"),
    *("measurement iterations", "measurement time", "measurement batch size", "forks"),
    *("warmup forks", "jvm", "jvm args", "jvm args prepend", "jvm args append", "params"),
    *("time unit", "operations per invocation", "timeout"),
)
"""The fields of a line, in order."""

_KINDS = "SSSSIALITIITIIISLLLMUIT"
_REQUIRED = frozenset(range(4)) | {5}
_WHOLE = re.compile(r"-?\d{1,10}", re.ASCII)
_MAGIC = "JMH "


class UnknownFormatError(ValueError):
    """Raised for a line in an unknown format; the message names the difference."""


@dataclass(frozen=True, slots=True)
class BenchmarkListEntry:
    """A line of the list: a benchmark method in one mode.

    Parameters
    ----------
    fields : tuple of str
        The 23 fields as text, each with its trailing space.
    """

    fields: tuple[str, ...]

    @classmethod
    def parse(cls, line: str) -> BenchmarkListEntry:
        """Parse a line.

        Raises
        ------
        UnknownFormatError
            If it is not ``JMH`` and 23 fields of the known types.
        """
        if not line.startswith(_MAGIC):
            raise UnknownFormatError("it does not begin with 'JMH '")
        cursor = _Cursor(_code_units(line), len(_MAGIC))
        fields = tuple(cursor.field(place) for place in range(len(FIELDS)))
        if cursor.rest.strip(" "):
            raise UnknownFormatError(f"it has more than {len(FIELDS)} fields")
        return cls(fields)

    @property
    def name(self) -> str:
        """The benchmark's name, as in JMH's results."""
        return f"{self.listed('user class')[0]}.{self.listed('method')[0]}"

    @property
    def mode(self) -> str:
        """Name of the mode in JMH's results; ``all`` for a record of all modes."""
        name = self.listed("mode")[0]
        return MODE_NAMES.get(name, name.lower())

    @property
    def threads(self) -> int | None:
        """Number of worker threads without ``-t``; None if it depends on the processors."""
        threads, groups = int(self.annotated("threads") or 1), self._groups
        if threads < 1 or groups < 1:
            return None
        return -(-threads // groups) * groups

    def threads_on(self, processors: int) -> int:
        """Return the number of worker threads without ``-t`` on a machine with `processors`."""
        groups = max(1, self._groups)
        return self.threads or -(-processors // groups) * groups

    @property
    def _groups(self) -> int:
        """Number of threads of a group."""
        return sum(map(int, self.listed("thread groups")))

    def annotated(self, field: str) -> str | None:
        """Return the text of a field of `FIELDS`; None if there is no annotation."""
        return next(iter(self.listed(field)), None)

    def listed(self, field: str) -> tuple[str, ...]:
        """Return all texts of a field of `FIELDS`; empty if there is no annotation."""
        place = FIELDS.index(field)
        texts = _Cursor(_code_units(self.fields[place]), 0).texts(place)
        return tuple(map(_text, texts))

    def params(self, *, armoured: bool) -> dict[str, list[str]]:
        """Return the annotated values of the parameters, sorted by name.

        Parameters
        ----------
        armoured : bool
            Whether parameter values are encoded, as since JMH 1.24.

        Raises
        ------
        UnknownFormatError
            If a value should be encoded and is not.
        """
        params = sorted(self._params().items())
        if not armoured:
            return dict(params)
        return {key: [_plain(value) for value in values] for key, values in params}

    def runs_exactly(self, combinations: Collection[Mapping[str, str]]) -> bool:
        """Return whether the annotated parameter values have exactly these combinations.

        The list does not record whether values are encoded, so both interpretations are compared
        with `combinations`.
        """
        params = self._params()
        armoured = {key: [decode(value) for value in values] for key, values in params.items()}
        return any(_product_is(reading, combinations) for reading in (armoured, params))

    def with_iterations(
        self, kind: str, count: int, time: TimeValue | None, batch_size: int
    ) -> BenchmarkListEntry:
        """Return the record with changed iterations.

        Parameters
        ----------
        kind : {"warmup", "measurement"}
            The type of iterations.
        count : int
            Number of iterations.
        time : TimeValue, optional
            Length of an iteration; None keeps that of the record.
        batch_size : int
            Invocations per operation of a single shot.
        """
        changed = {
            f"{kind} iterations": f"I {_sized(str(count))}",
            f"{kind} batch size": f"I {_sized(str(batch_size))}",
        }
        if time is not None:
            changed[f"{kind} time"] = f"T {_sized(str(time))}"
        return self._with(changed)

    def with_forks(self, forks: int) -> BenchmarkListEntry:
        """Return the record with another number of forks."""
        return self._with({"forks": f"I {_sized(str(forks))}"})

    def with_params(self, params: Mapping[str, str], *, armoured: bool) -> BenchmarkListEntry:
        """Return the record with one value for each parameter.

        Parameters
        ----------
        params : mapping of str to str
            All parameters of the benchmark.
        armoured : bool
            Whether parameter values are encoded, as since JMH 1.24.
        """
        field = f"M {len(params)} "
        for key, value in params.items():
            field += _sized(key) + "1 " + _sized(encode(value) if armoured else value)
        return self._with({"params": field})

    def __str__(self) -> str:
        """Return the line, without its line end."""
        return _MAGIC + "".join(self.fields)

    def _with(self, changed: Mapping[str, str]) -> BenchmarkListEntry:
        fields = zip(FIELDS, self.fields, strict=True)
        return replace(self, fields=tuple(changed.get(name, field) for name, field in fields))

    def _params(self) -> dict[str, list[str]]:
        return {
            _text(key): [_text(value) for value in values]
            for key, values in _Cursor(_code_units(self.fields[19]), 0).params(19).items()
        }


class _Cursor:
    """Reads fields from a line of UTF-16 code units."""

    def __init__(self, line: str, position: int) -> None:
        self._line = line
        self._position = position

    @property
    def rest(self) -> str:
        return self._line[self._position :]

    def field(self, place: int) -> str:
        """Read a field and return its text."""
        start = self._position
        _ = self.params(place) if _KINDS[place] == "M" else self.texts(place)
        return _text(self._line[start : self._position])

    def texts(self, place: int) -> list[str]:
        kind = self._kind(place)
        if kind == "E":
            return []
        texts = self._repeat(self._string) if kind in "LA" else [self._string()]
        wrong = next((text for text in texts if kind in "IA" and not _WHOLE.fullmatch(text)), None)
        if wrong is not None:
            raise UnknownFormatError(
                f"{wrong!r} in its field {place + 1} ({FIELDS[place]}) is not a whole number"
            )
        return texts

    def params(self, place: int) -> dict[str, list[str]]:
        if self._kind(place) == "E":
            return {}
        pairs = self._repeat(lambda: (self._string(), self._repeat(self._string)))
        return dict(pairs)

    def _kind(self, place: int) -> str:
        kind = self._take(1)
        if kind != _KINDS[place] and (kind != "E" or place in _REQUIRED):
            raise UnknownFormatError(
                f"its field {place + 1} ({FIELDS[place]}) is of kind {kind!r}, "
                f"and {_KINDS[place]!r} was expected"
            )
        return kind

    def _repeat(self, read: Callable[[], T]) -> list[T]:
        return [read() for _ in range(self._length())]

    def _length(self) -> int:
        end = self._line.find(" ", self._position)
        digits = self._line[self._position : end] if end >= 0 else ""
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            raise UnknownFormatError(f"no length at its character {self._position + 1}")
        self._position = end + 1
        return int(digits)

    def _string(self) -> str:
        return self._take(self._length())

    def _take(self, length: int) -> str:
        """Read `length` characters and the space after them."""
        end = self._position + length
        text = self._line[self._position : end]
        if len(text) < length or self._line[end : end + 1] not in {" ", ""}:
            raise UnknownFormatError(f"the text at its character {self._position + 1} does not end")
        self._position = min(end + 1, len(self._line))
        return text


def _product_is(
    values: Mapping[str, Sequence[str | None]], combinations: Collection[Mapping[str, str]]
) -> bool:
    if prod(map(len, values.values())) != len(combinations):
        return False
    wanted = {tuple(sorted(combination.items())) for combination in combinations}
    keys = sorted(values)
    return wanted == {
        tuple(zip(keys, one, strict=True)) for one in product(*(values[key] for key in keys))
    }


def _sized(text: str) -> str:
    return f"{len(_code_units(text))} {text} "


def _plain(value: str) -> str:
    decoded = decode(value)
    if decoded is None:
        raise UnknownFormatError(f"the value {value!r} of a parameter is not armoured")
    return decoded


def _code_units(text: str) -> str:
    """Return a text in which each character is a UTF-16 code unit."""
    units = array("H", text.encode("utf-16-le", "surrogatepass"))
    return "".join(map(chr, units))


def _text(units: str) -> str:
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

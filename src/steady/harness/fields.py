"""Typed access to JSON values with their paths, so that every error names the position."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import replace

from steady.errors import InputError
from steady.files import is_text
from steady.model import FloatArray

NON_FINITE = {"NaN": np.nan, "+INF": np.inf, "-INF": -np.inf}
"""JMH's text for values that JSON numbers cannot represent (``JSONResultFormat.emit``)."""


class _Numbers(Struct):
    value: list[float]


class _Rows(Struct):
    value: list[list[Annotated[float, Meta(ge=0)]]]


class _Pairs(Struct):
    value: list[tuple[float, float]]


_PLAIN_KEY = re.compile(r"\w+", re.ASCII)

_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def quoted(text: str, limit: int = 80) -> str:
    """Return untrusted text for a message: on one line, in quotes, and short."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


class Field(Struct, frozen=True):
    """A value inside a JSON document.

    Parameters
    ----------
    value : object
        The value from `json`.
    source : str
        The file.
    path : tuple of str or int
        The path to it from the top.
    advice : str
        Advice for a missing value, or one of the wrong type.
    """

    value: object
    source: str
    path: tuple[str | int, ...] = ()
    advice: str = "give the file as the harness wrote it"

    @property
    def where(self) -> str:
        """Its path as messages write it: ``[3].primaryMetric.rawData``; empty at the top."""
        return "".join(map(_step, self.path)).removeprefix(".")

    def error(self, problem: str) -> InputError:
        """Return an error with this position and a problem."""
        return InputError(problem, source=self.source, where=self.where or "top level")

    def wrong(self, expected: str) -> InputError:
        """Return the error for a value that is not of the expected kind."""
        kind = _KINDS.get(type(self.value), "something else")
        value = f", {quoted(self.value)}" if isinstance(self.value, str) else ""
        return self.error(f"expected {expected}, found {kind}{value}; {self.advice}")

    def member(self, key: str) -> Field:
        """Return the value of `key`; raise InputError if it is missing."""
        table = self.table()
        if key not in table:
            raise self.error(f"has no {key!r}; {self.advice}")
        return self.below(key, table[key])

    def optional(self, key: str, default: object) -> Field:
        """Return the value of `key`, or `default` if it is missing."""
        return self.below(key, self.table().get(key, default))

    def below(self, step: str | int, value: object) -> Field:
        """Return the field of a value inside this one."""
        return Field(value, self.source, (*self.path, step), self.advice)

    def table(self) -> dict[str, object]:
        """Return the value as an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return self.value

    def array(self) -> list[object]:
        """Return the value as a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return self.value

    def items(self) -> Iterator[Field]:
        """Yield the items of the list."""
        for index, value in enumerate(self.array()):
            yield self.below(index, value)

    def text(self) -> str:
        """Return the value as text, unchanged, if it is valid Unicode."""
        if not isinstance(self.value, str):
            raise self.wrong("a text")
        if not is_text(self.value):
            raise self.error("holds an incomplete character (a lone surrogate); rename it")
        return self.value

    def texts(self) -> tuple[tuple[str, str], ...]:
        """Return an object of texts as pairs, in order."""
        return tuple(
            (
                key if is_text(key) else replace(self, value=key).text(),
                self.below(key, value).text(),
            )
            for key, value in self.table().items()
        )

    def whole(self, minimum: int) -> int:
        """Return the value as a whole number of at least `minimum`."""
        if type(self.value) is not int or not minimum <= self.value < 2**53:
            raise self.wrong(f"a whole number of at least {minimum}")
        return self.value

    def number(self) -> float:
        """Return the value as float64; JMH's texts for NaN and infinity are numbers too."""
        if isinstance(self.value, str) and self.value in NON_FINITE:
            return NON_FINITE[self.value]
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.wrong("a number")
        try:
            return float(self.value)
        except OverflowError:
            raise self.error("is a number too large to be a measurement") from None

    def numbers(self) -> FloatArray:
        """Return the value, a list of numbers, as float64, shape (n,)."""
        numbers = self._plain(_Numbers)
        if numbers is None:
            numbers = [item.number() for item in self.items()]
        return np.array(numbers, dtype=np.float64)

    def rows(self) -> list[FloatArray] | None:
        """Return the value, lists of plain numbers of at least zero, as float64, each shape (n,).

        None if it contains anything else; reading the `items` then raises the error.
        """
        rows = self._plain(_Rows)
        return None if rows is None else [np.array(row, dtype=np.float64) for row in rows]

    def pairs(self) -> FloatArray:
        """Return the value, a list of pairs of numbers, as float64, shape (n, 2)."""
        pairs = self._plain(_Pairs)
        if pairs is None:
            for item in self.items():
                if len(item.array()) != 2:
                    raise item.wrong("a pair of numbers")
            return np.array([item.numbers() for item in self.items()], dtype=np.float64)
        return np.array(pairs, dtype=np.float64).reshape(-1, 2)

    def _plain(self, kind: type[_Numbers | _Rows | _Pairs]) -> Any:
        """Return the whole value if it is of a declared type, else None.

        The type is that of a struct's field, since msgspec caches the decoder of a struct.
        """
        try:
            return msgspec.convert({"value": self.value}, kind).value
        except (msgspec.ValidationError, OverflowError, UnicodeEncodeError):
            return None


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN_KEY.fullmatch(step) else f"[{quoted(step)}]"

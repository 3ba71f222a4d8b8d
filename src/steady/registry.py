"""A table for each kind of method: the names that users may give, and the functions behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from steady.errors import UnknownNameError
from steady.text.nearest import did_you_mean

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Registered(Generic[T]):
    """A registered method.

    Parameters
    ----------
    name : str
        What users write.
    summary : str
        One line: what it does.
    source : str
        Paper and section, or the harness's own documentation.
    value : object
        The function or class itself.
    """

    name: str
    summary: str
    source: str
    value: T


class Registry(Mapping[str, Registered[T]]):
    """An ordered, closed table of entries by name.

    Parameters
    ----------
    kind : str
        What an entry is called in messages: ``"stability metric"``.
    *entries : Registered
        In the order in which users see them.
    """

    def __init__(self, kind: str, *entries: Registered[T]) -> None:
        self.kind = kind
        self._entries = {entry.name: entry for entry in entries}
        if len(self._entries) != len(entries):
            raise ValueError(f"two entries of the {kind} registry share a name")

    def __getitem__(self, name: str) -> Registered[T]:
        """Return the entry called `name`; if there is none, the error lists those that exist."""
        try:
            return self._entries[name]
        except (KeyError, TypeError):
            known = ", ".join(self._entries)
            meant = did_you_mean(str(name), self._entries)
            raise UnknownNameError(
                f"unknown {self.kind} {name!r}; known are: {known}{meant}"
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

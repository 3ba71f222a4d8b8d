"""A table for each kind of method: the names that users may give, and the functions behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, Generic, TypeVar

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


def imported(place: str) -> Any:
    """Return what stands at a place: ``steady.harness.go:GO`` is `GO` of that module."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True, slots=True)
class OnRequest:
    """A function, or a class, that is imported when it is first called.

    Parameters
    ----------
    place : str
        Its module and its name there (`imported`).
    """

    place: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it."""
        return imported(self.place)(*args, **kwargs)


class Registry(Mapping[str, Registered[T]]):
    """An ordered, closed table of entries by name.

    Parameters
    ----------
    kind : str
        What an entry is called in messages: ``"stability metric"``.
    *entries : Registered
        In the order in which users see them.
    later : callable, optional
        Gives the entries instead, when the first of them is needed.
    """

    def __init__(
        self,
        kind: str,
        *entries: Registered[T],
        later: Callable[[], Iterable[Registered[T]]] | None = None,
    ) -> None:
        self.kind = kind
        self._entries_of = later or (lambda: entries)
        if later is None:
            _ = self._entries  # two of one name are a mistake from the start

    @cached_property
    def _entries(self) -> dict[str, Registered[T]]:
        known: dict[str, Registered[T]] = {}
        for entry in self._entries_of():
            if entry.name in known:
                raise ValueError(f"two entries of the {self.kind} registry share a name")
            known[entry.name] = entry
        return known

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

"""Registries of methods: user-visible names, with their functions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

from steady.errors import UnknownNameError
from steady.text.nearest import did_you_mean

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OnRequest:
    """An object that is imported on first use.

    Parameters
    ----------
    place : str
        Module and name of the object: ``"steady.papers.stops:georges"``.
    """

    place: str

    def load(self) -> Any:
        """Import the module and return the object."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the object."""
        return self.load()(*arguments, **options)


@dataclass(frozen=True, slots=True)
class Registered(Generic[T]):
    """A registered method.

    Parameters
    ----------
    name : str
        Name for users.
    summary : str
        One-line description.
    source : str
        Paper and section, or documentation of the harness.
    held : object or OnRequest
        The function or class, or a lazy import of it.
    """

    name: str
    summary: str
    source: str
    held: T | OnRequest

    @property
    def value(self) -> T:
        """The function or class itself."""
        held = self.held
        return cast("T", held.load()) if isinstance(held, OnRequest) else held


class Registry(Mapping[str, Registered[T]]):
    """An ordered, immutable mapping of entries by name.

    Parameters
    ----------
    kind : str
        Term for an entry in messages: ``"stability metric"``.
    *entries : Registered
        Entries in display order, with the default first.
    further : callable, optional
        Function that returns additional entries. It is called on first access.
    """

    def __init__(
        self,
        kind: str,
        *entries: Registered[T],
        further: Callable[[], Iterable[Registered[T]]] = tuple,
    ) -> None:
        self.kind = kind
        self._own, self._further = entries, further
        self._table(entries)  # check for duplicate names early

    @cached_property
    def _entries(self) -> Mapping[str, Registered[T]]:
        return self._table((*self._own, *self._further()))

    def _table(self, entries: tuple[Registered[T], ...]) -> Mapping[str, Registered[T]]:
        table = {entry.name: entry for entry in entries}
        if len(table) != len(entries):
            raise ValueError(f"two entries of the {self.kind} registry share a name")
        return table

    def __getitem__(self, name: str) -> Registered[T]:
        """Return the entry `name`, or raise an error that lists the known names."""
        try:
            return self._entries[name]
        except (KeyError, TypeError):
            known = ", ".join(self._entries)
            meant = did_you_mean(str(name), self._entries)
            raise UnknownNameError(
                f"unknown {self.kind} {name!r}; expected one of: {known}{meant}"
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

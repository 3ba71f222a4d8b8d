"""A table for each kind of method: the names that users may give, and the functions behind them."""

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
    """A thing that is imported when it is first asked for.

    Parameters
    ----------
    place : str
        Module and name: ``"steady.papers.stops:georges"``.
    """

    place: str

    def load(self) -> Any:
        """Import the module, and return what has this name in it."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call it: a function, or a class."""
        return self.load()(*arguments, **options)


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
    held : object or OnRequest
        The function or class itself, or where it is.
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
    """An ordered, closed table of entries by name.

    Parameters
    ----------
    kind : str
        What an entry is called in messages: ``"stability metric"``.
    *entries : Registered
        In the order in which users see them: what runs by default first.
    further : callable, optional
        Returns more entries, which come after these. It is called when the table is first read.
    """

    def __init__(
        self,
        kind: str,
        *entries: Registered[T],
        further: Callable[[], Iterable[Registered[T]]] = tuple,
    ) -> None:
        self.kind = kind
        self._own, self._further = entries, further
        self._table(entries)  # raises an error now if two share a name

    @cached_property
    def _entries(self) -> Mapping[str, Registered[T]]:
        return self._table((*self._own, *self._further()))

    def _table(self, entries: tuple[Registered[T], ...]) -> Mapping[str, Registered[T]]:
        table = {entry.name: entry for entry in entries}
        if len(table) != len(entries):
            raise ValueError(f"two entries of the {self.kind} registry share a name")
        return table

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

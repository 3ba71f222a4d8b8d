"""Look up a benchmark by its identity, its label or its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Protocol, TypeVar

from steady.model.benchmark import Identity


class Identified(Protocol):
    """Anything that belongs to one benchmark."""

    @property
    def identity(self) -> Identity:
        """Which benchmark."""


Item = TypeVar("Item", bound=Identified, covariant=True)


class ByIdentity(Mapping[Identity, Item]):
    """A mapping from identity to what belongs to that benchmark, in the order of `benchmarks`."""

    benchmarks: tuple[Item, ...]

    @cached_property
    def _index(self) -> dict[Identity, Item]:
        return {benchmark.identity: benchmark for benchmark in self.benchmarks}

    def __getitem__(self, key: Identity | str) -> Item:
        """Return what belongs to an identity, to a label, or to a name where that is unique."""
        if isinstance(key, Identity) and key in self._index:
            return self._index[key]
        return self._index[find_identity(self._index, key)]

    def __contains__(self, key: object) -> bool:
        """Tell whether a benchmark has this identity, label or name; see `__getitem__`."""
        if isinstance(key, Identity):
            return key in self._index
        return super().__contains__(key)

    def __iter__(self) -> Iterator[Identity]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self.benchmarks)


def find_identity(known: Mapping[Identity, object], key: Identity | str) -> Identity:
    """Return the identity that `key` names: itself, its label, or its name where unique.

    Raises
    ------
    KeyError
        If no benchmark, or more than one, has this name.
    """
    if isinstance(key, Identity):
        if key in known:
            return key
        raise KeyError(key.label)
    matches = [i for i in known if i.label == key] or [i for i in known if i.name == key]
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise KeyError(f"no benchmark is called {key!r}")
    raise KeyError(f"{key!r} is the name of {len(matches)} benchmarks: give one's label")

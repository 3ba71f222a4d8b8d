"""The look-up of a benchmark by its identity, its label or its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Protocol, TypeVar

from steady.model.identity import Identity
from steady.model.pattern import matches
from steady.text.counting import listed
from steady.text.nearest import nearest

_MOST_SHOWN = 5
_MOST_NEAR = 3


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
        """Return what belongs to an identity, or to what `find_identity` takes for one."""
        if isinstance(key, Identity) and key in self._index:
            return self._index[key]
        return self._index[find_identity(self._index, key)]

    def __contains__(self, key: object) -> bool:
        """Tell whether a benchmark is meant by an identity or a text; see `__getitem__`."""
        if isinstance(key, Identity):
            return key in self._index
        return super().__contains__(key)

    def __iter__(self) -> Iterator[Identity]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self.benchmarks)


def find_identity(known: Mapping[Identity, object], key: Identity | str) -> Identity:
    """Return the identity that `key` names.

    Parameters
    ----------
    known : mapping
        By the identities that there are.
    key : Identity or str
        An identity, its label, its name where that is unique, or a pattern as in the settings
        (`steady.model.pattern`) that matches one benchmark: ``parse`` for ``org.Bench.parse``.

    Raises
    ------
    KeyError
        If no benchmark, or more than one, is meant; the message lists the nearest, or those.
    """
    if isinstance(key, Identity):
        if key in known:
            return key
        raise KeyError(key.label)
    found = [i for i in known if i.label == key] or [i for i in known if i.name == key]
    found = found or [identity for identity in known if matches(key, identity)]
    if len(found) == 1:
        return found[0]
    if not found:
        near = nearest_benchmarks(key, known)
        labels_there = listed([identity.label for identity in known], _MOST_SHOWN)
        meant = f"the nearest: {', '.join(near)}" if near else f"the names are {labels_there}"
        raise KeyError(f"no benchmark is called {key!r}; {meant if known else 'none is there'}")
    labels = ", ".join(identity.label for identity in found[:_MOST_SHOWN])
    more = ", ..." if len(found) > _MOST_SHOWN else ""
    raise KeyError(
        f"{key!r} is the name of {len(found)} benchmarks: give one's label: {labels}{more}"
    )


def nearest_benchmarks(word: str, known: Iterable[Identity]) -> list[str]:
    """Return the labels of the benchmarks whose name, or its end, is most like a word."""
    labels: dict[str, str] = {}
    for identity in known:
        parts = identity.parts
        for text in (identity.label, identity.name, parts.short, parts.member):
            labels.setdefault(text, identity.label)
    near = nearest(word, labels, most=4 * _MOST_NEAR)
    return list(dict.fromkeys(labels[text] for text in near))[:_MOST_NEAR]

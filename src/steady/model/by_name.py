"""Lookup of benchmarks by identity, label, name or wildcard pattern."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Protocol, TypeVar

from steady.model.identity import Identity
from steady.text.nearest import nearest
from steady.text.numbers import listed


def matches(pattern: str, identity: Identity) -> bool:
    """Return whether `pattern` matches a benchmark.

    The pattern is compared with the name and with the label, which adds parameters, mode and
    threads: ``Bench.get`` matches ``Bench.get`` with all its parameters, ``Bench.get [n=10]`` only
    one case. Leading packages may be omitted, as in reports: ``Bench.get`` also matches
    ``org.example.Bench.get``. Only dots in the name separate packages: ``5`` does not match
    ``ratio=1.5``. Matching is case-sensitive. The only wildcard is ``*``. Regular expressions are
    not supported, because labels contain square brackets and matching must be fast.

    >>> matches("Bench.g*", Identity("org.example.Bench.get"))
    True
    >>> matches("Bench.get [n=10]", Identity("org.example.Bench.get", params=(("n", "10"),)))
    True
    >>> matches("ench.get", Identity("org.example.Bench.get"))
    False
    """
    return matching(identity)(pattern)


def matches_metric(pattern: str, metric: str) -> bool:
    """Return whether a settings entry applies to a metric; both are empty for the main result.

    >>> matches_metric("gc.*", "gc.count"), matches_metric("*", ""), matches_metric("", "B/op")
    (True, False, False)
    """
    if not (pattern and metric):
        return pattern == metric
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == metric
    return metric.startswith(first) and _rest_matches(metric, len(first), rest)


def matching(identity: Identity) -> Callable[[str], bool]:
    """Return a predicate that tests patterns against one benchmark efficiently."""
    label = identity.label
    length = len(identity.name) - len(identity.parts.parameters)
    texts = (label, identity.name)

    def is_match(pattern: str) -> bool:
        first, *rest = pattern.split("*")
        if rest and rest[-1] not in label:  # a cheap test that rejects most patterns
            return False
        return any(_matches_text(text, length, first, rest) for text in texts)

    return is_match


def _matches_text(text: str, length: int, first: str, rest: list[str]) -> bool:
    """Return whether a pattern matches `text` from its beginning or after a dot in the name.

    Only dots among the first `length` characters, the name without the parameters that its harness
    appends, are separators. One start is sufficient: without a star, the end of the text determines
    it; with a star, the leftmost start leaves the most text for the rest of the pattern.
    """
    if not rest:
        dot = len(text) - len(first) - 1
        return text == first or (dot < length and text.endswith(f".{first}"))
    if text.startswith(first):
        return _rest_matches(text, len(first), rest)
    dot = text.find(f".{first}", 0, length + len(first))
    return dot >= 0 and _rest_matches(text, dot + 1 + len(first), rest)


def _rest_matches(text: str, position: int, pieces: list[str]) -> bool:
    """Return whether `text` from `position` on matches the pieces, each preceded by a star.

    Trying the leftmost occurrence of each piece suffices, because it leaves the most text for the
    rest.
    """
    if not pieces:
        return position == len(text)
    for piece in pieces[:-1]:
        place = text.find(piece, position)
        if place < 0:
            return False
        position = place + len(piece)
    return text.endswith(pieces[-1]) and len(text) - len(pieces[-1]) >= position


_MOST_SHOWN = 5
_MOST_NEAR = 3


class Identified(Protocol):
    """An object that belongs to one benchmark."""

    @property
    def identity(self) -> Identity:
        """The identity of the benchmark."""


Item = TypeVar("Item", bound=Identified, covariant=True)


class ByIdentity(Mapping[Identity, Item]):
    """A mapping from identities to the items of `benchmarks`, in their order."""

    benchmarks: tuple[Item, ...]

    @cached_property
    def _index(self) -> dict[Identity, Item]:
        return {benchmark.identity: benchmark for benchmark in self.benchmarks}

    def __getitem__(self, key: Identity | str) -> Item:
        """Return the item of an identity, or of a name accepted by `find_identity`."""
        known = self._index.get(key) if isinstance(key, Identity) else None
        if known is not None:
            return known
        return self._index[find_identity(self._index, key)]

    def __contains__(self, key: object) -> bool:
        """Return whether there is an item for an identity or a name; see `__getitem__`."""
        if isinstance(key, Identity):
            return key in self._index
        return super().__contains__(key)

    def __iter__(self) -> Iterator[Identity]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self.benchmarks)


def find_identity(known: Mapping[Identity, object], key: Identity | str) -> Identity:
    """Return the identity that `key` refers to.

    Parameters
    ----------
    known : mapping
        Mapping whose keys are the known identities.
    key : Identity or str
        An identity, its label, its name if unique, or a pattern as in the settings
        (`steady.model.by_name`) that matches one benchmark: ``parse`` for ``org.Bench.parse``.

    Raises
    ------
    KeyError
        If no benchmark or more than one matches; the message lists the nearest names or the
        matches.
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
        raise KeyError(f"no benchmark is called {key!r}; {meant if known else 'there are none'}")
    labels = ", ".join(identity.label for identity in found[:_MOST_SHOWN])
    more = ", ..." if len(found) > _MOST_SHOWN else ""
    raise KeyError(
        f"{key!r} matches {len(found)} benchmarks; give the label of one: {labels}{more}"
    )


def nearest_benchmarks(word: str, known: Iterable[Identity]) -> list[str]:
    """Return the labels of the benchmarks with the most similar names or ends of names."""
    labels: dict[str, str] = {}
    for identity in known:
        parts = identity.parts
        for text in (identity.label, identity.name, parts.short, parts.member):
            labels.setdefault(text, identity.label)
    near = nearest(word, labels, most=4 * _MOST_NEAR)
    return list(dict.fromkeys(labels[text] for text in near))[:_MOST_NEAR]

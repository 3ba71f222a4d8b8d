"""The look-up of a benchmark by its identity, its label, its name, or a pattern with stars."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Protocol, TypeVar

from steady.model.identity import Identity
from steady.text.nearest import nearest
from steady.text.numbers import listed


def matches(pattern: str, identity: Identity) -> bool:
    """Tell whether `pattern` matches a benchmark.

    It is compared with the name, and with the label, which adds parameters, mode and threads:
    ``Bench.get`` matches ``Bench.get`` with all its parameters, ``Bench.get [n=10]`` only one.
    Packages at the beginning may be left out, as in reports: ``Bench.get`` also matches
    ``org.example.Bench.get``. A dot in the parameters begins nothing: ``5`` does not match
    ``ratio=1.5``. Upper and lower case differ. The only wildcard is ``*``. There are no regular
    expressions: labels contain square brackets, and no pattern may take long.

    >>> matches("Bench.g*", Identity("org.example.Bench.get"))
    True
    >>> matches("Bench.get [n=10]", Identity("org.example.Bench.get", params=(("n", "10"),)))
    True
    >>> matches("ench.get", Identity("org.example.Bench.get"))
    False
    """
    return matching(identity)(pattern)


def matches_metric(pattern: str, metric: str) -> bool:
    """Tell whether an entry of the settings means a metric; both are empty for the main result.

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
    """Return a function that tells whether a pattern matches this benchmark, for many patterns."""
    label = identity.label
    length = len(identity.name) - len(identity.parts.parameters)
    texts = (label, identity.name)

    def is_meant_by(pattern: str) -> bool:
        first, *rest = pattern.split("*")
        if rest and rest[-1] not in label:  # true for nearly all patterns, and fast to check
            return False
        return any(_means(text, length, first, rest) for text in texts)

    return is_meant_by


def _means(text: str, length: int, first: str, rest: list[str]) -> bool:
    """Tell whether a pattern matches `text`, from its beginning or after a dot in the name.

    The dots that count are among the first `length` characters: those of the name without cases
    that its harness writes into it. Only one start has to be tried. Without a star, it
    follows from the end of the text. With a star, it is the leftmost one, because that leaves
    the most text for the rest of the pattern.
    """
    if not rest:
        dot = len(text) - len(first) - 1
        return text == first or (dot < length and text.endswith(f".{first}"))
    if text.startswith(first):
        return _rest_matches(text, len(first), rest)
    dot = text.find(f".{first}", 0, length + len(first))
    return dot >= 0 and _rest_matches(text, dot + 1 + len(first), rest)


def _rest_matches(text: str, position: int, pieces: list[str]) -> bool:
    """Tell whether `text` from `position` on matches a star, a piece, a star, a piece, and so on.

    The leftmost place of each piece leaves the most text for the next ones, so only that is tried.
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
    """A thing that belongs to one benchmark, and so has its identity."""

    @property
    def identity(self) -> Identity:
        """The identity of the benchmark."""


Item = TypeVar("Item", bound=Identified, covariant=True)


class ByIdentity(Mapping[Identity, Item]):
    """A mapping from identity to what belongs to that benchmark, in the order of `benchmarks`."""

    benchmarks: tuple[Item, ...]

    @cached_property
    def _index(self) -> dict[Identity, Item]:
        return {benchmark.identity: benchmark for benchmark in self.benchmarks}

    def __getitem__(self, key: Identity | str) -> Item:
        """Return what belongs to an identity, or to what `find_identity` takes for one."""
        known = self._index.get(key) if isinstance(key, Identity) else None
        if known is not None:
            return known
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
        (`steady.model.by_name`) that matches one benchmark: ``parse`` for ``org.Bench.parse``.

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

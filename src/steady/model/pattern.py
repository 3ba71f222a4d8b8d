"""Patterns of benchmark names: a star matches any text, all else only itself."""

from __future__ import annotations

from collections.abc import Callable

from steady.model.identity import Identity


def matches(pattern: str, identity: Identity) -> bool:
    """Tell whether `pattern` matches a benchmark.

    It is compared with the name, and with the label, which adds parameters, mode and threads:
    ``Bench.get`` matches ``Bench.get`` with all its parameters, ``Bench.get [n=10]`` only one.
    Packages at the beginning may be left out, as in reports: ``Bench.get`` also matches
    ``org.example.Bench.get``. Upper and lower case differ. The only wildcard is ``*``. There are
    no regular expressions: labels contain square brackets, and no pattern may take long.

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
    label, length = identity.label, len(identity.name)
    texts = (label, identity.name)

    def is_meant_by(pattern: str) -> bool:
        first, *rest = pattern.split("*")
        if rest and rest[-1] not in label:  # true for nearly all patterns, and fast to check
            return False
        return any(_means(text, length, first, rest) for text in texts)

    return is_meant_by


def _means(text: str, length: int, first: str, rest: list[str]) -> bool:
    """Tell whether a pattern matches `text`, from its beginning or after a dot in the name.

    The name is the first `length` characters. Only one start has to be tried. Without a star, it
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

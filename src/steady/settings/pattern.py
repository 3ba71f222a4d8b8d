"""Which benchmarks a pattern means: a star stands for anything, everything else for itself."""

from __future__ import annotations

from collections.abc import Callable

from steady.model import Identity


def matches(pattern: str, identity: Identity) -> bool:
    """Tell whether `pattern` means a benchmark.

    It is compared with the name, and with the label, which adds parameters, mode and threads:
    ``Bench.get`` means ``Bench.get`` with all its parameters, ``Bench.get [n=10]`` one of them.
    Packages may be left out at the beginning, as reports do: ``Bench.get`` means
    ``org.example.Bench.get`` too. Case counts. There are no other wildcards than ``*``, and no
    regular expressions: square brackets are part of labels, and no pattern can take long.

    >>> matches("Bench.g*", Identity("org.example.Bench.get"))
    True
    >>> matches("Bench.get [n=10]", Identity("org.example.Bench.get", params=(("n", "10"),)))
    True
    >>> matches("ench.get", Identity("org.example.Bench.get"))
    False
    """
    return matching(identity)(pattern)


def matching(identity: Identity) -> Callable[[str], bool]:
    """Return what tells whether a pattern means this one benchmark, to ask it many times."""
    label, length = identity.label, len(identity.name)
    texts = (label, identity.name)

    def is_meant_by(pattern: str) -> bool:
        first, *rest = pattern.split("*")
        if rest and rest[-1] not in label:  # nearly always, and soon known
            return False
        return any(_means(text, length, first, rest) for text in texts)

    return is_meant_by


def _means(text: str, length: int, first: str, rest: list[str]) -> bool:
    """Tell whether a pattern means `text`, from its beginning or from behind a dot of the name.

    The name is the first `length` characters. Without a star, the place is told by the end of the
    text; with one, the leftmost place leaves most to what follows. So one place is tried.
    """
    if not rest:
        dot = len(text) - len(first) - 1
        return text == first or (dot < length and text.endswith(f".{first}"))
    if text.startswith(first):
        return _rest_matches(text, len(first), rest)
    dot = text.find(f".{first}", 0, length + len(first))
    return dot >= 0 and _rest_matches(text, dot + 1 + len(first), rest)


def _rest_matches(text: str, position: int, pieces: list[str]) -> bool:
    """Tell whether `text` from `position` on is a star and a piece, and so on to its end.

    The leftmost place of each piece leaves most to those behind it, so none is tried twice.
    """
    if not pieces:
        return position == len(text)
    for piece in pieces[:-1]:
        found = text.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return text.endswith(pieces[-1]) and len(text) - len(pieces[-1]) >= position

"""Which benchmarks a pattern means: a star stands for anything, everything else for itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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
    label, name = identity.label, identity.name
    starts = tuple(_starts(name))

    def is_meant_by(pattern: str) -> bool:
        first, *rest = pattern.split("*")
        if rest and rest[-1] not in label:  # nearly always, and soon known
            return False
        return any(
            text.startswith(first, start) and _rest_matches(text, start + len(first), rest)
            for start in starts
            for text in (label, name)
        )

    return is_meant_by


def _starts(name: str) -> Iterator[int]:
    """Return where a pattern may begin: with the name, or behind one of its dots."""
    yield 0
    yield from (index + 1 for index, character in enumerate(name) if character == ".")


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

"""Texts of pairs: small programs in two versions, of which a few characters differ.

A file holds ``=== TITLE``, a text, and ``--- NAME`` with further texts. Where the two versions
differ stands ``[[base||head]]``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ALTERNATIVES = re.compile(r"\[\[(.*?)\|\|(.*?)\]\]", re.DOTALL)
SIDES = ("base", "head")


@dataclass(frozen=True)
class PairText:
    """One pair.

    Parameters
    ----------
    title : str
        What stands behind ``===``.
    text : str
        What stands below it.
    parts : sequence of (str, str)
        The names and the texts of the others.
    """

    title: str
    text: str
    parts: Sequence[tuple[str, str]]

    @property
    def name(self) -> str:
        """The first word of the title."""
        return self.title.split()[0]

    @property
    def notes(self) -> Sequence[str]:
        """Its other words."""
        return self.title.split()[1:]

    def files(self, side: str) -> dict[str, str]:
        """Return what one side has, by name; an empty name stands for nothing."""
        named = ((side_of(name, side), side_of(text, side)) for name, text in self.parts)
        return {name: text for name, text in named if name}


def pairs_in(*paths: Path) -> list[PairText]:
    """Read files of pairs."""
    whole = "".join(path.read_text(encoding="utf-8") for path in paths)
    return [_pair(text) for text in re.split(r"^=== ", whole, flags=re.M)[1:]]


def _pair(text: str) -> PairText:
    first, *parts = re.split(r"^--- ", text, flags=re.M)
    (title, body), *others = (part.partition("\n")[::2] for part in (first, *parts))
    return PairText(title, body, others)


def side_of(text: str, side: str) -> str:
    """Return what one side has."""
    number = SIDES.index(side) + 1
    return ALTERNATIVES.sub(lambda match: match[number], text)

"""Texts within a limit: whole rows only, the least important left out and counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RowBlock:
    """A part of a text that may be shortened.

    Parameters
    ----------
    opening, closing : str
        What stands before and after the rows: a heading and a table's head, a closing tag.
    rows : tuple of str
        One line each, most important first.
    rest : callable
        Given how many rows are left out, the line that says so, markup included.
    """

    opening: str
    rows: tuple[str, ...]
    rest: Callable[[int], str]
    closing: str = ""

    def text(self, kept: int) -> str:
        """Return the block with its first rows; without any row only the line that counts."""
        left = len(self.rows) - kept
        counting = [self.rest(left)] if left else []
        if not kept:
            return "\n".join(counting)
        opening = [self.opening] * bool(self.opening)
        return "\n".join([*opening, *self.rows[:kept], *counting, self.closing]).rstrip("\n")


def characters(text: str) -> int:
    """Count as JavaScript does: no count of characters that GitHub may use gives more."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf8_bytes(text: str) -> int:
    """Count bytes."""
    return len(text.encode())


def fit(blocks: Sequence[str | RowBlock], limit: int, size: Callable[[str], int]) -> str:
    """Join blocks, a blank line between them, to a text of at most `limit`.

    Strings stand as they are. The rows of the others are taken in order until one does not fit;
    from there on every block only says how many rows it had.

    Parameters
    ----------
    blocks : sequence of str or RowBlock
        In the order in which they are read, which is that of their importance.
    limit : int
        Largest size of the whole.
    size : callable
        Measures a text; additive over concatenation.

    Raises
    ------
    ValueError
        If not even the text without any row fits.
    """
    present = [block for block in blocks if block if isinstance(block, str) or block.rows]
    room = limit - sum(_frame(block, size) for block in present)
    if room < 0:
        raise ValueError(f"a limit of {limit} leaves no room for the text around the rows")
    texts = []
    for block in present:
        if isinstance(block, str):
            texts.append(block)
            continue
        kept, used = _take(block.rows, room, size)
        room = room - used if kept == len(block.rows) else 0
        texts.append(block.text(kept))
    return "\n\n".join(texts) + "\n"


def _frame(block: str | RowBlock, size: Callable[[str], int]) -> int:
    """Return what a block takes beside its rows, line ends included."""
    if isinstance(block, str):
        return size(block) + 2
    return size(block.opening + block.closing + block.rest(len(block.rows))) + 8


def _take(rows: Sequence[str], room: int, size: Callable[[str], int]) -> tuple[int, int]:
    used = 0
    for index, row in enumerate(rows):
        cost = size(row) + 1
        if used + cost > room:
            return index, used
        used += cost
    return len(rows), used

"""Cells of a terminal's table: changes as strips of characters, names that break at dots."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

from steady.compare import Comparison
from steady.model import Identity
from steady.report.strips import PLOT_WIDTH, Bar, Scale, tick
from steady.text.numbers import NO_BREAK

STRIP_COLUMNS = 31
"""Characters of a strip: an odd number, so that zero is one of them."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters of a strip.

    Parameters
    ----------
    change, interval, zero, band, outside : str
        The change, its interval, zero, what does not count, and the rest.
    left, right : str
        Arrows to what lies beyond the scale.
    """

    change: str
    interval: str
    zero: str
    band: str
    outside: str
    left: str
    right: str


BLOCKS = Glyphs("█", "▬", "│", "░", " ", "◄", "►")
ASCII = Glyphs("#", "=", "|", ".", " ", "<", ">")


def glyphs_for(encoding: str) -> Glyphs:
    """Return blocks where an encoding has them, and plain ASCII where it does not.

    >>> glyphs_for("utf-8").change, glyphs_for("latin-1").change
    ('█', '#')
    """
    try:
        "".join(getattr(BLOCKS, name) for name in Glyphs.__slots__).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def text_strips(comparison: Comparison, glyphs: Glyphs) -> tuple[str, dict[Identity, str]]:
    """Draw the changes of a comparison on one scale.

    Returns
    -------
    heading : str
        The scale, as wide as a strip.
    strips : dict of Identity to str
        The strip of every benchmark whose base is positive.
    """
    scale = Scale.of(comparison.changes)
    left, right = (tick(end).replace(NO_BREAK, " ") for end in (-scale.reach, scale.reach))
    if glyphs is ASCII:
        left = left.replace("−", "-")
    half = STRIP_COLUMNS // 2
    strips = {
        change.identity: text_strip(bar, scale, comparison.threshold(change), glyphs)
        for change in comparison.changes
        if (bar := scale.bar(change)) is not None
    }
    return f"{left:<{half}}0{right:>{half}}", strips


def text_strip(bar: Bar, scale: Scale, threshold: float, glyphs: Glyphs) -> str:
    """Draw one change.

    Parameters
    ----------
    bar : Bar
        Where its change and interval lie on the scale.
    scale : Scale
        Common to all strips.
    threshold : float
        The smallest relative change that counts.
    glyphs : Glyphs
        How it is drawn.

    Returns
    -------
    str
        `STRIP_COLUMNS` characters.
    """
    cells = [glyphs.outside] * STRIP_COLUMNS
    for start, end, glyph in (
        (_column(scale.position(-threshold)), _column(scale.position(threshold)), glyphs.band),
        (STRIP_COLUMNS // 2, STRIP_COLUMNS // 2, glyphs.zero),
        (_column(bar.left), _column(bar.right), glyphs.interval),
    ):
        cells[start : end + 1] = [glyph] * (end + 1 - start)
    if bar.beyond_left:
        cells[0] = glyphs.left
    if bar.beyond_right:
        cells[-1] = glyphs.right
    if bar.center is not None:
        cells[_column(bar.center)] = glyphs.change
    return "".join(cells)


def _column(position: float) -> int:
    return round(position / PLOT_WIDTH * (STRIP_COLUMNS - 1))


_WORDS = re.compile(r"[^\s./,_]*[./,_]?[ ]?|\s")


class WholeWords:
    """A text that is broken inside a word only where the column is narrower than that word.

    Parameters
    ----------
    text : str
        Plain text on one line.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Return the widths of the longest word and of the whole."""
        longest = max((cell_len(word) for word in _words(self._text)), default=0)
        return Measurement(longest, cell_len(self._text)).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines."""
        for line in _lines(self._text, options.max_width):
            yield Text(line, overflow="fold", no_wrap=cell_len(line) <= options.max_width)


def narrowest(text: str) -> int:
    """Return the fewest columns in which a text stands on two lines, broken where words end.

    >>> narrowest("NumericBenchmark.editDistance"), narrowest("a"), narrowest("")
    (17, 1, 0)
    """
    words = _words(text)
    ends = list(accumulate(map(cell_len, words)))
    spaces = (len(word) - len(word.rstrip()) for word in words)  # a line does not end with any
    return min(
        (max(end - space, ends[-1] - end) for end, space in zip(ends, spaces, strict=True)),
        default=0,
    )


def _words(text: str) -> list[str]:
    return [word for word in _WORDS.findall(text) if word]


def _lines(text: str, width: int) -> Iterator[str]:
    line = ""
    for word in _words(text):
        if line and cell_len(line) + cell_len(word.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += word
    yield line.rstrip()

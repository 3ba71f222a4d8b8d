"""Names in a terminal's table: they break where their words end."""

import re
from collections.abc import Iterator
from itertools import accumulate

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

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

"""The lines of a comment that give orders, as Markdown cuts the comment into lines.

People quote each other, and paste what strangers wrote. What GitHub shows inside a quotation or
a code block, or does not show at all, is not an order of the comment's author.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_COMMAND = re.compile(r"/steady[ \t]+accept(?![^ \t])(.*)", re.DOTALL)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)
_QUOTATION = re.compile(r" {0,3}>")
_LINE_END = re.compile(r"\r\n?|\n")
_HIDDEN_BEGINS, _HIDDEN_ENDS = "<!--", "-->"

_BREAKING = frozenset({"Cc", "Zl", "Zp"})
"""Controls and separators: to Markdown ordinary characters, to many programs the end of a line."""


@dataclass(frozen=True, slots=True)
class Command:
    """One line that begins with ``/steady accept``.

    Parameters
    ----------
    text : str
        What stands behind that.
    obstacle : str
        Why the line does not count, as a sentence without its stop; empty where it does.
    """

    text: str
    obstacle: str = ""

    def arguments(self) -> str:
        """Return what stands behind ``/steady accept``.

        Raises
        ------
        ValueError
            If the line does not count; the message says why.
        """
        if self.obstacle:
            raise ValueError(self.obstacle)
        return self.text


def commands(text: str) -> Iterator[Command]:
    r"""Find the commands of a comment: at the beginning of a line, outside code and quotations.

    Parameters
    ----------
    text : str
        The comment, as its author wrote it.

    Yields
    ------
    Command
        In their order. A line inside a code block or a hidden comment is passed over.

    Notes
    -----
    CommonMark 0.31, sections 2.1 (only ``\n``, ``\r`` and both end a line), 4.5 (fences), 4.6
    (hidden comments) and 5.1 (a line right below a quotation still belongs to it).
    """
    quoted = False
    for line in _shown(text):
        if _QUOTATION.match(line):
            quoted = True
        elif not line.strip(" \t"):
            quoted = False
        elif command := _COMMAND.fullmatch(line):
            yield Command(command[1], _obstacle(command[1], quoted))


def _shown(text: str) -> Iterator[str]:
    """Return the lines outside code blocks and hidden comments; an empty one stands for these."""
    fence, hidden = "", False
    for line in _LINE_END.split(text):
        mark = _FENCE.fullmatch(line)
        if hidden:
            hidden = _HIDDEN_ENDS not in line
            yield ""
        elif fence:
            # Behind the closing fence only plain spaces may stand.
            if mark and mark[1].startswith(fence) and not mark[2].strip(" \t"):
                fence = ""
            yield ""
        elif mark:
            fence = mark[1]
            yield ""
        else:
            hidden = _begins_hidden(line)
            yield line


def _begins_hidden(line: str) -> bool:
    """Tell whether what follows `line` is not shown; what a quotation hides ends with it."""
    _, begins, rest = line.rpartition(_HIDDEN_BEGINS)
    return bool(begins) and _HIDDEN_ENDS not in rest and not _QUOTATION.match(line)


def _obstacle(text: str, quoted: bool) -> str:
    if quoted:
        return "it stands right below a quotation and belongs to it; leave a line empty in between"
    if any(c != "\t" and unicodedata.category(c) in _BREAKING for c in text):
        return "it holds a control character or a separator of lines; write the line anew by hand"
    return ""

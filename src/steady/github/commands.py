"""Find the commands in a comment, with lines as in Markdown.

People quote each other, and paste what strangers wrote. Text that GitHub shows as a quotation or
as code, or does not show at all, is not a command of the comment's author.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_COMMAND = re.compile(r"/steady[ \t]+accept(?![^ \t])(.*)", re.DOTALL)
_OPENING = re.compile(r"(`{3,})[^`]*|(~{3,}).*", re.DOTALL)
_CLOSING = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
_LIKE_A_FENCE = re.compile(r"`{3}|~{3}")
_LONG_HTML = re.compile(r"[ \t*+\-0-9.)]*<(?:pre|script|style|textarea|\?|!(?!--))", re.IGNORECASE)
_HTML = re.compile(r"[ \t*+\-0-9.)]*<[A-Za-z!?/]")
_QUOTATION = re.compile(r" {0,3}>")
_LINE_END = re.compile(r"\r\n?|\n")
_HIDDEN_BEGINS, _HIDDEN_ENDS = "<!--", "-->"

_BREAKING = frozenset({"Cc", "Zl", "Zp"})
"""Controls and separators: ordinary characters in Markdown, but line ends for many programs."""


@dataclass(frozen=True, slots=True)
class Command:
    """One line that begins with ``/steady accept``.

    Parameters
    ----------
    text : str
        The rest of the line.
    obstacle : str
        Why the line does not count, as a sentence without its full stop; empty if it counts.
    """

    text: str
    obstacle: str = ""

    def arguments(self) -> str:
        """Return the text after ``/steady accept``.

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
        In order. Lines inside a code block or a hidden comment are ignored.

    Notes
    -----
    CommonMark 0.31, sections 2.1 (only ``\n``, ``\r`` and both end a line), 4.5 (fences), 4.6
    (hidden comments) and 5.1 (a line directly below a quotation still belongs to it).
    """
    quoted = False
    for line, doubtful in _shown(text):
        if _QUOTATION.match(line):
            quoted = True
        elif not line.strip(" \t"):
            quoted = False
        elif command := _COMMAND.fullmatch(line):
            yield Command(command[1], _obstacle(command[1], quoted, doubtful))


def _shown(text: str) -> Iterator[tuple[str, bool]]:
    """Return the lines outside code blocks and hidden comments; others become empty lines.

    Each comes with whether it may be inside one anyway. Only a complete Markdown parser knows
    where code ends in a list or after HTML, and only GitHub's own parser counts.
    """
    fence, hidden, html, raw, doubtful = "", False, False, False, False
    for line in _LINE_END.split(text):
        opening = _OPENING.fullmatch(line)
        if fence:
            closing = _CLOSING.fullmatch(line)
            if closing and closing[1].startswith(fence):
                fence = ""
            yield "", doubtful
            continue
        if _LIKE_A_FENCE.search(line) and not _QUOTATION.match(line):
            doubtful = doubtful or html or opening is None
        if hidden:
            doubtful = doubtful or bool(_QUOTATION.match(line) or _LONG_HTML.match(line))
            hidden = _HIDDEN_ENDS not in line or _begins_hidden(line)
            yield "", doubtful
        elif opening:
            fence = opening[1] or opening[2]
            yield "", doubtful
        else:
            hidden = _begins_hidden(line)
            begins = _HTML.match(line) is not None
            html = html or hidden or begins
            doubtful = doubtful or _LONG_HTML.match(line) is not None
            # Other HTML ends with an empty line; a comment that ends in its line, with that line.
            raw = (raw or (begins and _HIDDEN_BEGINS not in line)) and bool(line.strip(" \t"))
            yield line, doubtful or raw


def _begins_hidden(line: str) -> bool:
    """Tell whether the text after `line` is hidden; hidden text in a quotation ends with it."""
    _, begins, rest = line.rpartition(_HIDDEN_BEGINS)
    return bool(begins) and _HIDDEN_ENDS not in rest and not _QUOTATION.match(line)


def _obstacle(text: str, quoted: bool, doubtful: bool) -> str:
    if doubtful:
        return (
            "code or HTML stands above it whose end is not plain; write it in a comment of its own"
        )
    if quoted:
        return "it stands right below a quotation and belongs to it; leave a line empty in between"
    if any(c != "\t" and unicodedata.category(c) in _BREAKING for c in text):
        return "it holds a control character or a separator of lines; write the line again by hand"
    return ""

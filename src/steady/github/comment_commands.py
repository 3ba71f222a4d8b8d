r"""The commands of a comment: lines of text that GitHub shows as the author's own words.

A CommonMark parser says what is text. A command counts at the beginning of a line, in a paragraph
that is part of nothing else; it is none in code, in a quotation, or where GitHub hides it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

_FIRST_WORD = "/steady"
_COMMAND = re.compile(rf"{_FIRST_WORD}[ \t]+accept(?![^ \t])(.*)", re.DOTALL)
_LINE_END = re.compile(r"\r\n?|\n")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:")

_BREAKING = frozenset({"Cc", "Zl", "Zp"})
"""Controls and separators: ordinary characters in Markdown, but line ends for many programs."""

_DEEPEST = 100
"""Levels that the parser follows; it needs a few frames of Python's stack for each."""

_MOST_BRACKETS = 90
"""Opening brackets of a paragraph that is read: never deeper than the parser follows."""

_CONTAINERS = {"blockquote": "quotation", "list_item": "list"}
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
)
_ENCLOSING_INLINE = frozenset(
    {"blockquote", "code", "del", "details", "div", "kbd", "ol", "pre", "q", "s", "samp", "span"}
    | {"strike", "sub", "summary", "sup", "table", "template", "tt", "ul"}
)
"""Elements that mean something within a line; others may be words, as in ``List<String>``."""

_UNPLAIN = "code or HTML stands above it whose end is not plain; write it in a comment of its own"
_BELOW = "it stands right below a {} and belongs to it; leave a line empty in between"
_HEADING = "the line below makes it a heading; leave a line empty in between"
_CONTROL = "it holds a control character or a separator of lines; write the line again by hand"


def commands(text: str) -> Iterator[tuple[str, str]]:
    r"""Find the commands of a comment.

    Parameters
    ----------
    text : str
        The comment, as its author wrote it.

    Yields
    ------
    tuple of (str, str)
        In order: what stands behind ``/steady accept`` in its line, and why the line does not
        count, as a sentence without its full stop; empty if it counts. Lines in code, and lines
        that GitHub does not show as text, are ignored.

    Notes
    -----
    Only ``\n``, ``\r`` and both end a line (CommonMark 0.31, section 2.1).
    """
    lines = _LINE_END.split(text)
    if not any(map(_COMMAND.fullmatch, lines)):
        return
    for number, obstacle in _obstacles(lines):
        if command := _COMMAND.fullmatch(lines[number]):
            controls = any(c != "\t" and unicodedata.category(c) in _BREAKING for c in command[1])
            yield command[1], obstacle or (_CONTROL if controls else "")


def _obstacles(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Return the lines whose beginning is shown, each with why it gives no orders, or nothing."""
    # CommonMark replaces U+0000, which the parser leaves to its caller.
    lines = [line.replace("\0", "\ufffd") for line in lines]
    markdown, references = _markdown(), dict[str, object]()
    blocks: list[Token] = []
    markdown.block.parse("\n".join(lines), markdown, references, blocks)
    html, unplain = _OpenElements(), False
    for block, obstacle in _texts(blocks):
        numbers = range(*(block.map or (0, 0)))
        if block.type == "html_block":
            html.block(block.content)
        if obstacle:
            yield from ((number, obstacle) for number in numbers)
        elif block.type == "inline":
            source = "\n".join(lines[number] for number in numbers)
            unplain = unplain or source.count("[") > _MOST_BRACKETS
            if unplain:
                yield from ((number, _UNPLAIN) for number in numbers)
                continue
            tokens: list[Token] = []
            markdown.inline.parse(source, markdown, references, tokens)
            for number in _shown(tokens, html):
                yield numbers[number], _UNPLAIN if html.any_open else ""


def _texts(blocks: Iterable[Token]) -> Iterator[tuple[Token, str]]:
    """Return the blocks that may show text, each with why it gives no orders, or nothing."""
    containers: list[str] = []
    kind = ""  # of the inline text that follows
    for block in blocks:
        name = block.type.removesuffix("_open").removesuffix("_close")
        if name in _CONTAINERS and block.nesting == 1:
            containers.append(_CONTAINERS[name])
        elif name in _CONTAINERS:
            containers.pop()
        elif block.nesting == 1:
            kind = name
        elif block.type == "html_block":
            yield block, "" if block.content.lstrip(" ").startswith("<!--") else _UNPLAIN
        elif block.type == "footnote":
            yield block, _BELOW.format("footnote")
        elif block.type == "inline" and containers:
            yield block, _BELOW.format(containers[-1])
        elif block.type == "inline" and kind in ("heading", "paragraph"):
            yield block, _HEADING if kind == "heading" else ""


def _shown(tokens: Sequence[Token], html: _OpenElements) -> Iterator[int]:
    """Return the lines of a paragraph that begin as text, with the HTML before each read."""
    within = 0  # links and struck out text
    for token in tokens:
        if token.type in ("link_open", "link_close", "s_open", "s_close"):
            within += token.nesting
        elif token.type == "html_inline":
            html.inline(token.content)
        elif token.type == "command" and not within:
            yield token.meta["line"]


class _OpenElements(HTMLParser):
    """The HTML elements that are open; only the innermost is closed by its end tag."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self._counted: frozenset[str] | None = None

    @property
    def any_open(self) -> bool:
        """Whether a text that follows is inside one of them, or of a tag that has no end."""
        return bool(self._open) or "<" in self.rawdata

    def block(self, text: str) -> None:
        """Read a block of HTML, where each tag is meant as one."""
        self._counted = None
        self.feed(text)

    def inline(self, text: str) -> None:
        """Read a tag within a line."""
        self._counted = _ENCLOSING_INLINE
        self.feed(text)

    def handle_starttag(self, tag: str, _: object) -> None:
        if tag not in _VOID and (self._counted is None or tag in self._counted):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.handle_starttag(tag, attrs)  # HTML does not know the slash

    def handle_endtag(self, tag: str) -> None:
        if self._open[-1:] == [tag]:
            self._open.pop()


@cache
def _markdown() -> MarkdownIt:
    """Return a parser of what GitHub shows, which marks the commands among the text."""
    markdown = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    markdown.enable(["table", "strikethrough"])
    markdown.block.ruler.before("reference", "footnote", _footnote, {"alt": ["paragraph"]})
    markdown.inline.ruler.before("text", "command", _command)
    return markdown


def _command(state: StateInline, silent: bool) -> bool:
    """Mark the first word of a line, where it is text, with the number of its line."""
    at_beginning = state.pos == 0 or state.src[state.pos - 1] == "\n"
    if not (at_beginning and state.src.startswith(_FIRST_WORD, state.pos)):
        return False
    if not silent:
        state.push("command", "", 0).meta = {"line": state.src.count("\n", 0, state.pos)}
    state.pos += len(_FIRST_WORD)
    return True


def _footnote(state: StateBlock, first: int, _: int, silent: bool) -> bool:
    """Take a footnote, which GitHub shows elsewhere or not at all, as one block.

    A line that would not end a paragraph belongs to it, and so does all that is indented.
    """
    begin = state.bMarks[first] + state.tShift[first]
    if state.is_code_block(first) or not _FOOTNOTE.match(state.src[begin : state.eMarks[first]]):
        return False
    if silent:
        return True
    ends = state.md.block.ruler.getRules("paragraph")
    line = first + 1
    while line < state.lineMax:
        filled = line
        while filled < state.lineMax and state.isEmpty(filled):
            filled += 1
        indented = filled < state.lineMax and state.is_code_block(filled)
        ended = filled > line or any(end(state, line, state.lineMax, True) for end in ends)
        if ended and not indented:
            break
        line = filled + 1
    state.push("footnote", "", 0).map = [first, line]
    state.line = line
    return True

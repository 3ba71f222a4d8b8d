"""Text that anybody may have written, made harmless for Markdown and for a job's log.

Benchmark names, parameters, failure messages and titles come from the code under test. On
GitHub they could mention people, link, hide, break out of a table cell, or be a command.
"""

import re
import unicodedata

UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's categories of what cannot be seen."""

_WORD_JOINER = "\u2060"
_MARKUP = re.compile(r"([\\`*_\[\]<>#&|~$])")
_BLOCK_START = re.compile(r"^([-+=]|[0-9]+[.)])")
_AUTOLINKS = re.compile(r"(@|#|GH-|www|://)", re.IGNORECASE)
_COMMENT = re.compile(r"<!(?=-)|-(?=->)")


def visible(text: str, *, kept: str = "") -> str:
    r"""Write out every character that cannot be seen: controls, line ends, direction marks.

    All kinds of spaces become plain ones, but for the characters `kept`.

    >>> visible("a\nb")
    'a\\nb'
    """
    bare = text
    for character in kept:
        bare = bare.replace(character, "")
    if bare.isprintable():  # as nearly all texts are
        return text
    return "".join(c if c in kept else _visible(c) for c in text)


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in UNSEEN:
        return character.encode("unicode_escape").decode()
    return " " if category == "Zs" else character


def shorten(text: str, limit: int) -> str:
    """Cut the middle out of a text that is too long; the end of a name tells most.

    >>> shorten("org.example.Bench.method", 12)
    'org.….method'
    """
    if len(text) <= limit:
        return text
    start = (limit - 1) * 2 // 5
    end = limit - 1 - start
    return f"{text[:start]}…{text[-end:]}"


def code_span(text: str, *, limit: int = 240, in_table: bool = True) -> str:
    r"""Return `text` as a Markdown code span.

    The fence is longer than any run of backticks within, so that nothing in the text can end
    it; in a table a pipe is escaped, and anywhere else the backslash would be seen. Nobody is
    mentioned and nothing is linked in a code span.

    Parameters
    ----------
    text : str
        Anything.
    limit : int
        Most characters of the text that are shown.
    in_table : bool
        Whether it stands in a cell.

    Notes
    -----
    GitHub Flavored Markdown Spec, sections 4.10 (tables) and 6.3 (code spans).
    """
    shown = _unlike_ours(shorten(visible(text), limit))
    if not shown.strip(" "):
        return "(no name)"
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    span = f"{fence}{pad}{shown}{pad}{fence}"
    return span.replace("|", r"\|") if in_table else span


def plain(text: str, *, limit: int = 300) -> str:
    """Return `text` as Markdown that shows it literally, without links, mentions or HTML.

    For one line, at its beginning or within.
    """
    return line_start(inline(text, limit=limit).strip(" "))


def inline(text: str, *, limit: int = 300, kept: str = "") -> str:
    """Do as `plain`, spaces at both ends included, for text that begins no line.

    What Markdown reads as markup is escaped, and what GitHub turns into links or mentions is
    broken up by a character of no width. The characters `kept` stay as they are.
    """
    pieces = _AUTOLINKS.split(_unlike_ours(shorten(visible(text, kept=kept), limit)))
    return _WORD_JOINER.join(_MARKUP.sub(r"\\\1", piece) for piece in pieces)


def _unlike_ours(text: str) -> str:
    """Break up hidden comments: our own comment is found again by one."""
    return _COMMENT.sub(lambda match: match[0] + _WORD_JOINER, text)


def line_start(markdown: str) -> str:
    """Escape what would begin a list or a heading, were it the beginning of a line."""
    return _BLOCK_START.sub(lambda match: f"{match[0][:-1]}\\{match[0][-1]}", markdown)


def command_data(text: str) -> str:
    """Escape the message of a workflow command (actions/toolkit, ``core/command.ts``)."""
    return visible(text).replace("%", "%25")


def command_property(text: str) -> str:
    """Escape a property of a workflow command, such as its title."""
    return command_data(text).replace(":", "%3A").replace(",", "%2C")


def log_lines(text: str) -> str:
    """Return `text` so that a runner which reads the log finds no command in it.

    The runner takes a line that begins with ``::`` after white space for a command, and one
    that holds ``##[`` anywhere (actions/runner, ``ActionCommand.cs``).
    """
    return re.sub(r"(?m)^(\s*):(?=:)", r"\1: ", text).replace("##[", "## [")


def harmless(line: str) -> str:
    """Return `line` so that GitHub's runner finds no command in it.

    What cannot be seen is written out, for some of it ends a line for the runner, and some of
    it is passed over at a line's beginning.
    """
    return log_lines(visible(line.replace("\t", "    ")))

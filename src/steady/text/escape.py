"""Escape untrusted text for Markdown and for the log of a GitHub Actions job.

Benchmark names, parameters, failure messages and titles come from the code under test. On GitHub
they could contain mentions, links, hidden text, the end of a table cell, or workflow commands.
"""

import re
import unicodedata

INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of invisible characters."""

_WORD_JOINER = "\u2060"
_MARKUP = re.compile(r"([\\`*_\[\]<>#&|~$])")
_BLOCK_START = re.compile(r"^([-+=]|[0-9]+[.)])")
_AUTOLINKS = re.compile(r"(@|#|GH-|www|://)", re.IGNORECASE)
_COMMENT = re.compile(r"<!(?=-)|-(?=->)")


def visible(text: str, *, kept: str = "") -> str:
    r"""Escape invisible characters: controls, line ends, direction marks.

    All Unicode spaces become plain ones. Characters in `kept` are unchanged.

    >>> visible("a\nb")
    'a\\nb'
    """
    bare = text
    for character in kept:
        bare = bare.replace(character, "")
    if bare.isprintable():  # the usual case
        return text
    return "".join(c if c in kept else _visible(c) for c in text)


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in INVISIBLE:
        return character.encode("unicode_escape").decode()
    return " " if category == "Zs" else character


def shorten(text: str, limit: int) -> str:
    """Elide the middle of a long text, because the end of a name is the most specific part.

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

    The fence is longer than any run of backticks in the text, so the text cannot end it. Pipes are
    escaped in tables only, because the backslash is visible elsewhere. Code spans contain no
    mentions or links.

    Parameters
    ----------
    text : str
        Untrusted text.
    limit : int
        Maximum number of characters to show.
    in_table : bool
        Whether the span is in a table cell.

    Notes
    -----
    GitHub Flavored Markdown Spec, sections 4.10 (tables) and 6.3 (code spans).
    """
    shown = _without_html_comments(shorten(visible(text), limit))
    if not shown.strip(" "):
        return "(no name)"
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    span = f"{fence}{pad}{shown}{pad}{fence}"
    return span.replace("|", r"\|") if in_table else span


def plain(text: str, *, limit: int = 300) -> str:
    """Return Markdown that shows `text` literally, without links, mentions or HTML.

    Use it for a single line, at its beginning or within it.
    """
    return line_start(inline(text, limit=limit).strip(" "))


def inline(text: str, *, limit: int = 300, kept: str = "") -> str:
    """Return Markdown as `plain`, but for text within a line, with spaces at both ends kept.

    Markdown syntax is escaped, and strings that GitHub would convert to links or mentions are
    broken up by a zero-width character. Characters in `kept` are unchanged.
    """
    pieces = _AUTOLINKS.split(_without_html_comments(shorten(visible(text, kept=kept), limit)))
    return _WORD_JOINER.join(_MARKUP.sub(r"\\\1", piece) for piece in pieces)


def _without_html_comments(text: str) -> str:
    """Break up HTML comments, because one identifies steady's own comment."""
    return _COMMENT.sub(lambda match: match[0] + _WORD_JOINER, text)


def line_start(markdown: str) -> str:
    """Escape the start of a list or a heading at the beginning of a line."""
    return _BLOCK_START.sub(lambda match: f"{match[0][:-1]}\\{match[0][-1]}", markdown)


def command_data(text: str) -> str:
    """Escape the message of a workflow command (actions/toolkit, ``core/command.ts``)."""
    return visible(text).replace("%", "%25")


def command_property(text: str) -> str:
    """Escape a property of a workflow command, such as its title."""
    return command_data(text).replace(":", "%3A").replace(",", "%2C")


def log_text(text: str) -> str:
    """Return `text` without workflow commands, which the runner would execute.

    The runner executes lines that begin with ``::`` after white space, or contain ``##[``
    (actions/runner, ``ActionCommand.cs``).
    """
    return re.sub(r"(?m)^(\s*):(?=:)", r"\1: ", text).replace("##[", "## [")


def log_line(line: str) -> str:
    """Return `line` without workflow commands, which GitHub's runner would execute.

    Invisible characters are escaped, because the runner treats some as line ends and skips some at
    the beginning of a line.
    """
    return log_text(visible(line.replace("\t", "    ")))

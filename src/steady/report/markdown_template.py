"""Templates of Markdown, in which each text is escaped unless it is `Markdown` already."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from steady.errors import InputError
from steady.report.document import Code, Names, Section
from steady.report.markdown import SENTENCE, RowBlock, fit, section_block
from steady.text.escape import inline, line_start, plain
from steady.text.numbers import NO_BREAK

if TYPE_CHECKING:
    from jinja2 import Environment

_URL = re.compile(r"https?://[^\s<>()\[\]`\"]+")
_PLACE = re.compile("\n*\0(\\d+)\0\n*")
"""Where rows belong in a text. No text has the character itself: what is escaped spells it out."""

_BLANK_LINES = re.compile("\n{3,}")


class Markdown(str):
    """Text that is Markdown and needs no escape; whatever is made of it is `str`, and does."""

    __slots__ = ()


def filled(
    template: str, place: str, limit: int, size: Callable[[str], int], **content: object
) -> str:
    """Fill in a template, with as many rows of its tables as there is room for.

    Parameters
    ----------
    template : str
        A file in ``templates``. In it, ``rows(section)`` stands for the rows of a section, in a
        paragraph of their own. Paragraphs are separated by one blank line, however many there are.
    place : str
        Where rows that do not fit are found, as Markdown.
    limit : int
        Largest size of the text.
    size : callable
        Measures a text; see `steady.report.markdown.fit`.
    **content
        The template's variables.

    Returns
    -------
    str
        GitHub Flavored Markdown.
    """
    tables: list[RowBlock] = []

    def rows(section: Section) -> Markdown:
        tables.append(section_block(section, place))
        return Markdown(f"\0{len(tables) - 1}\0")

    text = _environment().get_template(template).render(content, rows=rows)
    parts = _PLACE.split(_BLANK_LINES.sub("\n\n", text))
    blocks = [tables[int(part)] if i % 2 else part.strip("\n") for i, part in enumerate(parts)]
    return fit(blocks, limit, size)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # for Markdown alone

    environment = Environment(
        loader=PackageLoader("steady.report"),
        autoescape=False,  # noqa: S701 - that would be for HTML; `_escaped` is for Markdown
        finalize=_escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = lambda text, limit=300: Markdown(plain(text, limit=limit))
    environment.filters["unbroken"] = _unbroken
    environment.filters["address"] = web_address
    environment.filters["verbatim"] = Markdown
    return environment


def _escaped(value: object) -> Markdown:
    """Return what a template writes of a value.

    Raises
    ------
    TypeError
        If it is neither text nor words.
    """
    if isinstance(value, Markdown):
        return value
    if isinstance(value, str | tuple | Code | Names):
        return Markdown(line_start(SENTENCE(value)))
    if isinstance(value, int):
        return Markdown(f"{value:,}")
    raise TypeError(f"a template cannot write {value!r}")


def _unbroken(text: str) -> Markdown:
    """Escape a text in which some lines must not end."""
    return Markdown(line_start(inline(text, limit=500, kept=NO_BREAK).strip()))


def web_address(address: str) -> Markdown:
    """Return the address of a web page, for a link.

    Raises
    ------
    InputError
        If it is something else.
    """
    if not _URL.fullmatch(address):
        raise InputError(
            f"{address!r} is not the address of a web page; it must begin with https://"
        )
    return Markdown(address)

"""Self-contained HTML pages, and SVG elements, with all text escaped."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from steady.report.document import Code, Name, WordFormat, Words
from steady.report.names import anchor
from steady.text.escape import shorten, visible
from steady.text.numbers import NO_BREAK, count

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST_TEXT = 2000
"""Maximum characters of a label or message."""

_STYLES = ("pictures.css", "page.css", "plan.css")
_SCRIPT = "report.js"
_WORD_ENDS = re.compile(r"(?<=[./_])|(?<=[a-z0-9])(?=[A-Z])")


def shown(text: str) -> str:
    """Return untrusted text without invisible characters, truncated to a maximum length."""
    return shorten(visible(text, kept=NO_BREAK), LONGEST_TEXT)


def element(tag: str, *children: str, **attributes: str | float | None) -> Markup:
    """Return an element.

    Parameters
    ----------
    tag : str
        Trusted tag name, which is not escaped.
    *children : str or Markup
        Contents; plain strings are escaped.
    **attributes : str, float or None
        Attributes; None is omitted. A trailing underscore is removed (``class_``), and others
        become hyphens.

    Examples
    --------
    >>> print(element("text", "a<b", class_="name", x=1.50))
    <text class="name" x="1.5">a&lt;b</text>
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    inner = "".join(
        escape(child if isinstance(child, Markup) else shown(child)) for child in children
    )
    text = f"<{tag}{written}>{inner}</{tag}>" if inner else f"<{tag}{written}/>"
    return Markup(text)  # noqa: S704 - children and attributes are escaped


def number(value: float) -> str:
    """Format a coordinate with at most one decimal, as short as possible.

    >>> number(3.0), number(-0.04), number(12.345)
    ('3', '0', '12.3')
    """
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def _attribute(value: str | float) -> str:
    return str(escape(shown(value))) if isinstance(value, str) else number(value)


def page(template: str, **content: object) -> str:
    """Render a page from a template, with the styles and the script that all pages share.

    Parameters
    ----------
    template : str
        Name of a file in ``templates`` that extends ``page.html.j2``.
    **content
        Variables of the template; all text is escaped.

    Returns
    -------
    str
        A self-contained, deterministic page. Its security policy allows only its own script.
    """
    script = _resource(_SCRIPT)
    return _environment().get_template(template).render(
        styles=Markup("".join(map(_resource, _STYLES))),  # noqa: S704 - our own files
        script=Markup(script),  # noqa: S704 - our own file
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        anchor=anchor,
        **content,
    )  # fmt: skip


@cache
def _environment() -> Environment:
    """Return the environment of the templates, which keeps them compiled."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # slow to import

    environment = Environment(
        loader=PackageLoader("steady.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["words"] = _words
    # An interval can wrap before its upper end; otherwise, long numbers leave no room for names.
    environment.filters["breakable"] = lambda s: s.replace(f"to{NO_BREAK}", "to ")
    environment.filters["counted"] = lambda s: count(len(s.rows), s.noun, s.plural)
    return environment


def _resource(name: str) -> str:
    return (files("steady.report") / "templates" / name).read_text(encoding="utf-8")


def _words(words: Words, most: int | None = None) -> Markup:
    """Return words as HTML; `most` limits the number of listed names."""
    return Markup(WordFormat(_text, _code, _name, most)(words))  # noqa: S704 - all is escaped


def _text(text: str) -> Markup:
    return escape(shown(text))


def _code(code: Code) -> Markup:
    return Markup("<code>{}</code>").format(shown(code.text))


def _name(name: Name) -> Markup:
    """Return a name as HTML that can wrap between its words."""
    words = Markup("<wbr>").join(_WORD_ENDS.split(shown(name.text)))
    details = Markup(" <small>{}</small>").format(shown(name.details)) if name.details else ""
    return Markup("<code>{}</code>{}").format(words, details)

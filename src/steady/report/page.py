"""A page for a browser, which needs nothing else: no font, no network, and a short script.

Everything on a page can be read without the script, which sorts, filters and searches.
"""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from steady.report.document import Code, Name, Spelling, Words
from steady.report.names import anchor
from steady.report.svg import shown
from steady.text.numbers import NO_BREAK, count

_STYLES = ("pictures.css", "page.css", "plan.css")
_SCRIPT = "report.js"
_WORD_ENDS = re.compile(r"(?<=[./_])|(?<=[a-z0-9])(?=[A-Z])")


def page(template: str, **content: object) -> str:
    """Fill in a template of a page, with the styles and the script that all pages share.

    Parameters
    ----------
    template : str
        A file in ``templates`` that extends ``page.html.j2``.
    **content
        Its variables; all text is escaped.

    Returns
    -------
    str
        Self-contained; the same arguments give the same text. Its policy allows no script but the
        one that it holds.
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
    """Return what compiles the templates, which takes longer than filling them in; it is kept."""
    environment = Environment(
        loader=PackageLoader("steady.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["words"] = _words
    # An interval may break before its upper end: two of nine digits leave names no room.
    environment.filters["breakable"] = lambda s: s.replace(f"to{NO_BREAK}", "to ")
    environment.filters["counted"] = lambda s: count(len(s.rows), s.noun, s.plural)
    return environment


def _resource(name: str) -> str:
    return (files("steady.report") / "templates" / name).read_text(encoding="utf-8")


def _words(words: Words, most: int | None = None) -> Markup:
    """Write words as HTML, of the benchmarks that they name at most so many."""
    return Markup(Spelling(_text, _code, _name, most)(words))  # noqa: S704 - all is escaped


def _text(text: str) -> Markup:
    return escape(shown(text))


def _code(code: Code) -> Markup:
    return Markup("<code>{}</code>").format(shown(code.text))


def _name(name: Name) -> Markup:
    """Let a name break where its words end."""
    words = Markup("<wbr>").join(_WORD_ENDS.split(shown(name.text)))
    details = Markup(" <small>{}</small>").format(shown(name.details)) if name.details else ""
    return Markup("<code>{}</code>{}").format(words, details)

"""SVG elements as text, with all attributes and texts escaped."""

from markupsafe import Markup, escape

from steady.text.escape import shorten, visible
from steady.text.numbers import NO_BREAK

LONGEST_TEXT = 2000
"""Maximum characters of a label or message."""


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

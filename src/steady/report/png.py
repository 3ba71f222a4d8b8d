"""A picture as a PNG, where the package that draws it is installed."""

from __future__ import annotations

from collections.abc import Callable

from steady.errors import MissingToolError
from steady.report.picture_file import Text, sheet

_ZOOM = 2


def png_writer() -> Callable[[str], bytes]:
    """Return what turns the text of an SVG file into a PNG.

    Raises
    ------
    MissingToolError
        If the package is not installed, or the system has no font: it would leave out all text.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise MissingToolError(
            "a PNG needs resvg-py; install it with `pip install 'steady-action[png]'`, or write "
            "an SVG, which needs nothing"
        ) from None

    def draw(svg: str) -> bytes:
        return bytes(svg_to_bytes(svg_string=svg, zoom=_ZOOM))

    letter = sheet((Text("M"),), title="", dark=False)
    if draw(letter) == draw(letter.replace(">M<", "><")):
        raise MissingToolError(
            "a PNG needs a font, and this system has none that is known; install one, such as "
            "Debian's fonts-dejavu-core, or write an SVG"
        )
    return draw

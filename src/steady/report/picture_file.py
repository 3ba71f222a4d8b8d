"""Files of pictures: drawings and sentences below each other, as one SVG or PNG."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from markupsafe import Markup

from steady.errors import MissingToolError
from steady.report.document import Tone
from steady.report.svg import element, number

_SCHEMES = re.compile(
    r"@media[^{]{0,200}\{\s{0,20}:root\s{0,20}\{([^{}]*)\}\s{0,20}\}|:root\s{0,20}\{([^{}]*)\}"
)
_VARIABLE = re.compile(r"(--[a-z]+):\s{0,20}([^;\s][^;{}]{0,200});")
_USE = re.compile(r"var\((--[a-z]+)\)")
_RULE = re.compile(r"(?:\A|(?<=[{}]))([^{}]+)\{([^{}]*)\}")


def plain_style(css: str, *, dark: bool) -> str:
    """Return a style sheet with plain colours for those of its variables.

    Parameters
    ----------
    css : str
        Light colours in a rule ``:root``, dark ones in the same rule for readers who prefer
        them, and then the rules that use both.
    dark : bool
        Whether those readers get the dark ones. Programs that are no browsers show the light
        ones, whatever their readers prefer.
    """
    found = {bool(match[1]): match[1] or match[2] for match in _SCHEMES.finditer(css)}
    light, night = (dict(_VARIABLE.findall(found[is_dark])) for is_dark in (False, True))
    rules = _SCHEMES.sub("", css).strip()
    plain = _with_colors(rules, light)
    if not dark:
        return plain
    colored = "".join(
        f"{selector.strip()} {{ {' '.join(uses)} }}\n"
        for selector, body in _RULE.findall(rules)
        if (uses := [f"{part.strip()};" for part in body.split(";") if _USE.search(part)])
    )
    return f"{plain}\n@media (prefers-color-scheme: dark) {{\n{_with_colors(colored, night)}}}"


def _with_colors(rules: str, colors: Mapping[str, str]) -> str:
    return _USE.sub(lambda use: colors[use[1]], rules)


WIDTH = 400
"""Of a sheet, in the units of the pictures."""

_ZOOM = 1.75
_MARGIN = 18
_GAP = 9
_LINES = {"title": (13.0, 42), "lead": (11.0, 52), "note": (9.5, 66)}
"""Size of the letters of each kind of text, and how many fit on a line in a wide font."""

_LONGEST = 1200
_PIECES = re.compile(r"(?<= )(?=\S)|(?<=[./_,])(?=[^\W\d])")
_VIEW_BOX = re.compile(r'viewBox="[^" ]+ [^" ]+ ([^" ]+) ([^" ]+)"')


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph of a sheet."""

    words: str
    kind: Literal["title", "lead", "note"] = "note"
    tone: Tone = "same"


def sheet(parts: Sequence[Text | Markup], *, title: str, dark: bool = True) -> str:
    """Write texts and drawings below each other.

    Parameters
    ----------
    parts : sequence of Text or Markup
        From the top. A Markup is an ``svg`` element with a view box.
    title : str
        What the file is called where it is read out, or opened in a browser.
    dark : bool
        Whether it is dark in a browser whose reader prefers that; the same file is light elsewhere.

    Returns
    -------
    str
        The file.
    """
    placed: list[Markup] = []
    y = float(_MARGIN)
    for part in parts:
        shapes, height = _paragraph(part, y) if isinstance(part, Text) else _drawing(part, y)
        placed += shapes
        y += height + _GAP
    height = y - _GAP + _MARGIN
    style = Markup(f"<style>\n{_style(dark=dark)}\n</style>")  # noqa: S704 - our own files
    paper = element("rect", class_="paper", width=float(WIDTH), height=height)
    svg = element(
        "svg",
        element("title", title),
        style,
        paper,
        *placed,
        xmlns="http://www.w3.org/2000/svg",
        width=_ZOOM * WIDTH,
        height=_ZOOM * height,
        viewBox=f"0 0 {WIDTH} {number(height)}",
    )
    return f"{svg}\n"


def _style(*, dark: bool) -> str:
    folder = files("steady.report") / "templates"
    names = ("pictures.css", "sheet.css")
    css = "".join((folder / name).read_text(encoding="utf-8") for name in names)
    return plain_style(css, dark=dark)


def _paragraph(text: Text, y: float) -> tuple[list[Markup], float]:
    size, most = _LINES[text.kind]
    lines = list(wrapped(text.words[:_LONGEST], most))
    tone = f" tone-{text.tone}" if text.tone != "same" else ""
    step = 1.3 * size
    drawn = [
        element("text", line, class_=f"{text.kind}{tone}", x=_MARGIN, y=y + size + index * step)
        for index, line in enumerate(lines)
    ]
    return drawn, step * len(lines)


def _drawing(drawing: Markup, y: float) -> tuple[list[Markup], float]:
    box = _VIEW_BOX.search(drawing)
    if box is None:
        raise ValueError("a drawing on a sheet has a view box")
    width, height = float(box[1]), float(box[2])
    place = f'<svg x="{_MARGIN}" y="{number(y)}" width="{box[1]}" height="{box[2]}" '
    if width > WIDTH - 2 * _MARGIN:
        raise ValueError("a drawing is wider than its sheet")
    return [Markup(str(drawing).replace("<svg ", place, 1))], height  # noqa: S704 - both are ours


def wrapped(text: str, most: int) -> Iterator[str]:
    """Break a text into lines of at most `most` characters, where words or parts of names end.

    >>> list(wrapped("org.example.codec.Parser.parse", 20))
    ['org.example.codec.', 'Parser.parse']
    """
    line = ""
    for piece in _PIECES.split(text):
        if line and len(line) + len(piece.rstrip()) > most:
            yield line.rstrip()
            line = ""
        line += piece
        while len(line) > most:
            yield line[:most]
            line = line[most:]
    if line.strip():
        yield line.rstrip()


_PNG_ZOOM = 2


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
        return bytes(svg_to_bytes(svg_string=svg, zoom=_PNG_ZOOM))

    letter = sheet((Text("M"),), title="", dark=False)
    if draw(letter) == draw(letter.replace(">M<", "><")):
        raise MissingToolError(
            "a PNG needs a font, and this system has none that is known; install one, such as "
            "Debian's fonts-dejavu-core, or write an SVG"
        )
    return draw

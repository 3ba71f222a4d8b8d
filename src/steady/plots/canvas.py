"""Axes for plots, and their output as files.

Only this module imports matplotlib; if it is missing, the error explains how to install it. pyplot
is not used, so no figure stays open and the caller's settings are unchanged.
"""

import io
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from steady.errors import InputError, MissingToolError
from steady.text.escape import shorten, visible

try:
    import matplotlib as mpl
except ModuleNotFoundError:
    raise MissingToolError(
        "pictures need matplotlib; install it with `pip install 'steady-action[plot]'`"
    ) from None

from matplotlib.artist import Artist
from matplotlib.axes import Axes as Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D as Line2D
from matplotlib.patches import Patch as Patch

DOTS_PER_INCH = 150
"""Resolution of PNG files."""

LONGEST_TITLE = 95
LONGEST_LABEL = 50
LONGEST_UNIT = 25
"""Maximum numbers of characters of the title, the labels and the unit."""

_HASH_SALT = "steady"
_NO_DATE: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
"""Metadata to omit from each kind of file, so that the output is reproducible."""

KINDS = tuple(_NO_DATE)
"""Supported kinds of files, equal to their suffixes."""

PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}
"""Keyword arguments for drawing untrusted text: dollar signs are not parsed as math."""


class OwnAxes(Axes):
    """Axes that a notebook displays as the last value of a cell."""

    def _repr_png_(self) -> bytes:
        return render(self, "png")


def axes_on(ax: Axes | None, height: float = 4.5) -> Axes:
    """Return the caller's axes, or axes on a new figure that is `height` inches high."""
    if ax is not None:
        return ax
    figure = Figure(figsize=(9, height), layout="constrained")
    return figure.add_subplot(axes_class=OwnAxes)


def label_of(text: str, longest: int = LONGEST_LABEL) -> str:
    """Return untrusted text as a label, with invisible characters escaped.

    Wide characters, such as Chinese ones, count as two.
    """
    shown = visible(text)
    double = sum(unicodedata.east_asian_width(letter) in "WF" for letter in shown)
    return shorten(shown, longest * len(shown) // max(len(shown) + double, 1)) or "(no name)"


def set_title(axes: Axes, text: str) -> None:
    """Set the title of a plot to untrusted text."""
    axes.set_title(label_of(text, LONGEST_TITLE), fontsize="medium", wrap=True, **PLAIN)


def draw_legend(axes: Axes, signs: Sequence[Artist]) -> None:
    """Draw the legend beside the plot, where it hides no values."""
    if signs:
        axes.legend(
            handles=signs, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0,
            fontsize="small",
        )  # fmt: skip


def checked_kind(suffix: str) -> str:
    """Return the kind of file of a suffix such as ``.svg``.

    Raises
    ------
    InputError
        If the suffix is not supported.
    """
    kind = suffix.lower().removeprefix(".")
    if kind not in KINDS:
        *most, last = (f".{one}" for one in KINDS)
        given = f"not {suffix}" if suffix else "and the file's name has no ending"
        raise InputError(f"pictures are written as {', '.join(most)} or {last}, {given}")
    return kind


def render(axes: Axes, kind: str) -> bytes:
    """Return the content of a file with the figure of some axes; the bytes are reproducible.

    Parameters
    ----------
    axes : Axes
        Axes whose whole figure is written.
    kind : {"png", "svg", "pdf"}
        Kind of file.
    """
    content = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": _HASH_SALT}), _without_glyph_warnings():
        whole = axes.figure.canvas.figure  # the root figure, for axes on a subfigure
        whole.draw_without_rendering()  # the layout needs two passes
        whole.savefig(content, format=kind, dpi=DOTS_PER_INCH, metadata=_NO_DATE[kind])
    return content.getvalue()


@contextmanager
def _without_glyph_warnings() -> Iterator[None]:
    """Suppress the warnings about characters that the font lacks, which are drawn as boxes."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield

"""The axes that pictures are drawn on, and the files that become of them.

This is the one module that imports matplotlib, and says what to install where it is missing.
Nothing uses pyplot: no picture is left open, and no setting of the caller's changes.
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
"""Of PNG files."""

LONGEST_TITLE = 95
LONGEST_LABEL = 50
LONGEST_UNIT = 25
"""Characters that have room above a picture, beside it, and along its height."""

_HASH_SALT = "steady"
_NO_DATE: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
"""By the kind of file: what is left out, so that the same picture gives the same bytes."""

KINDS = tuple(_NO_DATE)
"""Kinds of files, which are their suffixes too."""

PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}
"""How a text is drawn that comes from the code under test: its dollars begin no formula."""


class OwnAxes(Axes):
    """Axes that a notebook shows where they are the last value of a cell."""

    def _repr_png_(self) -> bytes:
        return picture(self, "png")


def axes_on(ax: Axes | None, height: float = 4.5) -> Axes:
    """Return the caller's axes, or new ones on a figure of their own, `height` inches high."""
    if ax is not None:
        return ax
    figure = Figure(figsize=(9, height), layout="constrained")
    return figure.add_subplot(axes_class=OwnAxes)


def label_of(text: str, longest: int = LONGEST_LABEL) -> str:
    """Return an untrusted text as a label: what cannot be seen is written out.

    Letters of double width, such as Chinese ones, count twice.
    """
    shown = visible(text)
    double = sum(unicodedata.east_asian_width(letter) in "WF" for letter in shown)
    return shorten(shown, longest * len(shown) // max(len(shown) + double, 1)) or "(no name)"


def set_title(axes: Axes, text: str) -> None:
    """Write an untrusted text above a picture."""
    axes.set_title(label_of(text, LONGEST_TITLE), fontsize="medium", wrap=True, **PLAIN)


def explain(axes: Axes, signs: Sequence[Artist]) -> None:
    """Write what signs mean beside a picture, where no value is hidden."""
    if signs:
        axes.legend(
            handles=signs, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0,
            fontsize="small",
        )  # fmt: skip


def checked_kind(suffix: str) -> str:
    """Return the kind of file that a suffix such as ``.svg`` stands for.

    Raises
    ------
    InputError
        If pictures are not written as such files.
    """
    kind = suffix.lower().removeprefix(".")
    if kind not in KINDS:
        *most, last = (f".{one}" for one in KINDS)
        given = f"not {suffix}" if suffix else "and the file's name has no ending"
        raise InputError(f"pictures are written as {', '.join(most)} or {last}, {given}")
    return kind


def picture(axes: Axes, kind: str) -> bytes:
    """Return the figure of some axes as a file's content; the same one gives the same bytes.

    Parameters
    ----------
    axes : Axes
        What is drawn, and with them all others of their figure.
    kind : {"png", "svg", "pdf"}
        Kind of file.
    """
    content = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": _HASH_SALT}), _any_letters():
        whole = axes.figure.canvas.figure  # where the axes are on a part of one
        whole.draw_without_rendering()  # a layout is final when it is made for the second time
        whole.savefig(content, format=kind, dpi=DOTS_PER_INCH, metadata=_NO_DATE[kind])
    return content.getvalue()


@contextmanager
def _any_letters() -> Iterator[None]:
    """Draw letters that the font lacks as boxes, without a warning for each."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield

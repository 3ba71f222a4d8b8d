"""Views of results in a notebook or at a prompt: a table that fits, and small pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from steady.errors import MissingToolError
from steady.text.escape import shorten, visible

_MOST_LINES = 15
_MOST_ROWS = 50
_LONGEST = 60
_WIDTH, _HEIGHT = 160, 16


@dataclass(frozen=True, slots=True)
class Span:
    """A point with the ends around it, on an axis that all rows share; a dot where it has none.

    Parameters
    ----------
    center, low, high : float
        Where they lie; what is not finite is not drawn.
    """

    center: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """Values one after the other, each row on an axis of its own."""

    values: Sequence[float]


@dataclass(frozen=True)
class Overview:
    """What a result shows of itself.

    Parameters
    ----------
    title : str
        What it is, and how much of it there is.
    columns : tuple of str
        The headings.
    rows : sequence of tuple of str
        The most important first.
    pictures : sequence of Span or Line
        One for each row, or none at all.
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    pictures: Sequence[Span] | Sequence[Line] = ()

    def text(self) -> str:
        """Return the title and the first rows, as plain text."""
        shown = [tuple(map(_cell, row)) for row in (self.columns, *self.rows[:_MOST_LINES])]
        widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in shown
        ]
        return "\n".join(
            [visible(self.title), *(lines if self.rows else ()), *self._left(_MOST_LINES)]
        )

    def html(self) -> str:
        """Return the title, the first rows and their pictures; every text is escaped."""
        rows = self.rows[:_MOST_ROWS]
        drawn = _draw(self.pictures[:_MOST_ROWS]) if self.pictures else ["" for _ in rows]
        head = "".join(_html_cells("th", self.columns))
        body = "".join(
            f"<tr>{''.join(_html_cells('td', row))}<td>{svg}</td></tr>"
            for row, svg in zip(rows, drawn, strict=True)
        )
        table = f"<table><thead><tr>{head}<th></th></tr></thead><tbody>{body}</tbody></table>"
        below = "".join(f"<p>{escape(line)}</p>" for line in self._left(_MOST_ROWS))
        return f"<p>{escape(visible(self.title))}</p>{table if rows else ''}{below}"

    def _left(self, most: int) -> list[str]:
        more = len(self.rows) - most
        return [f"... and {more:,} more"] if more > 0 else []


class Shown:
    """What shows an overview of itself, and can be taken apart for other tools."""

    def overview(self) -> Overview:
        """Return what to show."""
        raise TypeError(f"{type(self).__name__} has no overview")

    def tables(self) -> Iterator[Mapping[str, Any]]:
        """Yield the columns of `to_pandas`, one table after the other."""
        raise TypeError(f"{type(self).__name__} has no columns")

    def __repr__(self) -> str:
        return self.overview().text()

    def _repr_html_(self) -> str:
        """Return what Jupyter shows."""
        return self.overview().html()

    def to_pandas(self) -> Any:
        """Return a data frame: of measurements a row for each value, of others one a benchmark.

        Raises
        ------
        MissingToolError
            If pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise MissingToolError(
                "to_pandas needs pandas; install it with `pip install 'steady-action[pandas]'`"
            ) from None
        frames = [pd.DataFrame(dict(table)) for table in self.tables()]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def _cell(text: str) -> str:
    return shorten(visible(text, kept="\u00a0"), _LONGEST)


def _html_cells(tag: str, texts: Sequence[str]) -> Iterator[str]:
    """Write a row: Jupyter aligns all cells to the right, and a name is read from its beginning."""
    for index, text in enumerate(texts):
        style = "white-space: nowrap" if index else "text-align: left"
        yield f'<{tag} style="{style}">{escape(_cell(text))}</{tag}>'


def _draw(pictures: Sequence[Span] | Sequence[Line]) -> list[str]:
    spans = [picture for picture in pictures if isinstance(picture, Span)]
    ends = [abs(end) for span in spans for end in (span.low, span.center, span.high)]
    reach = max(filter(math.isfinite, ends), default=0.0) or 1.0
    return [
        _draw_span(picture, reach) if isinstance(picture, Span) else _draw_line(picture.values)
        for picture in pictures
    ]


def _draw_span(span: Span, reach: float) -> str:
    """Draw an interval above an axis from -reach to reach, whose middle is marked."""
    x = {name: _on_axis(getattr(span, name), reach) for name in ("center", "low", "high")}
    middle = _HEIGHT / 2
    parts = [_stroke(_WIDTH / 2, 0, _WIDTH / 2, _HEIGHT, "#999")]
    if x["low"] is not None and x["high"] is not None:
        parts.append(_stroke(x["low"], middle, x["high"], middle, "currentColor"))
    if x["center"] is not None:
        parts.append(f'<circle cx="{x["center"]:.1f}" cy="{middle:g}" r="3" fill="currentColor"/>')
    return _svg(parts)


def _draw_line(values: Sequence[float]) -> str:
    known = [value for value in values if math.isfinite(value)]
    if len(known) < 2:
        return ""
    low, span = min(known), (max(known) - min(known)) or 1.0
    points = " ".join(
        f"{2 + (_WIDTH - 4) * index / (len(known) - 1):.1f},"
        f"{2 + (_HEIGHT - 4) * (1 - (value - low) / span):.1f}"
        for index, value in enumerate(known)
    )
    return _svg([f'<polyline points="{points}" fill="none" stroke="currentColor"/>'])


def _on_axis(value: float, reach: float) -> float | None:
    return 4 + (_WIDTH - 8) * (1 + value / reach) / 2 if math.isfinite(value) else None


def _stroke(x1: float, y1: float, x2: float, y2: float, color: str) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:g}" x2="{x2:.1f}" y2="{y2:g}" stroke="{color}" '
        'stroke-width="1.5"/>'
    )


def _svg(parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'aria-hidden="true">{"".join(parts)}</svg>'
    )

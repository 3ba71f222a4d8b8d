"""Data frames of pandas: from rows, and from columns of very many values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steady.errors import MissingToolError

try:
    import pandas
except ModuleNotFoundError:
    raise MissingToolError(
        "data frames need pandas; install it with `pip install 'steady-action[tables]'`"
    ) from None


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of few different texts; a categorical one in pandas.

    Parameters
    ----------
    codes : ndarray of int, shape (rows,)
        For each row, the place of its text in `texts`; -1: it has none.
    texts : sequence of str
        All different.
    """

    codes: npt.NDArray[np.integer[Any]]
    texts: Sequence[str]


def frame(columns: Mapping[str, npt.NDArray[Any] | Coded]) -> pandas.DataFrame:
    """Return columns of one length as a data frame, without a copy where pandas needs none."""
    return pandas.DataFrame(
        {name: _categorical(c) if isinstance(c, Coded) else c for name, c in columns.items()},
        copy=False,
    )


def _categorical(column: Coded) -> pandas.Categorical[str]:
    return pandas.Categorical.from_codes(column.codes, categories=pandas.Index(list(column.texts)))


def frame_of_rows(
    rows: Iterable[Mapping[str, object]], kinds: Mapping[str, type]
) -> pandas.DataFrame:
    """Return rows as a data frame, whose columns have the same types however few rows there are.

    Parameters
    ----------
    rows : iterable of mapping
        Values by column; None is an unknown one.
    kinds : mapping of str to type
        By the column's name, in their order: what its values are. An unknown float is NaN.
    """
    listed = list(rows)
    return pandas.DataFrame(
        {
            name: pandas.Series([row[name] for row in listed], dtype=kind)
            for name, kind in kinds.items()
        }
    )

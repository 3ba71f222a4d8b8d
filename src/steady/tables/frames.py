"""Construction of pandas data frames from rows or large columns."""

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
class CategoricalColumn:
    """A column with few distinct texts, which becomes categorical in pandas.

    Parameters
    ----------
    codes : ndarray of int, shape (rows,)
        Index of each row's text in `texts`, or -1 if missing.
    texts : sequence of str
        Distinct texts.
    """

    codes: npt.NDArray[np.integer[Any]]
    texts: Sequence[str]


def frame(columns: Mapping[str, npt.NDArray[Any] | CategoricalColumn]) -> pandas.DataFrame:
    """Return a data frame of columns of equal length, without copying if possible."""
    return pandas.DataFrame(
        {
            name: _categorical(c) if isinstance(c, CategoricalColumn) else c
            for name, c in columns.items()
        },
        copy=False,
    )


def _categorical(column: CategoricalColumn) -> pandas.Categorical[str]:
    return pandas.Categorical.from_codes(column.codes, categories=pandas.Index(list(column.texts)))


def frame_of_rows(
    rows: Iterable[Mapping[str, object]], kinds: Mapping[str, type]
) -> pandas.DataFrame:
    """Return rows as a data frame with column types that do not depend on the data.

    Parameters
    ----------
    rows : iterable of mapping
        Values by column; None if unknown.
    kinds : mapping of str to type
        Type of each column, in order. An unknown float becomes NaN.
    """
    listed = list(rows)
    return pandas.DataFrame(
        {
            name: pandas.Series([row[name] for row in listed], dtype=kind)
            for name, kind in kinds.items()
        }
    )

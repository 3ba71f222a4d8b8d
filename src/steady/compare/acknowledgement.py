"""Somebody's word that a change is meant, and within which bounds it holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """A change that is accepted: it is shown, but no verdict counts it.

    Parameters
    ----------
    pattern : str
        Of the benchmarks that it speaks of; see `steady.settings.matches`.
    reason : str
        Why the change is accepted.
    direction : {"regression", "improvement"}
        Which changes are accepted.
    bound : float, optional
        Largest relative change that is accepted, as a fraction; None: any.
    expires : date, optional
        The last day on which it holds, in UTC; None: it holds for one comparison only.
    author : str
        Who says so; empty where nobody is named.
    source : str
        Where it is written: a file with its line, or a comment.
    """

    pattern: str
    reason: str
    direction: Literal["regression", "improvement"] = "regression"
    bound: float | None = None
    expires: date | None = None
    author: str = ""
    source: str = ""

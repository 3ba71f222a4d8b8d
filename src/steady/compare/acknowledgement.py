"""A statement that a change is intended, with its bounds."""

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
        Which benchmarks; see `steady.settings.matches`.
    reason : str
        Why the change is accepted.
    direction : {"regression", "improvement"}
        Which changes are accepted.
    bound : float, optional
        Largest relative change that is accepted, as a fraction; None: any.
    expires : date, optional
        The last day on which it applies, in UTC; None: it applies to one comparison only.
    author : str
        Who accepts the change; empty if nobody is named.
    source : str
        Where it is written: a file with its line, or a comment.
    metric : str
        Of which further results, where ``*`` stands for any text; empty for the main result.
    """

    pattern: str
    reason: str
    direction: Literal["regression", "improvement"] = "regression"
    bound: float | None = None
    expires: date | None = None
    author: str = ""
    source: str = ""
    metric: str = ""

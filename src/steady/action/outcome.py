"""What a mode leaves behind for the rest of the world to see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a mode found, and what is to be told to whom.

    Parameters
    ----------
    headline : str
        In one line, for the log.
    outputs : mapping of str to str
        For later steps.
    summary : str
        Markdown for the job's page.
    marker : str
        What the comment's body begins with.
    comment : callable
        Given the body of the present comment, or None, the new body.
    comment_file : Path
        Where the comment stands for people and steps that cannot see the pull request.
    annotations : tuple of str
        Ready-made commands for the log.
    failures : tuple of str
        Those conditions of ``fail-on`` that hold; empty: the job is green.
    """

    headline: str
    outputs: Mapping[str, str]
    summary: str
    marker: str
    comment: Callable[[str | None], str]
    comment_file: Path
    annotations: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()

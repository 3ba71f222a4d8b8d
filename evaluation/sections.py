"""Generation of tables with their descriptions, in several processes or by an executor."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

from evaluation._markdown import Section
from steady.parallel import workers


def made(data: Path, tables: Sequence[str], jobs: int | Executor) -> Mapping[str, Section]:
    """Return tables with their descriptions.

    Parameters
    ----------
    data : Path
        Folder of the papers' data; workers on other machines read the same path.
    tables : sequence of str
        Of `evaluation.TABLES`.
    jobs : int or concurrent.futures.Executor
        Number of processes, or an executor, which is used and not shut down.
    """
    with workers(jobs, delay=0.0) as shared:
        return dict(zip(tables, shared.map(partial(section, data), tables), strict=True))


def section(data: Path, name: str) -> Section:
    """Return one table with its description."""
    made_of: Section = importlib.import_module(f"evaluation.{name}").table(data)
    return made_of

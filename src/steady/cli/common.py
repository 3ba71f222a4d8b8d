"""Functions shared by several commands: progress, and reading input files."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING

from steady.cli.printing import note
from steady.model import Suite
from steady.optimize import Plan, plan_at
from steady.readers import load as read
from steady.readers.sources import left_nothing
from steady.report.provenance import left_out_sentence
from steady.samecode.choice import add_same_code

if TYPE_CHECKING:
    from steady.optimize.analysis import Progress as Report


def load(
    paths: Sequence[str], format_name: str | None, *, empty: bool = False, side: str = ""
) -> Suite:
    """Read results; report failed benchmarks, with their side, on standard error."""
    if empty and all(map(left_nothing, paths)):
        beside = [add_same_code(Suite(()), Path(path).parent).same_code for path in paths]
        return Suite((), same_code=reduce(or_, beside))
    suite = read(paths, format=format_name, empty=empty)
    for failure in suite.failures:
        note(f"{side}{': ' * bool(side)}{failure.identity.label} failed: {failure.reason}")
    if left_out := left_out_sentence(suite):
        note(f"{', '.join(paths)}: {left_out}")
    return suite


def chosen_plan(path: Path | None) -> Plan | None:
    """Read the plan given by ``--plan``; None if the option is not given."""
    return None if path is None else plan_at(path)


@contextmanager
def progress(task: str) -> Iterator[Report]:
    """Show a progress bar on a terminal; in a log, a line for each tenth of the work."""
    if not sys.stderr.isatty():
        yield _log_progress(task)
        return
    from rich import progress as rich  # slow to import, and useless in a log
    from rich.console import Console

    columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), rich.MofNCompleteColumn(),
               rich.TimeRemainingColumn())  # fmt: skip
    with rich.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        identifier = bar.add_task(task, total=None)

        def report(done: int, total: int, _: str) -> None:
            bar.update(identifier, completed=done, total=total)

        yield report


def _log_progress(task: str) -> Report:
    tenths = 0

    def report(done: int, total: int, _: str) -> None:
        nonlocal tenths
        if total >= 50 and 10 * done // total > tenths:
            tenths = 10 * done // total
            note(f"{task}: {done} of {total} benchmarks")

    return report

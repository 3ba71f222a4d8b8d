"""What several commands share: arguments, progress, reading results."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from steady.cli.printing import note
from steady.duration import seconds_of
from steady.errors import InputError
from steady.model import Suite
from steady.optimize import Plan, read_plan
from steady.parallel import Dask, Mapper, available_processors, mapper_of
from steady.percent import Percentage
from steady.readers import FORMATS
from steady.readers import load as read
from steady.readers.sources import left_nothing
from steady.report.provenance import left_out_sentence
from steady.samecode.file import add_same_code
from steady.similarity import METHODS as SIMILARITY_METHODS
from steady.steadystate import METHODS as STEADY_STATE_METHODS

if TYPE_CHECKING:
    from steady.optimize.analysis import Progress as Report

T = TypeVar("T")


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add ``--format``."""
    parser.add_argument(
        "--format", choices=list(FORMATS), help="format of the results (default: steady looks at "
        "their content)"
    )  # fmt: skip


def add_detection(parser: argparse.ArgumentParser) -> None:
    """Add the choice of detector and of fork similarity."""
    parser.add_argument(
        "--detector", default="kb-kssd", choices=list(STEADY_STATE_METHODS), metavar="METHOD",
        help="steady-state method (default: %(default)s; `steady methods` lists them)",
    )  # fmt: skip
    parser.add_argument(
        "--similarity", default="heuristic", choices=list(SIMILARITY_METHODS), metavar="METHOD",
        help="fork-similarity method (default: %(default)s)",
    )  # fmt: skip


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add who shares the work."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--jobs", type=int, metavar="N",
        help="number of processes for long work (default: one for each processor that this "
        "command may use)",
    )  # fmt: skip
    group.add_argument(
        "--dask", metavar="ADDRESS",
        help="scheduler of a Dask cluster that does the work, such as tcp://10.0.0.5:8786; "
        "needs steady-action[dask]",
    )  # fmt: skip


def mapper(arguments: argparse.Namespace) -> AbstractContextManager[Mapper]:
    """Return who shares the work, as the arguments of `add_jobs` say."""
    if arguments.dask is not None:
        return Dask(arguments.dask)
    return mapper_of(available_processors() if arguments.jobs is None else arguments.jobs)


def load(
    paths: list[str], format_name: str | None, *, empty: bool = False, side: str = ""
) -> Suite:
    """Read results, and say on standard error what failed, and in which of two sides."""
    if empty and all(map(left_nothing, paths)):
        beside = [add_same_code(Suite(()), Path(path).parent).same_code for path in paths]
        return Suite((), same_code=reduce(or_, beside))
    suite = read(paths, format=format_name, empty=empty)
    for failure in suite.failures:
        note(f"{side}{': ' * bool(side)}{failure.identity.label} failed: {failure.reason}")
    if left_out := left_out_sentence(suite):
        note(f"{', '.join(paths)}: {left_out}")
    return suite


def add_plan(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--plan``, which names a plan's folder or file."""
    parser.add_argument("--plan", type=Path, metavar="PLAN", help=what)


def plan_at(path: Path) -> Plan:
    """Read a plan from its file, or from its folder."""
    return read_plan(path / "plan.json" if path.is_dir() else path)


def chosen_plan(arguments: argparse.Namespace) -> Plan | None:
    """Read the plan that ``--plan`` names; None without one."""
    return None if arguments.plan is None else plan_at(arguments.plan)


@contextmanager
def progress(task: str) -> Iterator[Report]:
    """Show the progress of long work on a terminal; in a log, a line for each tenth of it."""
    if not sys.stderr.isatty():
        yield _log_progress(task)
        return
    from rich import progress as rich  # slow to import, and of no use in a log
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


def argument(parse: Callable[[str], T]) -> Callable[[str], T]:
    """Return a parser as the type of an argument: the message of its ValueError is shown."""

    def parsed(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parsed


def add_share(parser: argparse.ArgumentParser, option: str, of: Percentage, **more: Any) -> None:
    """Add an option that takes a percentage.

    Parameters
    ----------
    parser : ArgumentParser
        Whose option it is.
    option : str
        The option, as ``--min-change``.
    of : Percentage
        What it may be.
    **more
        What else `add_argument` takes.
    """

    def parse(text: str) -> float:
        return of.parse(text, f"{option} {{}}")

    parser.add_argument(option, type=argument(parse), metavar="PERCENT", **more)


def time_span(text: str) -> float:
    """Parse seconds above 0: ``600``, ``600s``, ``10m`` or ``1.5h``."""
    try:
        return seconds_of(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time; write 600, 10m or 1.5h"
        ) from None


def given(arguments: argparse.Namespace, *names: str, prefix: str = "") -> dict[str, Any]:
    """Return those of some options that the user gave, by their names without the prefix."""
    values = {name: getattr(arguments, prefix + name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def require(condition: bool, message: str) -> None:
    """Raise the user's mistake unless `condition` holds."""
    if not condition:
        raise InputError(message)

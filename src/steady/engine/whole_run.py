"""The whole run, from a request to its outcome."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from steady.engine.discovery import Discovery, discover
from steady.engine.journal import Journal
from steady.engine.merging import Merging
from steady.engine.progress import Heartbeat, PlainLines, Watcher
from steady.engine.request import RunRequest
from steady.engine.run_folder import RunFolder
from steady.engine.run_outcome import RunOutcome, last_news
from steady.engine.run_plan import RunPlan, plan_run
from steady.engine.run_record import RunRecord
from steady.engine.runner import run_trials
from steady.engine.selection import Selection
from steady.engine.time_limit import CLOCK, Budget, Clock
from steady.execution.processes import unreadable
from steady.harnesses import harness_named


class RunWatcher(Protocol):
    """A watcher that gets the news of a whole run."""

    def say(self, text: str) -> None:
        """Print a line, which may contain names from the code under test."""

    def planned(self, plan: RunPlan) -> None:
        """Take note of the plan of the run."""

    def forks(self) -> AbstractContextManager[Watcher]:
        """Return the watcher of the forks, for as long as they run."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A watcher that passes every line to a function.

    Parameters
    ----------
    say : callable
        Called with each line.
    """

    say: Callable[[str], None]

    def planned(self, plan: RunPlan) -> None:
        """Take note of the plan of the run."""

    @contextmanager
    def forks(self) -> Iterator[Watcher]:
        """Return the log of the forks."""
        yield PlainLines(self.say)


def run(
    base: str | Path | None = None,
    head: str | Path | None = None,
    *,
    say: Callable[[str], None] | None = None,
    **options: Any,
) -> RunOutcome:
    """Measure base and head, interleaved, as ``steady run`` does.

    Parameters
    ----------
    base, head : path-like
        The benchmarks of both versions, built: JMH's jar, or a folder of Go's test binaries.
    say : callable, optional
        Called with each line of news, as `print`; by default nothing is printed.
    **options
        The options of ``steady run``, by their names with ``_`` in place of ``-``, in the form of
        the command or of `RunRequest`: ``out``, ``time_budget``, ``plan``, ``only`` and so on.
        With ``list`` or ``dry_run``, nothing is measured.

    Returns
    -------
    RunOutcome
        Its `suites` are what `steady.compare` takes. Ctrl-C ends the run, and the outcome has what
        was measured until then; with ``resume=True`` the run goes on.

    Raises
    ------
    InputError
        If options do not go together, something that they name is not there, or the results cannot
        be written. A fork that fails is no error: the outcome has it.

    Examples
    --------
    >>> import steady
    >>> steady.run("base.jar", "head.jar", time_budget="10m", out="results")
    Traceback (most recent call last):
    steady.errors.InputError: base.jar: does not exist; check the path, and build the benchmarks...
    """
    return run_request(
        RunRequest.of(base=base, head=head, **options), Lines(say or (lambda _: None))
    )


def run_request(request: RunRequest, watcher: RunWatcher, clock: Clock = CLOCK) -> RunOutcome:
    """Carry out a request, and return the outcome.

    Parameters
    ----------
    request : RunRequest
        The request.
    watcher : RunWatcher
        Shows the progress.
    clock : Clock
        The clock.

    Raises
    ------
    InputError
        As `run`.
    """
    begun = Budget.begin(request.time_budget, clock)
    with unreadable(), Heartbeat(watcher.say, begun) as pulse:
        pulse.begin("looking for benchmarks")
        found = discover(request, pulse)
        if request.list:
            return _outcome(found)
        folder = None if request.only_shown else _folder_of(found)
        pulse.begin("looking for identical code paths in base and head")
        selection = Selection.of(found, pulse.say)
        plan = plan_run(selection)
        watcher.planned(plan)
        plan = plan.within(pulse.budget, selection)
        if folder is None:
            return _outcome(found, state=RunRecord(plan.trials, {}, {}))
        pulse.begin("measuring")
        with watcher.forks() as forks:
            pulse.watch(forks)
            record = run_trials(plan, folder, forks, resume=request.resume, clock=clock)
        pulse.begin("merging the results")
        outcome = _outcome(
            found,
            state=record,
            looks=plan.looks,
            not_run=plan.not_run,
            same_code=plan.same_code,
            series=_series(plan, record, folder) if request.timed else None,
        )
        for line in last_news(outcome, folder):
            pulse.say(line)
    return outcome


def _folder_of(found: Discovery) -> RunFolder:
    """Return the folder for the results, after a check that they can be written."""
    request = found.request
    folder = RunFolder(request.out or Path(), found.harness.suffix)
    folder.require_place([version.name for version in found.versions], resume=request.resume)
    return folder


def _series(plan: RunPlan, record: RunRecord, folder: RunFolder) -> Path | None:
    """Write all iterations of base, warm-up included; None if the run had no warm-up to show."""
    running = harness_named(plan.harness.name).running
    if record.interrupted or running is None or not running.ends_early:
        return None
    return Merging(plan, folder, Journal.open(folder.journal)).write_series(plan.versions[0])


def _outcome(found: Discovery, **more: Any) -> RunOutcome:
    plan, only = found.plan, found.only
    planned = None if plan is None else tuple(i for i in plan if only is None or only.wants(i))
    request, name = found.request, found.harness.name
    return RunOutcome(request, name, found.versions, found.held, planned=planned, **more)

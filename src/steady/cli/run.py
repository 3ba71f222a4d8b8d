"""``steady run`` measures base and head, interleaved; ``steady merge`` joins its shards.

Progress is shown live on a terminal or in a log, and a signal stops the run.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from steady.cli.common import chosen_plan
from steady.cli.printing import command, line, note, say
from steady.engine import HarnessSettings, PlainLines
from steady.engine.journal import JournalEntry
from steady.engine.progress import Watcher
from steady.engine.request import RunRequest
from steady.engine.run_outcome import RunOutcome
from steady.engine.run_plan import RunPlan
from steady.engine.shards import join_shards
from steady.engine.whole_run import run_request
from steady.engine.workload import all_identities
from steady.harness.trial import Held, Trial
from steady.harnesses import RUNNABLE
from steady.options.run_options import MergeCommand, RunCommand
from steady.suggestions.for_run import (
    compare_command,
    plan_command,
    suggest_for_obstacles,
    suggest_shorter_runs,
)
from steady.suggestions.missing import SIDES, require_shards
from steady.text.escape import shorten, visible
from steady.text.numbers import duration

_LONGEST_NAME = 60


def run(arguments: RunCommand | MergeCommand) -> int:
    """Measure, or merge the shards of a run, and print the location of the results."""
    return _merge(arguments) if isinstance(arguments, MergeCommand) else _measure(arguments)


def _measure(arguments: RunCommand) -> int:
    watcher = Printing(lambda prepared: suggest_shorter_runs(arguments, prepared))
    with stoppable():
        request = RunRequest(**vars(arguments), ways=suggest_for_obstacles(arguments))
        outcome = run_request(request, watcher)
        if arguments.list:
            _print_names(outcome.held)
        elif arguments.dry_run:
            _print_order(outcome.state.trials)
        else:
            _conclude(outcome, arguments)
    return outcome.exit_code


def _conclude(outcome: RunOutcome, arguments: RunCommand) -> None:
    """Print the location of the results, and the next command to type."""
    for path in outcome.state.merged.values():
        line(f"wrote {path}")
    if outcome.state.interrupted:
        note(f"interrupted; continue with `{replace(arguments, resume=True).line}`")
        return
    if arguments.shard is None and len(outcome.state.merged) == len(SIDES):
        line(f"verdict: {compare_command(arguments).line}")
    measured = outcome.request.timed and outcome.state.trials
    plan = plan_command(outcome) if measured else None
    if plan is not None:
        line(f"plan for later runs: {plan.line}")


def _print_names(held: Held) -> None:
    """Print the benchmarks, one per line, with their version if they are not in every version."""
    for identity in all_identities(held):
        owners = [name for name, identities in held.items() if identity in identities]
        only = "" if len(owners) == len(held) else f"  ({owners[0]} only)"
        line(identity.label + only)


def _print_order(trials: Sequence[Trial]) -> None:
    """Print the forks in the order of execution: round, version, seconds, name."""
    width = max((len(trial.version) for trial in trials), default=0)
    for trial in trials:
        order = f"round {trial.round + 1:<3} {trial.version:{width}} {duration(trial.seconds):>10}"
        line(f"{order}  {trial.identity.label}")


class LiveView(Watcher):
    """A status line that is redrawn only when a fork starts or ends.

    Parameters
    ----------
    console : Console
        The terminal.
    """

    draws = True

    def __init__(self, console: Console) -> None:
        super().__init__(lambda text: console.print(Text(visible(text))))
        # No thread refreshes the line, because it would wake a core during measurements.
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            console=console,
            auto_refresh=False,
            transient=True,
        )
        self._task = self._bar.add_task("", total=None, left="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def planned(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Show the whole schedule."""
        super().planned(trials, records)
        self._draw("")

    def started(self, trials: Sequence[Trial]) -> None:
        """Show the running fork."""
        versions = " and ".join(sorted(trial.version for trial in trials))
        name = shorten(visible(trials[0].identity.label), _LONGEST_NAME)
        self._draw(f"{versions} {name}")

    def finished(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Show the remaining work."""
        super().finished(trials, records)
        self._draw("")

    def _draw(self, running: str) -> None:
        self._bar.update(
            self._task,
            description=running,
            completed=self.done,
            total=self.total,
            left=f"about {duration(self.seconds_left)} left",
        )
        self._bar.refresh()


@dataclass(frozen=True, slots=True)
class Printing:
    """Progress of a run, printed to standard error.

    Parameters
    ----------
    advice : callable
        Function from the schedule of a run to suggestions of shorter runs.
    """

    advice: Callable[[RunPlan], Iterable[str]]

    def say(self, text: str) -> None:
        """Print a line."""
        say(text)

    def planned(self, plan: RunPlan) -> None:
        """Print suggestions of shorter runs."""
        for text in self.advice(plan):
            say(text)

    @contextmanager
    def forks(self) -> Iterator[Watcher]:
        """Show the forks: live on a terminal, otherwise as lines, which GitHub folds."""
        if sys.stderr.isatty():
            with LiveView(Console(stderr=True)) as view:
                yield view
            return
        grouped = os.environ.get("GITHUB_ACTIONS") == "true"
        if grouped:
            command("::group::steady run")
        try:
            yield PlainLines(say)
        finally:
            if grouped:
                command("::endgroup::")


@contextmanager
def stoppable() -> Iterator[None]:
    """Stop the run at the first Ctrl-C or SIGTERM, and ignore later ones during the cleanup."""
    stopped = False

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        nonlocal stopped
        if not stopped:
            stopped = True
            raise KeyboardInterrupt

    former = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _merge(arguments: MergeCommand) -> int:
    """Merge the shards, and report missing ones."""
    shards = [Path(word) for word in arguments.shards]
    require_shards(shards, arguments)
    plan = chosen_plan(arguments.plan)
    joined = join_shards(
        shards, arguments.out, lambda name: RUNNABLE[name].value.make(HarnessSettings()), plan
    )
    for gap in joined.gaps:
        say(gap)
    for path in joined.files:
        line(f"wrote {path}")
    return 1 if joined.gaps else 0

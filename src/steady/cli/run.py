"""``steady run``: measure base and head in turn, as the plan says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from steady.cli.printing import line, note
from steady.cli.sides import SIDES
from steady.cli.watching import Printing, stoppable
from steady.engine.request import RunRequest
from steady.engine.run_outcome import RunOutcome
from steady.engine.whole_run import run_request
from steady.engine.workload import everything
from steady.harness.only import Only
from steady.harness.trial import Held, Trial
from steady.next_steps.run_ways import before_forks, compared, plan_made, resumed, ways_of
from steady.options.run_options import RunCommand
from steady.text.numbers import duration


def run(arguments: RunCommand) -> int:
    """Measure, and say where the results are."""
    watcher = Printing(lambda prepared: before_forks(arguments, prepared))
    with stoppable():
        outcome = run_request(request_of(arguments), watcher)
        if arguments.list:
            _print_names(outcome.held)
        elif arguments.dry_run:
            _print_order(outcome.state.trials)
        else:
            _conclude(outcome, arguments)
    return outcome.exit_code


def request_of(arguments: RunCommand) -> RunRequest:
    """Return what is to be measured, from what was typed."""
    names = {one.name for one in fields(RunRequest)} - {"only"}
    typed = {name: value for name, value in vars(arguments).items() if name in names}
    return RunRequest(
        **typed,
        only=None if arguments.only is None else Only(arguments.only),
        jvm_args=arguments.jvm_arg,
        only_show="names" if arguments.list else "order" if arguments.dry_run else "",
        ways=ways_of(arguments),
    )


def _conclude(outcome: RunOutcome, arguments: RunCommand) -> None:
    """Print where the results are, and what to type next."""
    for path in outcome.state.merged.values():
        line(f"wrote {path}")
    if outcome.state.interrupted:
        note(f"stopped; this goes on: `{resumed(arguments)}`")
        return
    if arguments.shard is None and len(outcome.state.merged) == len(SIDES):
        line(f"the verdict: {compared(arguments)}")
    measured = outcome.request.timed and outcome.state.trials
    plan = plan_made(outcome) if measured else ""
    if plan:
        line(f"a plan of what was learnt, for later runs: {plan}")


def _print_names(held: Held) -> None:
    """Print the benchmarks, one a line; behind one that not every version holds, which do."""
    for identity in everything(held):
        owners = [name for name, identities in held.items() if identity in identities]
        only = "" if len(owners) == len(held) else f"  ({owners[0]} only)"
        line(identity.label + only)


def _print_order(trials: Sequence[Trial]) -> None:
    """Print the forks in the order in which they would run: round, version, seconds, name."""
    width = max((len(trial.version) for trial in trials), default=0)
    for trial in trials:
        order = f"round {trial.round + 1:<3} {trial.version:{width}} {duration(trial.seconds):>10}"
        line(f"{order}  {trial.identity.label}")

"""``steady demo``: from two jars to a verdict and a plan, on a recorded run of a JMH suite."""

import shlex
import textwrap
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from steady.cli.common import progress
from steady.compare import Change, Comparison
from steady.demo import (
    Facts,
    Recording,
    about_learnt_plan,
    learning_command,
    learnt_plan,
    recording,
)
from steady.emit import emit
from steady.optimize import Plan
from steady.optimize.plan_json import FILE_NAME as PLAN
from steady.options.other_options import DemoCommand
from steady.readers import load
from steady.report import figures
from steady.report.accepted_changes import accept_lines
from steady.report.figures import readable
from steady.report.names import ShortNames
from steady.report.plan_files import write_plan_files
from steady.report.provenance import Runs
from steady.report.report_files import COMMENT, PAGE, write_report
from steady.report.terminal import output_console, print_table
from steady.report.verdict import verdict_words
from steady.text.numbers import NO_BREAK, value

_INDENT = "   "
_WIDEST = 96
_FILES = {"comment": COMMENT, "report": PAGE, "plan": f".steady/{PLAN}"}
_OWN = "steady run --base base.jar --head head.jar --time-budget 10m --out results"


def run(arguments: DemoCommand) -> int:
    """Show what was recorded, and write what a pull request would get."""
    with recording() as recorded:
        _show(recorded, arguments.out)
    return 0


def _show(recorded: Recording, out: Path) -> None:
    facts, teller = Facts.of(recorded), _Teller()
    results = out / "results"
    teller.say("This was recorded with examples/jmh-demo. Nothing is measured now.", indent="")
    teller.step("1. Two versions, and no plan")
    teller.type(shlex.join(facts.command.words))
    teller.say(facts.full_run)
    teller.step("2. What cannot have changed is left out")
    teller.say(facts.left_out)
    teller.step("3. Base and head take turns")
    teller.say(facts.turns)
    teller.step("4. The verdict")
    teller.verdict(facts.comparison)
    teller.step("5. This run also made a plan")
    with progress("optimize") as report:
        plan = learnt_plan(recorded, report)
    teller.say(about_learnt_plan(plan))
    _write(recorded, facts, plan, out)
    teller.type(learning_command(results, out / ".steady"))
    teller.step("What a pull request gets, and the plan")
    for text, name in _FILES.items():
        teller.line(f"{text:8} {out / name}")
    teller.step("Now your own benchmarks")
    teller.type(_OWN)


def _write(recorded: Recording, facts: Facts, plan: Plan, out: Path) -> None:
    recorded.pull_request.unpack(out / "results")
    emit(plan, out / ".steady", benchmark_list=recorded.benchmark_list.read_bytes())
    write_plan_files(plan, out / ".steady")
    series = load(recorded.pull_request.series)
    runs = Runs(facts.base, facts.head, series)
    write_report(out, facts.comparison, runs=runs, accept=accept_lines(facts.comparison))


class _Teller:
    """Prints the story, no wider than it can be read."""

    def __init__(self) -> None:
        self._console: Console = output_console()

    def step(self, title: str) -> None:
        """Print a heading."""
        self._console.print(f"\n{title}", style="bold")

    def say(self, text: str, *, indent: str = _INDENT, style: str = "") -> None:
        """Print sentences."""
        width = min(self._console.width, _WIDEST)
        words = text.replace(NO_BREAK, "\0")  # at which textwrap would break a line
        for line in textwrap.wrap(words, width, initial_indent=indent, subsequent_indent=indent):
            self._console.print(line.replace("\0", NO_BREAK), style=style)

    def type(self, command: str) -> None:
        """Print a command, on one line so that it can be copied."""
        self.line(f"$ {command}")

    def line(self, text: str) -> None:
        """Print a line as it is."""
        self._console.print(f"{_INDENT}{text}", soft_wrap=True)

    def verdict(self, comparison: Comparison) -> None:
        """Print what changed, the worst first, and what has another name."""
        names = ShortNames.of(comparison.ledger.identities)
        style = "bold red" if comparison.regressions else "bold"
        words = verdict_words(comparison)
        self.say(f"{words.first}.", style=style)
        self.say(words.other_sentence)
        changed = (*comparison.regressions, *comparison.improvements)
        rows = [(*_figures(readable(change)), names.label(change.identity)) for change in changed]
        columns = ("change", "interval", "base", "head", "benchmark")
        print_table(columns, rows, numbers=4, console=self._console)
        for old, new in comparison.ledger.renamed:
            self.say(f"{names.label(old)} is now called {names.label(new)}, it seems.")


def _figures(change: Change) -> Sequence[str]:
    sides = (f"{value(side.center)} {change.unit}" for side in (change.base, change.head))
    return figures.change_in_words(change), figures.change_interval(change), *sides

"""``steady demo``: plan and compare a suite with recorded runs."""

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
from steady.demo.library import HeldOut
from steady.demo.shorter_suite import ShorterSuite
from steady.emit import emit
from steady.optimize import Plan
from steady.optimize.plan_json import FILE_NAME as PLAN
from steady.options.other_options import DemoCommand
from steady.readers import load
from steady.report import figures
from steady.report.comment import accept_lines
from steady.report.content import ReportData
from steady.report.document import Document
from steady.report.figures import readable
from steady.report.names import ShortNames
from steady.report.output_formats import COMMENT, PAGE, write_report
from steady.report.plan_files import TABLE, write_plan_files
from steady.report.plan_page import write_plan_page
from steady.report.provenance import Runs
from steady.report.sentences import control_sentence
from steady.report.terminal import output_console, print_table
from steady.text.numbers import NO_BREAK, value

_INDENT = "   "
_WIDEST = 96
_PLAN_FILES = (PAGE, TABLE, PLAN)
_FILES = (COMMENT, PAGE, f".steady/{PLAN}")
_OWN = (
    "steady run --jar benchmarks.jar --full 5x300 --iteration-seconds 0.1 --out full",
    "steady run --base base.jar --head head.jar --time-budget 10m --out results",
)


def run(arguments: DemoCommand) -> int:
    """Show the recorded runs, and write the plans and the comment for a pull request."""
    with recording() as recorded:
        printer = _Printer()
        printer.say("Both parts show recorded runs. Nothing is measured now.", indent="")
        _shorten(recorded, arguments.out, printer)
        _guard(recorded, arguments.out, printer)
    printer.step("Run your own benchmarks")
    for command in _OWN:
        printer.type(command)
    return 0


def _shorten(recorded: Recording, out: Path, printer: "_Printer") -> None:
    """Show the first half: from a full run to a plan, and the error of its results."""
    library = recorded.library
    with progress("optimize") as report:
        shorter = ShorterSuite(library.about, HeldOut.of(library.halves, progress=report))
    printer.step("1. Shorten the suite")
    printer.say(shorter.origin)
    full = library.unpack(out / "full")
    printer.type(f"steady optimize {full[0]} --out {out / 'plan'}")
    printer.table(shorter.columns, shorter.rows)
    printer.say(shorter.total, style="bold")
    printer.say(shorter.how_judged)
    _write_plan(shorter.plan, out / "plan")
    write_plan_page(out / "plan", shorter.plan, library.halves[0])
    printer.line(f"Files: {', '.join(str(out / 'plan' / name) for name in _PLAN_FILES)}")


def _guard(recorded: Recording, out: Path, printer: "_Printer") -> None:
    """Show the second half: from two versions to a verdict, and to a plan for the next ones."""
    facts = Facts.of(recorded)
    with progress("optimize") as report:
        plan = learnt_plan(recorded, report)
    printer.step(
        "2. Guard the suite: base and head of examples/jmh-demo on a busy machine, without a plan"
    )
    printer.type(shlex.join(facts.command.words))
    data = ReportData(
        comparison=facts.comparison,
        runs=Runs(facts.base, facts.head, load(recorded.pull_request.series)),
        accept=accept_lines(facts.comparison),
    )
    printer.say(f"{facts.turns} {control_sentence(data.document.summary)}")
    printer.verdict(facts.comparison, data.document)
    printer.say(about_learnt_plan(plan))
    _write(recorded, data, plan, out)
    printer.type(learning_command(out / "results", out / ".steady"))
    printer.line(f"Files: {', '.join(str(out / name) for name in _FILES)}")


def _write(recorded: Recording, data: ReportData, plan: Plan, out: Path) -> None:
    recorded.pull_request.unpack(out / "results")
    _write_plan(plan, out / ".steady", recorded.benchmark_list.read_bytes())
    write_report(out, data)


def _write_plan(plan: Plan, folder: Path, benchmark_list: bytes | None = None) -> None:
    emit(plan, folder, benchmark_list=benchmark_list)
    write_plan_files(plan, folder)


class _Printer:
    """Printer of the demo's text, with a limited width."""

    def __init__(self) -> None:
        self._console: Console = output_console()

    def step(self, title: str) -> None:
        """Print a heading."""
        self._console.print(f"\n{title}", style="bold")

    def say(self, text: str, *, indent: str = _INDENT, style: str = "") -> None:
        """Print sentences."""
        width = min(self._console.width, _WIDEST)
        words = text.replace(NO_BREAK, "\0")  # textwrap would break a line there
        for line in textwrap.wrap(words, width, initial_indent=indent, subsequent_indent=indent):
            self._console.print(line.replace("\0", NO_BREAK), style=style)

    def type(self, command: str) -> None:
        """Print a command on one line, so that it can be copied."""
        self.line(f"$ {command}")

    def line(self, text: str) -> None:
        """Print a line unchanged."""
        self._console.print(f"{_INDENT}{text}", soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print rows of numbers, with their label in the last column."""
        print_table(columns, rows, numbers=len(columns) - 1, console=self._console)

    def verdict(self, comparison: Comparison, document: Document) -> None:
        """Print the changes, worst first, and the renamed benchmarks."""
        names = ShortNames.of(comparison.ledger.identities)
        style = "bold red" if comparison.regressions else "bold"
        self.say(f"{document.line}.", style=style)
        self.say(document.others)
        changed = (*comparison.regressions, *comparison.improvements)
        rows = [(*_figures(readable(change)), names.label(change.identity)) for change in changed]
        self.table(("change", "interval", "base", "head", "benchmark"), rows)
        for old, new in comparison.ledger.renamed:
            self.say(f"{names.label(old)} was probably renamed to {names.label(new)}.")


def _figures(change: Change) -> Sequence[str]:
    sides = (f"{value(side.center)} {change.unit}" for side in (change.base, change.head))
    return figures.change_percent(change), figures.change_interval(change), *sides

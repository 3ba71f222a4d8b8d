"""``steady plot``: one benchmark as a picture: how its forks warm up, or what changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from steady.cli.common import chosen_plan, load
from steady.cli.compare import gather
from steady.cli.printing import line
from steady.cli.sides import of_run
from steady.errors import InputError
from steady.files import write_bytes
from steady.judging import judge
from steady.model import Identity
from steady.model.by_name import find_identity
from steady.next_steps.first_run import plan_is_there, results_are_there
from steady.options.command import taken
from steady.options.compare_options import CompareCommand, PlotCommand
from steady.report.benchmark_plot import Plot, plot_change, plot_run
from steady.report.names import slug
from steady.report.picture_file import png_writer

_LONGEST = 80  # characters of the name of a file


def run(arguments: PlotCommand) -> int:
    """Draw the benchmark, and write the picture."""
    out: Path | None = arguments.out
    kind = ".svg" if out is None else out.suffix.lower()
    if kind not in (".svg", ".png"):
        raise InputError("a picture is a .svg or a .png; give one of these names", source=out)
    png = png_writer() if kind == ".png" else None
    arguments = _in_order(arguments)
    words = arguments.results
    plot = _run(arguments) if len(words) == 1 and of_run(words[0]) is None else _change(arguments)
    out = out or Path(f"{_file_name(plot.identity)}.svg")
    data = plot.svg().encode() if png is None else png(plot.svg(dark=False))
    line(f"wrote {write_bytes(out, data)}")
    return 0


def _in_order(arguments: PlotCommand) -> PlotCommand:
    """Return the command with the name first, where it was given behind the results."""
    *results, last = arguments.results
    if not Path(arguments.name).exists() or Path(last).exists():
        return arguments
    return replace(arguments, name=last, results=(arguments.name, *results))


def _run(arguments: PlotCommand) -> Plot:
    results_are_there(arguments)
    if arguments.plan is not None:
        plan_is_there(arguments.plan, arguments)
    suite, plan = load(arguments.results, arguments.format), chosen_plan(arguments.plan)
    identity = _find(suite, arguments.name)
    return plot_run(
        suite, identity, plan, detector=arguments.detector, similarity=arguments.similarity
    )


def _change(arguments: PlotCommand) -> Plot:
    evidence = gather(taken(CompareCommand, arguments, pair=arguments.results, out=None))
    comparison = judge(evidence)
    known = dict.fromkeys(comparison.ledger.identities)
    identity = _find(known, arguments.name)
    return plot_change(comparison, identity, evidence.base, evidence.head)


def _find(known: Mapping[Identity, object], name: str) -> Identity:
    try:
        return find_identity(known, name)
    except KeyError as error:
        raise InputError(str(error.args[0])) from None


def _file_name(identity: Identity) -> str:
    """Return class, method and what else tells a benchmark apart, as the name of a file."""
    rest = identity.label.removeprefix(identity.name)
    return slug(f"{identity.parts.short} {rest}")[:_LONGEST].strip("-") or "benchmark"

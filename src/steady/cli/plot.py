"""``steady plot``: one benchmark as a picture: how its forks warm up, or what changed."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from steady.cli.common import add_detection, add_format, add_plan, chosen_plan, load
from steady.cli.compare import add_rule, gather
from steady.cli.earlier import add_earlier
from steady.cli.first_run import plan_is_there, results_are_there
from steady.cli.settings import add_settings
from steady.cli.sides import of_run
from steady.errors import InputError
from steady.files import write_bytes
from steady.judging import judge
from steady.model import Identity
from steady.model.by_identity import find_identity
from steady.report.benchmark_plot import Plot, plot_change, plot_run
from steady.report.names import slug
from steady.report.picture_file import png_writer

_LONGEST = 80  # characters of the name of a file


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "name", metavar="NAME",
        help="the benchmark, as the settings find it: parse or 'Codec*' for "
        "org.example.CodecBenchmark.parse",
    )  # fmt: skip
    parser.add_argument(
        "results", nargs="+", metavar="RESULT",
        help="one full run, to see its forks warm up; or two results, the older one first, or the "
        "folder of a `steady run` of both versions, to see what changed",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, metavar="FILE",
        help="where it goes (default: the benchmark's name with .svg); a name that ends in .png "
        "makes a PNG, which needs steady-action[png]",
    )  # fmt: skip
    add_format(parser)
    add_plan(
        parser,
        "the plan that was made from the full run, to see its window, and how stable smaller runs "
        "would be (default: one for this benchmark alone); or the plan that both versions followed",
    )
    add_detection(parser)
    add_rule(parser)
    add_settings(parser, "thresholds and what is accepted")
    add_earlier(
        parser,
        results="they tell the verdict what they tell that of `steady compare`",
        history="tell the same",
    )
    parser.set_defaults(run=run, only=None, environment="say", metrics=())


def run(arguments: argparse.Namespace) -> int:
    """Draw the benchmark, and write the picture."""
    out: Path | None = arguments.out
    kind = ".svg" if out is None else out.suffix.lower()
    if kind not in (".svg", ".png"):
        raise InputError("a picture is a .svg or a .png; give one of these names", source=out)
    png = png_writer() if kind == ".png" else None
    words: list[str] = arguments.results
    plot = _run(arguments) if len(words) == 1 and of_run(words[0]) is None else _change(arguments)
    out = out or Path(f"{_file_name(plot.identity)}.svg")
    data = plot.svg().encode() if png is None else png(plot.svg(dark=False))
    print(f"wrote {write_bytes(out, data)}")
    return 0


def _run(arguments: argparse.Namespace) -> Plot:
    results_are_there(arguments.results, arguments)
    if arguments.plan is not None:
        plan_is_there(arguments.plan, arguments)
    suite, plan = load(arguments.results, arguments.format), chosen_plan(arguments)
    identity = _find(suite, arguments.name)
    return plot_run(
        suite, identity, plan, detector=arguments.detector, similarity=arguments.similarity
    )


def _change(arguments: argparse.Namespace) -> Plot:
    arguments.pair, arguments.base, arguments.head = arguments.results, None, None
    evidence = gather(arguments)
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

"""``steady optimize``: from a full run to the least that is still stable."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from steady.cli.common import (
    add_detection,
    add_format,
    add_jobs,
    add_share,
    given,
    load,
    mapper,
    progress,
    require,
    time_span,
)
from steady.cli.earlier import add_earlier, earlier_runs
from steady.cli.first_run import results_are_there
from steady.cli.narrowing import only_of_run
from steady.cli.printing import note
from steady.cli.remedies import ways_on, ways_to_fit, ways_to_look_at_all
from steady.cli.settings import add_settings
from steady.emit import emit, rewrite_annotations
from steady.errors import InputError
from steady.files import write_text
from steady.harness import harness_named
from steady.model import Suite
from steady.optimize import (
    DEFAULT_STRATEGY,
    MIN_FORKS,
    STARTUP_SECONDS,
    STRATEGIES,
    Detect,
    OverTimeError,
    Plan,
    optimize,
    plan_at,
    update_plan,
    write_plan,
)
from steady.percent import LEVEL, POSITIVE, SHARE
from steady.report.plan_view import annotation_lines, print_plan
from steady.samecode.lookup import carry_on
from steady.settings import chosen_settings
from steady.stats import METRICS
from steady.text.escape import visible


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "results", nargs="+", metavar="RESULT", help="results of a full run: files or patterns"
    )
    add_format(parser)
    parser.add_argument(
        "--out", type=Path, default=Path(".steady"), metavar="FOLDER",
        help="where the plan and the harness's configuration go (default: %(default)s)",
    )  # fmt: skip
    add_strategy(parser)
    add_detection(parser)
    add_jobs(parser)
    parser.add_argument(
        "--jar", type=Path, metavar="JAR",
        help="the benchmarks' jar: with it, one run of JMH follows the plan for most benchmarks, "
        "and the plan is compared with their annotations",
    )  # fmt: skip
    parser.add_argument(
        "--annotations", type=Path, metavar="SOURCES",
        help="folder of the benchmarks' Java sources: the plan as a diff of their annotations",
    )  # fmt: skip
    parser.add_argument(
        "--apply", action="store_true", help="with --annotations: change the sources themselves"
    )
    parser.add_argument(
        "--reach", action="append", default=[], metavar="NAME",
        help="with --annotations: annotate this benchmark, although that also changes something "
        "outside the plan; may be repeated",
    )  # fmt: skip
    add_settings(
        parser,
        "with --time-budget: settings that name the important benchmarks, at which every "
        "pull request looks",
    )
    use = "show what another run adds to the expected error"
    add_earlier(parser, results=f"they {use}", history=use)
    parser.add_argument(
        "--update", action="store_true",
        help="keep the entries of the plan in --out for benchmarks that are not in RESULT",
    )  # fmt: skip
    parser.set_defaults(run=run)


def add_strategy(parser: argparse.ArgumentParser) -> None:
    """Add the options of planning."""
    parser.add_argument(
        "--strategy", choices=list(STRATEGIES), metavar="NAME",
        help=f"how the plan is chosen (default: {DEFAULT_STRATEGY}, or detect with --detect; "
        "`steady "
        "methods` lists them)",
    )  # fmt: skip
    add_share(
        parser, "--detect", POSITIVE,
        help="plan for the verdict: the cheapest run of base and head, in turn, that finds a "
        "change of this size, such as 5%%",
    )  # fmt: skip
    add_share(
        parser, "--power", POSITIVE,
        help="with --detect: probability that the change is found (default: 80%%)",
    )  # fmt: skip
    add_share(
        parser, "--confidence", LEVEL,
        help="with --detect: confidence level of each verdict (default: what `steady compare` asks "
        "for, by the number of benchmarks)",
    )  # fmt: skip
    add_share(
        parser, "--min-change", SHARE,
        help="with --detect: smallest change that the verdict reports (default: 3%%)",
    )  # fmt: skip
    parser.add_argument(
        "--metric", choices=list(METRICS), metavar="NAME",
        help="stability metric of strategy uoptime (default: rciw3)",
    )  # fmt: skip
    add_share(
        parser, "--threshold", POSITIVE,
        help="largest value of the metric that is still stable (default: 1%%)",
    )  # fmt: skip
    add_share(
        parser, "--budget", POSITIVE,
        help="with strategy error-budget: largest predicted error of the median benchmark "
        "(default: 3%%)",
    )  # fmt: skip
    parser.add_argument(
        "--time-budget", type=time_span, metavar="TIME",
        help="time that a pull request may take, such as 600, 10m or 1.5h: base and head, all "
        "starts and further rounds. Then the errors are as small as that allows (strategy "
        "error-budget); with --detect, as many benchmarks as possible find the change. If the "
        "suite takes longer than that, each pull request looks at a part of it, in rotation",
    )  # fmt: skip
    parser.add_argument(
        "--min-forks", type=int, metavar="N",
        help=f"fewest forks of a reduced configuration (default: {MIN_FORKS}; with --detect "
        f"{Detect.min_forks})",
    )  # fmt: skip
    parser.add_argument(
        "--startup-seconds", type=float, default=STARTUP_SECONDS, metavar="S",
        help="how long the start of a fork takes (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--unsteady", choices=("keep", "reduce"), default="keep",
        help="what a benchmark without a steady state does: keep its full run, or reduce it "
        "anyway (default: %(default)s)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Make the plan, write it with the harness's configuration, and show it."""
    require(
        arguments.annotations is not None or not arguments.apply,
        "--apply changes the sources that --annotations names; give both",
    )
    require(
        arguments.annotations is not None or not arguments.reach,
        "--reach is for the sources that --annotations names; give both",
    )
    results_are_there(arguments.results, arguments)
    suite = load(arguments.results, arguments.format)
    declaring = harness_named(suite.harness).declaring
    if arguments.jar is not None and declaring is not None:
        suite = declaring.add(suite, arguments.jar)
    earlier = plan_at(arguments.out) if arguments.update else None
    plan = replace(make_plan(suite, arguments), only="|".join(o.text for o in only_of_run(suite)))
    if earlier is not None:
        plan = update_plan(earlier, plan)
    emitted = emit(plan, arguments.out, jar=arguments.jar)
    written = [write_plan(plan, arguments.out / "plan.json"), *emitted.files]
    written += carry_on((Path(source).parent for source in suite.sources), arguments.out)
    for text in emitted.notes:
        note(text)
    if arguments.annotations is not None:
        written += _annotations(plan, arguments)
    print_plan(plan)
    for path in written:
        print(f"wrote {path}")
    for line in (*ways_on(suite, plan, arguments), *ways_to_look_at_all(plan, arguments)):
        print(visible(line))
    return 0


def make_plan(suite: Suite, arguments: argparse.Namespace) -> Plan:
    """Plan as the arguments say; options that were not given are left to the strategy."""
    options = given(arguments, *_STRATEGY_OPTIONS)
    settings = chosen_settings(arguments.settings)
    with mapper(arguments) as shared, progress("optimize") as report:
        try:
            return optimize(
                suite,
                _strategy(arguments),
                detector=arguments.detector,
                similarity=arguments.similarity,
                min_forks=arguments.min_forks,
                startup_seconds=arguments.startup_seconds,
                unsteady=arguments.unsteady,
                earlier=earlier_runs(arguments, suite),
                important=None if settings is None else settings.is_important,
                jobs=shared,
                progress=report,
                **options,
            )
        except OverTimeError as error:
            raise InputError(f"{error.complaint}; {ways_to_fit(error, arguments)}") from None


_STRATEGY_OPTIONS = (
    "metric", "threshold", "budget", "time_budget", "detect", "power", "confidence", "min_change"
)  # fmt: skip


def _strategy(arguments: argparse.Namespace) -> str:
    """Return the strategy's name: what was asked for, or what the options are for."""
    if arguments.strategy is not None:
        return str(arguments.strategy)
    return DEFAULT_STRATEGY if arguments.detect is None else "detect"


def _annotations(plan: Plan, arguments: argparse.Namespace) -> list[Path]:
    """Write the plan as a diff of the sources' annotations, or change the sources."""
    rewriting = rewrite_annotations(
        plan, arguments.annotations, apply=arguments.apply, reach=arguments.reach
    )
    kept = [
        (one.name, f"{one.reason}; --reach {one.name} changes them" if one.askable else one.reason)
        for one in rewriting.kept
    ]
    changed = (len(rewriting.reduced), len(rewriting.names), len(rewriting.changes))
    for line in annotation_lines((*rewriting.not_found, *kept), *changed):
        note(line)
    if arguments.apply:
        return [change.path for change in rewriting.changes]
    return [write_text(arguments.out / "annotations.diff", rewriting.diff())]

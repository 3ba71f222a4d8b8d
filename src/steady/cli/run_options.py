"""The options of ``steady run``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import get_args

from steady.cli.common import add_share, argument, given, require, time_span
from steady.cli.compare import add_rule
from steady.cli.narrowing import add_only
from steady.cli.rotation import add_rotation
from steady.cli.settings import add_settings
from steady.percent import POSITIVE
from steady.run import HARNESSES, StopRule, Turns
from steady.run.joining import PART
from steady.run.pinning import parse_processors
from steady.run.search import LISTING_SECONDS
from steady.run.unplanned import RULE
from steady.run.workload import parse_counts
from steady.settings.settings import SameCodeOption
from steady.stats import METRICS
from steady.steadystate import ONLINE

SKIP = (0, 0)
"""What ``--new skip`` stands for."""

_SEED = re.compile(r"\d{1,18}", re.ASCII)

EXIT_CODES = """\
exit codes:
  0    every fork left a result
  1    some did not; the others are there
  2    a mistake in the command, or the results cannot be written
  130  stopped by Ctrl-C or SIGTERM; what was measured is there, and --resume goes on
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add all options of the command."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--plan", type=Path, metavar="PLAN", help="what to run: .steady, or a plan.json"
    )
    what.add_argument(
        "--full", type=argument(parse_counts), metavar="FxI",
        help="run everything for `steady optimize`: forks x iterations, warm-up measured (5x60)",
    )  # fmt: skip
    _add_versions(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="where the results go; needed to run"
    )
    show = parser.add_mutually_exclusive_group()
    show.add_argument(
        "--list", action="store_true", help="print the names of the benchmarks, and run nothing"
    )
    show.add_argument(
        "--dry-run", action="store_true",
        help="print what would run, in its order and with its seconds, and run nothing",
    )  # fmt: skip
    parser.add_argument(
        "--resume", action="store_true", help="go on with the run that --out holds, if any"
    )
    add_only(
        parser,
        "leave out benchmarks in whose name this is not found; Go: as go test -bench, too "
        "(default: what the plan was made with)",
    )
    parser.add_argument(
        "--list-timeout", type=_seconds, default=LISTING_SECONDS, metavar="S",
        help="Go: pass over a benchmark that does not run once in so many seconds, which shows "
        "what sub-benchmarks it has (default: 30)",
    )  # fmt: skip
    parser.add_argument(
        "--new", type=argument(_new), metavar="FxI",
        help="with --plan: forks x iterations of 1 s, after as much warm-up, of benchmarks that "
        "the plan does not know; or skip (default: 5x5)",
    )  # fmt: skip
    parser.add_argument(
        "--shard", type=_shard, metavar="K/N",
        help="run only part K of N, of nearly equal time; `steady plan --shards N` shows those of "
        "a plan, and `steady merge` joins their results",
    )  # fmt: skip
    add_rotation(parser)
    parser.add_argument(
        "--iteration-seconds", type=_seconds, metavar="S",
        help="with --full: the most that an iteration lasts; a benchmark that declares less keeps "
        "it (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--fork-timeout", type=_seconds, metavar="S",
        help="stop a fork after so many seconds (default: ten times what it should take, and 60)",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=_seed, default=0, metavar="N", help="of the order (default: %(default)s)"
    )
    parser.add_argument(
        "--turns", choices=get_args(Turns),
        help="iterations: two forks, one of base and one of head, are alive at a time and take "
        "turns; forks: one runs after the other (default: iterations)",
    )  # fmt: skip
    parser.add_argument(
        "--time-budget", type=time_span, metavar="TIME",
        help="how long the whole run may take, such as 600, 10m or 1.5h; it ends earlier where all "
        "is clear (default: what the plan takes for both versions, and no longer than the time "
        "budget that it was made for). It is all that a run without --plan and --full needs: the "
        "warm-up is judged live then",
    )  # fmt: skip
    parser.add_argument(
        "--same-code", choices=get_args(SameCodeOption),
        help="JMH: skip benchmarks that run the same code in base and head, but for a tenth as a "
        "control, or run them all (default: what the settings say, or skip)",
    )  # fmt: skip
    parser.add_argument(
        "--all-rounds", action="store_true",
        help="measure all planned rounds of every benchmark, and decide nothing before the end",
    )  # fmt: skip
    parser.add_argument(
        "--pin", type=argument(parse_processors), metavar="LIST",
        help="Linux: keep the run and all that it starts on these processors, such as 1 or 0,2-3; "
        "none: nothing is kept anywhere (default: two forks of JMH in turn share a processor)",
    )  # fmt: skip
    parser.add_argument("--second-look", type=_second_look, help=argparse.SUPPRESS)
    _add_stop(parser)
    add_rule(parser)
    add_settings(parser)


def chosen_turns(arguments: argparse.Namespace) -> Turns:
    """Return by what base and head take turns."""
    chosen: Turns | None = arguments.turns
    require(chosen is None or arguments.jar is None, "--turns goes with --base and --head")
    return "forks" if arguments.jar is not None else chosen or "iterations"


def chosen_stop(arguments: argparse.Namespace, harness: str) -> StopRule | None:
    """Return the rule that ends forks early, if any; JMH without a plan always has one."""
    options = given(arguments, "metric", "threshold", "minimum", prefix="stop_")
    timed = without_plan(arguments)
    if arguments.stop is None:
        require(not options, f"--stop-{next(iter(options), '')} goes with --stop")
        return RULE if timed and harness == "jmh" else None
    return StopRule(arguments.stop, **options, timed=timed)


def without_plan(arguments: argparse.Namespace) -> bool:
    """Tell whether the time budget alone says how much is to be run."""
    return (arguments.plan, arguments.full, arguments.list) == (None, None, False)


def _add_stop(parser: argparse.ArgumentParser) -> None:
    """Add how forks are ended early."""
    parser.add_argument(
        "--stop", choices=list(ONLINE), metavar="METHOD",
        help="JMH: end a fork's warm-up when this method says so, and its measurement when it is "
        "stable; the plan's or --full's iterations are the most, and two forks that take turns end "
        "together (`steady methods` lists methods)",
    )  # fmt: skip
    parser.add_argument(
        "--stop-metric", choices=list(METRICS), metavar="METRIC",
        help="with --stop: what tells that it is stable (default: rciw3)",
    )  # fmt: skip
    add_share(
        parser, "--stop-threshold", POSITIVE,
        help="with --stop: the metric must be at or under it (default: 1%%)",
    )  # fmt: skip
    parser.add_argument(
        "--stop-minimum", type=int, metavar="N",
        help="with --stop: iterations that are measured in any case (default: 5)",
    )  # fmt: skip


def _add_versions(parser: argparse.ArgumentParser) -> None:
    """Add what is run, and by what."""
    for side in ("base", "head"):
        parser.add_argument(
            f"--{side}", type=Path, metavar="JAR", help=f"benchmarks of {side}, built"
        )
    parser.add_argument("--jar", type=Path, metavar="JAR", help="benchmarks of a single version")
    parser.add_argument(
        "--harness", choices=list(HARNESSES), metavar="NAME",
        help="what runs them (default: what the plan says, or what the file is)",
    )  # fmt: skip
    add_java(parser)


def add_java(parser: argparse.ArgumentParser) -> None:
    """Add which Java runs JMH's forks, and with which arguments."""
    parser.add_argument(
        "--java", default="java", metavar="PROGRAM", help="the java of JMH (default: %(default)s)"
    )
    parser.add_argument(
        "--jvm-arg", action="append", default=[], metavar="ARGUMENT",
        help="further argument of every forked JVM, as --jvm-arg=-Xmx1g; may be repeated",
    )  # fmt: skip


def _shard(text: str) -> tuple[int, int]:
    match = PART.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a part of a whole; write 1/3, 2/3 or 3/3"
        )
    return int(match[1]), int(match[2])


def _second_look(text: str) -> None:  # noqa: ARG001
    raise argparse.ArgumentTypeError(
        "the second look is gone, since a run now decides after every batch of rounds; "
        "--time-budget says how long it may take, and --all-rounds measures what is planned and "
        "no more"
    )


def _new(text: str) -> tuple[int, int]:
    return SKIP if text == "skip" else parse_counts(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds; write 0.1 or 30")
    return value


def _seed(text: str) -> int:
    if _SEED.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a seed; write a whole number, such as 7")
    return int(text)

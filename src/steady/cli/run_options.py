"""The options of ``steady run``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import get_args

from steady.cli.common import add_share, argument, time_span
from steady.cli.compare import add_rule
from steady.cli.narrowing import add_only
from steady.cli.rotation import add_rotation
from steady.cli.settings import add_settings
from steady.engine import Turns
from steady.engine.pinning import parse_processors
from steady.engine.request import parse_new
from steady.engine.shards import parse_shard
from steady.engine.workload import parse_counts
from steady.harness import RUNNABLE
from steady.harness.search import LISTING_SECONDS
from steady.percent import POSITIVE
from steady.settings.repo_settings import SameCodeOption
from steady.stats import METRICS
from steady.steadystate import ONLINE

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
        help="run everything for `steady optimize`: forks x iterations, such as 5x60; the warm-up "
        "is measured too",
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
        "--resume", action="store_true", help="continue the run that --out holds, if any"
    )
    add_only(
        parser,
        "run only benchmarks whose name matches; for Go, also those that go test -bench would run "
        "(default: what the plan was made with)",
    )
    parser.add_argument(
        "--list-timeout", type=_seconds, default=LISTING_SECONDS, metavar="S",
        help="Go: skip a benchmark if its first run, which lists its sub-benchmarks, takes longer "
        "than so many seconds (default: 30)",
    )  # fmt: skip
    parser.add_argument(
        "--new", type=argument(parse_new), metavar="FxI",
        help="with --plan: how benchmarks run that are not in the plan, as forks x iterations of "
        "1 s, after a warm-up of the same length; or skip (default: 5x5)",
    )  # fmt: skip
    parser.add_argument(
        "--shard", type=argument(parse_shard), metavar="K/N",
        help="run only part K of N, of nearly equal time; `steady plan --shards N` shows those of "
        "a plan, and `steady merge` joins their results",
    )  # fmt: skip
    add_rotation(parser)
    parser.add_argument(
        "--iteration-seconds", type=_seconds, metavar="S",
        help="with --full: longest time of an iteration; a benchmark that declares less keeps "
        "that (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--fork-timeout", type=_seconds, metavar="S",
        help="stop a fork after so many seconds (default: ten times the expected time, plus 60)",
    )  # fmt: skip
    parser.add_argument(
        "--seed",
        type=_seed,
        default=0,
        metavar="N",
        help="seed of the random order (default: %(default)s)",
    )
    parser.add_argument(
        "--turns", choices=get_args(Turns),
        help="iterations: a fork of base and a fork of head run at the same time and take turns; "
        "forks: one runs after the other (default: iterations)",
    )  # fmt: skip
    parser.add_argument(
        "--time-budget", type=time_span, metavar="TIME",
        help="how long the whole run may take, such as 600, 10m or 1.5h; it ends earlier when "
        "every verdict is clear (default: what the plan takes for both versions, but at most the "
        "time budget that it was made for). A run without --plan and --full needs only this: it "
        "finds the end of the warm-up while it runs",
    )  # fmt: skip
    parser.add_argument(
        "--same-code", choices=get_args(SameCodeOption),
        help="JMH: skip benchmarks that run the same code in base and head, except for a tenth of "
        "them as a control, or run them all (default: what the settings say, or skip)",
    )  # fmt: skip
    parser.add_argument(
        "--all-rounds", action="store_true",
        help="measure all planned rounds of every benchmark, even if its verdict is clear earlier",
    )  # fmt: skip
    parser.add_argument(
        "--pin", type=argument(parse_processors), metavar="LIST",
        help="Linux: keep the run and all that it starts on these processors, such as 1 or 0,2-3; "
        "none: use every processor (default: two forks of JMH that take turns share a processor)",
    )  # fmt: skip
    parser.add_argument("--second-look", type=_second_look, help=argparse.SUPPRESS)
    _add_stop(parser)
    add_rule(parser)
    add_settings(parser)


def _add_stop(parser: argparse.ArgumentParser) -> None:
    """Add how forks are ended early."""
    parser.add_argument(
        "--stop", choices=list(ONLINE), metavar="METHOD",
        help="JMH: end the warm-up of a fork when this method says so, and the measurement when "
        "it is stable; a fork never runs more iterations than --plan or --full says, and two "
        "forks that take turns end together (`steady methods` lists methods)",
    )  # fmt: skip
    parser.add_argument(
        "--stop-metric", choices=list(METRICS), metavar="METRIC",
        help="with --stop: metric that shows whether the measurement is stable (default: rciw3)",
    )  # fmt: skip
    add_share(
        parser, "--stop-threshold", POSITIVE,
        help="with --stop: largest value of the metric that is stable (default: 1%%)",
    )  # fmt: skip
    parser.add_argument(
        "--stop-minimum", type=int, metavar="N",
        help="with --stop: fewest iterations to measure (default: 5)",
    )  # fmt: skip


def _add_versions(parser: argparse.ArgumentParser) -> None:
    """Add what is run, and by what."""
    for side in ("base", "head"):
        parser.add_argument(
            f"--{side}", type=Path, metavar="JAR", help=f"benchmarks of {side}, built"
        )
    parser.add_argument("--jar", type=Path, metavar="JAR", help="benchmarks of a single version")
    parser.add_argument(
        "--harness", choices=list(RUNNABLE), metavar="NAME",
        help="harness that runs them (default: what the plan says, or what fits the file)",
    )  # fmt: skip
    add_java(parser)


def add_java(parser: argparse.ArgumentParser) -> None:
    """Add which Java runs JMH's forks, and with which arguments."""
    parser.add_argument(
        "--java", default="java", metavar="PROGRAM", help="the java of JMH (default: %(default)s)"
    )
    parser.add_argument(
        "--jvm-arg", action="append", default=[], metavar="ARGUMENT",
        help="another argument for every forked JVM, as --jvm-arg=-Xmx1g; may be repeated",
    )  # fmt: skip


def _second_look(text: str) -> None:  # noqa: ARG001
    raise argparse.ArgumentTypeError(
        "the second look no longer exists, because a run now decides after every batch of rounds; "
        "--time-budget says how long it may take, and --all-rounds measures what is planned and "
        "no more"
    )


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

"""The options of ``steady run``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from steady.cli.common import fraction
from steady.cli.compare import add_rule
from steady.run import HARNESSES
from steady.run.workload import parse_counts

SKIP = (0, 0)
"""What ``--new skip`` stands for."""

EXIT_CODES = """\
exit codes:
  0    every fork left a result
  1    some did not; the others are there
  2    a mistake in the command, or the results cannot be written
  130  stopped by Ctrl-C or SIGTERM; what was measured is there, and --resume goes on
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add everything that the command can be told."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--plan", type=Path, metavar="PLAN", help="what to run: .steady, or a plan.json"
    )
    what.add_argument(
        "--full", type=_counts, metavar="FxI",
        help="run everything for `steady optimize`: forks x iterations, warm-up measured (5x60)",
    )  # fmt: skip
    _add_versions(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="where the results go"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the run that --out holds, if any"
    )
    parser.add_argument(
        "--only", type=_pattern, metavar="REGEX",
        help="leave out benchmarks in whose name this is not found",
    )  # fmt: skip
    parser.add_argument(
        "--new", type=_new, metavar="FxI",
        help="with --plan: forks x iterations of 1 s, after as much warm-up, of benchmarks that "
        "the plan does not know; or skip (default: 5x5)",
    )  # fmt: skip
    parser.add_argument(
        "--iteration-seconds", type=_seconds, metavar="S",
        help="with --full: how long an iteration lasts (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--fork-timeout", type=_seconds, metavar="S",
        help="stop a fork after so many seconds (default: ten times what it should take, and 60)",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of the order (default: %(default)s)"
    )
    parser.add_argument(
        "--second-look", type=fraction, default=0.5, metavar="FRACTION",
        help="measure again what seems changed, in at most this part of the time that the planned "
        "forks took; 0 for never (default: 50%%)",
    )  # fmt: skip
    add_rule(parser)


def _add_versions(parser: argparse.ArgumentParser) -> None:
    """Add what is run, and by what."""
    for side in ("base", "head"):
        parser.add_argument(
            f"--{side}", type=Path, metavar="JAR", help=f"benchmarks of {side}, built"
        )
    parser.add_argument("--jar", type=Path, metavar="JAR", help="benchmarks of a single version")
    parser.add_argument(
        "--harness", choices=list(HARNESSES), metavar="NAME",
        help="what runs them (default: told by the plan, or by the file)",
    )  # fmt: skip
    parser.add_argument(
        "--java", default="java", metavar="PROGRAM", help="the java of JMH (default: %(default)s)"
    )
    parser.add_argument(
        "--jvm-arg", action="append", default=[], metavar="ARGUMENT",
        help="further argument of every forked JVM, as --jvm-arg=-Xmx1g; may be repeated",
    )  # fmt: skip


def _counts(text: str) -> tuple[int, int]:
    try:
        return parse_counts(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _new(text: str) -> tuple[int, int]:
    return SKIP if text == "skip" else _counts(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds; write 0.1 or 30")
    return value


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None

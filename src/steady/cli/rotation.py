"""``--rotation``: which part of a suite a run looks at that has no time for all of it."""

from __future__ import annotations

import argparse
import re

from steady.engine.request import ALL

_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


def add_rotation(parser: argparse.ArgumentParser) -> None:
    """Add ``--rotation``."""
    parser.add_argument(
        "--rotation", type=_number, metavar="K",
        help="if the time is too short for all benchmarks: number of the part to look at, or all "
        "(default: on GitHub the number of the pull request, or of the workflow's run; elsewhere "
        "--seed; with --only all)",
    )  # fmt: skip


def _number(text: str) -> int | str:
    if text == ALL:
        return ALL
    if _NUMBER.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} does not say which part; write a whole number, such as 7, or all"
        )
    return int(text)

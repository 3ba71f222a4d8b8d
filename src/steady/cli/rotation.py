"""``--rotation``: which part of a suite a run looks at that has no time for all of it."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Collection

from steady.engine.precedence import precedence_of
from steady.model import Identity
from steady.optimize import Plan
from steady.optimize.suite_parts import Part, part_of_plan
from steady.text.counting import count
from steady.text.numbers import duration

ALL = "all"
"""What ``--rotation`` takes to look at every benchmark."""

_PULL_REQUEST = re.compile(
    r"refs/pull/(\d{1,9})/|gh-readonly-queue/.{1,255}/pr-(\d{1,9})-", re.ASCII
)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


def add_rotation(parser: argparse.ArgumentParser) -> None:
    """Add ``--rotation``."""
    parser.add_argument(
        "--rotation", type=_number, metavar="K",
        help="if the time is too short for all benchmarks: number of the part to look at, or all "
        "(default: on GitHub the number of the pull request, or of the workflow's run; elsewhere "
        "--seed; with --only all)",
    )  # fmt: skip


def chosen_part(
    arguments: argparse.Namespace,
    plan: Plan | None,
    held: Collection[Identity],
    *,
    first: Collection[Identity] = (),
    reserved: float = 0.0,
) -> Part | None:
    """Return the part of a plan that a run looks at; None if it looks at all of it.

    Parameters
    ----------
    arguments : argparse.Namespace
        Those of the run.
    plan : Plan or None
        The whole plan.
    held, first, reserved
        As in `part_of_plan`.
    """
    if plan is None or plan.rotation == 1 or arguments.rotation == ALL:
        return None
    if arguments.rotation is None and arguments.only is not None:
        return None
    number, _ = _chosen_number(arguments)
    return part_of_plan(plan, number, held, first=first, reserved=reserved)


def precedence(
    arguments: argparse.Namespace, identities: Collection[Identity], parts: int
) -> tuple[Identity, ...]:
    """Return which benchmarks come first where the time is too short, by the number that is given.

    Parameters
    ----------
    arguments : argparse.Namespace
        Those of the run.
    identities : collection of Identity
        The benchmarks that may have changed.
    parts : int
        Into how many parts they should be dealt out for each part to fit.
    """
    number = arguments.seed if arguments.rotation == ALL else _chosen_number(arguments)[0]
    return precedence_of(identities, number, parts)


def too_short_sentence(arguments: argparse.Namespace, looked_at: int, parts: int) -> str:
    """Say that the time is too short for a suite of so many benchmarks, and what looks at more."""
    number, what = _chosen_number(arguments)
    return (
        f"{duration(arguments.time_budget)} is too short to look at {count(looked_at, 'benchmark')}"
        f": this run begins with part {number % parts + 1} of {parts}, as {what} says; {parts:,} "
        "successive numbers begin with each part once"
    )


def part_sentence(arguments: argparse.Namespace, part: Part, parts: int) -> str:
    """Say which part of a plan is looked at, and what looks at more."""
    _, what = _chosen_number(arguments)
    looked_at = len(part.plan)
    return (
        f"this run looks at {looked_at:,} of {count(looked_at + len(part.others), 'benchmark')}: "
        f"part {part.number} of {parts}, as {what} says; {parts:,} successive numbers look at "
        "every benchmark once, and --rotation all looks at all"
    )


def why_not_looked_at(part: Part, parts: int) -> str:
    """Return the reason that a report shows for the benchmarks of other parts."""
    return f"this is part {part.number} of {parts}, and {parts} pull requests look at all once"


def _chosen_number(arguments: argparse.Namespace) -> tuple[int, str]:
    """Return the number that says which part is looked at, and what it is the number of."""
    if arguments.rotation is not None:
        return arguments.rotation, "--rotation"
    match = _PULL_REQUEST.search(os.environ.get("GITHUB_REF", ""))
    if match is not None:
        number = int(match[1] or match[2])
        return number, f"the number of pull request {number}"
    run_number = os.environ.get("GITHUB_RUN_NUMBER", "")
    if _NUMBER.fullmatch(run_number):
        return int(run_number), f"the number of the workflow's run, {run_number},"
    return arguments.seed, "--seed"


def _number(text: str) -> int | str:
    if text == ALL:
        return ALL
    if _NUMBER.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} does not say which part; write a whole number, such as 7, or all"
        )
    return int(text)

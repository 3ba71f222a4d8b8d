"""``--rotation``: which part of a suite a run looks at that has no time for all of it."""

from __future__ import annotations

import os
import re
from collections.abc import Collection

from steady.engine.precedence import precedence_of
from steady.model import Identity
from steady.optimize import Plan
from steady.optimize.suite_parts import Part, part_of_plan
from steady.options.kinds import ALL
from steady.options.run_options import RunCommand
from steady.text.counting import count
from steady.text.numbers import duration

_PULL_REQUEST = re.compile(
    r"refs/pull/(\d{1,9})/|gh-readonly-queue/.{1,255}/pr-(\d{1,9})-", re.ASCII
)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


def chosen_part(
    arguments: RunCommand,
    plan: Plan | None,
    held: Collection[Identity],
    *,
    first: Collection[Identity] = (),
    reserved: float = 0.0,
) -> Part | None:
    """Return the part of a plan that a run looks at; None if it looks at all of it.

    Parameters
    ----------
    arguments : RunCommand
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
    arguments: RunCommand, identities: Collection[Identity], parts: int
) -> tuple[Identity, ...]:
    """Return which benchmarks come first where the time is too short, by the number that is given.

    Parameters
    ----------
    arguments : RunCommand
        Those of the run.
    identities : collection of Identity
        The benchmarks that may have changed.
    parts : int
        Into how many parts they should be dealt out for each part to fit.
    """
    return precedence_of(identities, _chosen_number(arguments)[0], parts)


def too_short_sentence(arguments: RunCommand, looked_at: int, parts: int) -> str:
    """Say that the time is too short for a suite of so many benchmarks, and what looks at more."""
    number, what = _chosen_number(arguments)
    return (
        f"{duration(arguments.time_budget or 0.0)} is too short to look at "
        f"{count(looked_at, 'benchmark')}: this run begins with part {number % parts + 1} of "
        f"{parts}, as {what} says; {parts:,} successive numbers begin with each part once"
    )


def part_sentence(arguments: RunCommand, part: Part, parts: int) -> str:
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


def _chosen_number(arguments: RunCommand) -> tuple[int, str]:
    """Return the number that says which part is looked at, and what it is the number of."""
    if isinstance(arguments.rotation, int):
        return arguments.rotation, "--rotation"
    if arguments.rotation is not None:  # all, in an order that another seed changes
        return arguments.seed, "--seed"
    match = _PULL_REQUEST.search(os.environ.get("GITHUB_REF", ""))
    if match is not None:
        number = int(match[1] or match[2])
        return number, f"the number of pull request {number}"
    run_number = os.environ.get("GITHUB_RUN_NUMBER", "")
    if _NUMBER.fullmatch(run_number):
        return int(run_number), f"the number of the workflow's run, {run_number},"
    return arguments.seed, "--seed"

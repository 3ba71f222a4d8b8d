"""Rotation: the part of a suite that a run measures if the time is too short for all."""

import os
import re
from collections.abc import Collection

from steady.engine.request import RunRequest
from steady.model import Identity
from steady.optimize import Plan
from steady.optimize.suite_parts import Part, part_of_plan
from steady.options.kinds import ALL
from steady.text.numbers import count, duration

_PULL_REQUEST = re.compile(
    r"refs/pull/(\d{1,9})/|gh-readonly-queue/.{1,255}/pr-(\d{1,9})-", re.ASCII
)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


def measured_part(
    request: RunRequest,
    plan: Plan,
    held: Collection[Identity],
    *,
    first: Collection[Identity] = (),
    reserved: float = 0.0,
) -> Part | None:
    """Return the part of a plan that a run measures; None if it measures all of it.

    Parameters
    ----------
    request : RunRequest
        The request of the run.
    plan, held, first, reserved
        As in `part_of_plan`.
    """
    if request.rotation == ALL or (request.rotation is None and request.only is not None):
        return None
    number, _ = chosen_number(request)
    return part_of_plan(plan, number, held, first=first, reserved=reserved)


def too_short_sentence(request: RunRequest, seconds: float, benchmarks: int, parts: int) -> str:
    """Return the sentence on a time budget that is too short, with the part that begins."""
    number, what = chosen_number(request)
    return (
        f"{_too_short(seconds, benchmarks)}: this run starts with part {number % parts + 1} of "
        f"{parts}, chosen by {what}; {parts:,} consecutive numbers start with each part once"
    )


def screening_sentence(seconds: float, benchmarks: int) -> str:
    """Return the sentence on a time budget that is too short, if benchmarks are screened."""
    return (
        f"{_too_short(seconds, benchmarks)}: this run screens them by short forks, and first "
        "measures those that seem changed"
    )


def nearest_sentence(seconds: float, benchmarks: int) -> str:
    """Return the sentence on a time budget that is too short, if call distances are known."""
    return (
        f"{_too_short(seconds, benchmarks)}: this run starts with those that are fewest calls away "
        "from changed code"
    )


def _too_short(seconds: float, benchmarks: int) -> str:
    return f"{duration(seconds)} is too short for {count(benchmarks, 'benchmark')}"


def part_sentence(request: RunRequest, part: Part, parts: int) -> str:
    """Return the sentence on the part of a plan that is measured."""
    _, what = chosen_number(request)
    benchmarks = len(part.plan)
    return (
        f"this run measures {benchmarks:,} of {count(benchmarks + len(part.others), 'benchmark')}: "
        f"part {part.number} of {parts}, chosen by {what}; {parts:,} consecutive numbers measure "
        "every benchmark once; --rotation all measures all of them"
    )


def other_part_reason(part: Part, parts: int) -> str:
    """Return the reason in reports for the benchmarks of other parts."""
    return (
        f"this run measures part {part.number} of {parts}; {parts} pull requests measure all once"
    )


def chosen_number(request: RunRequest) -> tuple[int, str]:
    """Return the number that selects the part, and its origin in words."""
    if isinstance(request.rotation, int):
        return request.rotation, "--rotation"
    if request.rotation is not None:  # all, in an order that another seed changes
        return request.seed, "--seed"
    match = _PULL_REQUEST.search(os.environ.get("GITHUB_REF", ""))
    if match is not None:
        number = int(match[1] or match[2])
        return number, f"the number of pull request {number}"
    run_number = os.environ.get("GITHUB_RUN_NUMBER", "")
    if _NUMBER.fullmatch(run_number):
        return int(run_number), f"the number of the workflow's run, {run_number}"
    return request.seed, "--seed"

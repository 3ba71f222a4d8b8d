"""What to type instead of a full run that takes long: whole commands, with their times."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from steady.engine.workload import Workload, nominal_seconds
from steady.next_steps.first_run import FULL
from steady.optimize.analysis import ENOUGH_ITERATIONS
from steady.optimize.strategy import MIN_FORKS
from steady.optimize.suite_parts import deal
from steady.options.run_options import RunCommand
from steady.text.counting import count
from steady.text.numbers import duration

LONG = 3600.0
"""A full run that takes more seconds than this is a reason to offer other ways."""

_ITERATIONS = (60, 40, 30, 20, ENOUGH_ITERATIONS)
_SECONDS = (1.0, 0.5, 0.2, 0.1)
_MOST_FOLDERS = 12


def shorter_runs(arguments: RunCommand, workloads: Sequence[Workload], harness: str) -> list[str]:
    """Return what takes less time than a full run, one way in each line; empty if it is short.

    Parameters
    ----------
    arguments : RunCommand
        Those of the full run.
    workloads : sequence of Workload
        What the whole run measures, without `--shard`.
    harness : str
        What runs it.
    """
    seconds = sum(workload.all_seconds for workload in workloads)
    parts = 1 if arguments.shard is None else arguments.shard[1]
    if arguments.full is None or seconds / parts <= LONG:
        return []
    return [
        f"this full run takes {duration(seconds / parts)}; these take less:",
        *_in_shards(arguments, workloads, seconds),
        *_with_fewer(arguments, workloads, harness, seconds),
        _without_it(arguments),
    ]


def _in_shards(
    arguments: RunCommand, workloads: Sequence[Workload], seconds: float
) -> Iterator[str]:
    parts = min(math.ceil(seconds / LONG), len(workloads))
    if parts == 1:
        return
    own = {workload.identity: workload.all_seconds for workload in workloads}
    longest = [0.0] * parts
    for identity, place in deal(own, parts).items():
        longest[place] += own[identity]
    out = str(arguments.out or "full")
    folders = [f"{out}-{number}" for number in range(1, parts + 1)]
    first = replace(_wanted(arguments), shard=(1, parts), out=Path(folders[0])).line
    if parts > _MOST_FOLDERS:
        folders = [f"{out}-*"]
    merge = f"steady merge {' '.join(_quoted(one) for one in folders)} --out {shlex.quote(out)}"
    yield (
        f"on {count(parts, 'machine')}, at most {duration(max(longest))} each: `{first}`, and so "
        f"on to {parts}/{parts}; then `{merge}`"
    )


def _quoted(folder: str) -> str:
    """Return a word of the shell; the star at its end stays one."""
    return shlex.quote(folder[:-1]) + "*" if folder.endswith("*") else shlex.quote(folder)


def _with_fewer(
    arguments: RunCommand, workloads: Sequence[Workload], harness: str, seconds: float
) -> Iterator[str]:
    """Offer the first of some shorter runs that takes no longer than `LONG`, or the shortest."""
    forks, iterations = arguments.full or FULL
    longest = arguments.iteration_seconds or 1.0
    best = None
    for fewer, shorter, number in _sizes(forks, iterations, longest):
        best = fewer, shorter, number
        if _estimate(workloads, harness, seconds, best) <= LONG:
            break
    if best is None:
        return
    fewer, shorter, number = best
    seconds = _estimate(workloads, harness, seconds, best)
    seconds_each = shorter if shorter < longest else arguments.iteration_seconds
    less = replace(
        _wanted(arguments), full=(number, fewer), iteration_seconds=seconds_each, shard=None
    )
    yield (
        f"measuring less, about {duration(seconds)} (a warm-up that takes longer is not found "
        f"then): `{less.line}`"
    )


def _sizes(forks: int, iterations: int, longest: float) -> Iterator[tuple[int, float, int]]:
    """Yield smaller numbers of iterations, then shorter ones, then fewer forks."""
    fewer = [number for number in _ITERATIONS if number < iterations]
    yield from ((number, longest, forks) for number in fewer)
    least = fewer[-1] if fewer else iterations
    shorter = [seconds for seconds in _SECONDS if seconds < longest]
    yield from ((least, seconds, forks) for seconds in shorter)
    if forks > MIN_FORKS:
        yield least, shorter[-1] if shorter else longest, MIN_FORKS


def _estimate(
    workloads: Sequence[Workload], harness: str, seconds: float, size: tuple[int, float, int]
) -> float:
    """Return the seconds of a run of another size, in proportion to those of this run."""
    iterations, longest, forks = size
    now = sum(nominal_seconds(w.configuration, harness) * w.configuration.forks for w in workloads)
    then = sum(
        nominal_seconds(
            replace(
                w.configuration,
                iterations=iterations,
                iteration_seconds=min(longest, w.configuration.iteration_seconds),
            ),
            harness,
        )
        * forks
        for w in workloads
    )
    return seconds * then / now


def _without_it(arguments: RunCommand) -> str:
    """Offer a verdict without any plan."""
    verdict = replace(
        _wanted(arguments),
        full=None, iteration_seconds=None, shard=None, jar=None, all_rounds=False,
        base=arguments.base or Path("BASE"), head=arguments.head or arguments.jar,
        time_budget=600.0, out=Path("results"),
    )  # fmt: skip
    return f"no full run at all, and a verdict in 10 min: `{verdict.line}`"


def _wanted(arguments: RunCommand) -> RunCommand:
    """Return the run as it begins anew."""
    return replace(arguments, dry_run=False, resume=False)

"""What to type instead of a full run that takes long: whole commands, with their times."""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from steady.cli.remedies import again
from steady.engine.workload import Workload, nominal_seconds
from steady.optimize.analysis import ENOUGH_ITERATIONS
from steady.optimize.strategy import MIN_FORKS
from steady.optimize.suite_parts import deal
from steady.text.counting import count
from steady.text.numbers import duration

LONG = 3600.0
"""A full run that takes more seconds than this is a reason to offer other ways."""

_ITERATIONS = (60, 40, 30, 20, ENOUGH_ITERATIONS)
_SECONDS = (1.0, 0.5, 0.2, 0.1)
_MOST_FOLDERS = 12
_OF_FULL_RUNS = ("--full", "--iteration-seconds", "--shard", "--jar")


def shorter_runs(
    arguments: argparse.Namespace, workloads: Sequence[Workload], harness: str
) -> list[str]:
    """Return what takes less time than a full run, one way in each line; empty if it is short.

    Parameters
    ----------
    arguments : argparse.Namespace
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
    arguments: argparse.Namespace, workloads: Sequence[Workload], seconds: float
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
    first = again(_words(arguments), {"--shard": f"1/{parts}", "--out": folders[0]})
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
    arguments: argparse.Namespace, workloads: Sequence[Workload], harness: str, seconds: float
) -> Iterator[str]:
    """Offer the first of some shorter runs that takes no longer than `LONG`, or the shortest."""
    forks, iterations = arguments.full
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
    options = {"--full": f"{number}x{fewer}"}
    if shorter < longest:
        options["--iteration-seconds"] = f"{shorter:g}"
    command = again(_words(arguments), options, without=("--shard",))
    yield (
        f"measuring less, about {duration(seconds)} (a warm-up that takes longer is not found "
        f"then): `{command}`"
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


def _without_it(arguments: argparse.Namespace) -> str:
    """Offer a verdict without any plan."""
    options = {
        "--base": str(arguments.base or "BASE"),
        "--head": str(arguments.head or arguments.jar),
        "--time-budget": "10m",
        "--out": "results",
    }
    words = [word for word in _words(arguments) if word != "--all-rounds"]
    command = again(words, options, without=_OF_FULL_RUNS)
    return f"no full run at all, and a verdict in 10 min: `{command}`"


def _words(arguments: argparse.Namespace) -> list[str]:
    return [word for word in arguments.argv if word not in ("--dry-run", "--resume")]

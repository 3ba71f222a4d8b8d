"""The request of a run, by a command or a program."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from steady.engine.unplanned import RULE
from steady.errors import InputError
from steady.execution.live_stop import StopRule
from steady.harness.runs import HarnessSettings, Turns
from steady.harness.trial import Version
from steady.harnesses import HARNESSES, RUNNABLE
from steady.options.option import uses
from steady.options.run_options import RunCommand
from steady.samecode.choice import SKIP
from steady.settings import chosen_settings

Obstacle = Literal[
    "no length", "no folder", "no plan", "plan of another harness", "plan of another suite",
    "no benchmarks here", "no benchmark written", "no such benchmark", "too little time",
]  # fmt: skip
"""Problems whose message ends in a suggestion."""

Ways = Callable[[Obstacle, str], str]
"""Returns the suggestion at the end of a message, for an obstacle and one word about it: the
harness, the path or the time."""


def no_ways(_: Obstacle, __: str) -> str:
    """Return nothing: a program gets no suggestion of a command."""
    return ""


@dataclass(frozen=True, kw_only=True)
class RunRequest(RunCommand):
    """The request of a run: the options of ``steady run``, with the same defaults.

    Parameters
    ----------
    base, head : Path or str, optional
        Built benchmarks of the two versions, which are measured interleaved. A string is a command.
    jar : Path, optional
        Benchmarks of a single version, instead of `base` and `head`.
    out : Path, optional
        Folder for the results; required unless `list` or `dry_run` is set.
    plan : Path, optional
        Folder or file of the plan to follow.
    full : tuple of int, optional
        Forks and iterations of a full run, whose results `steady.optimize` reads: ``"5x60"``.
    time_budget : float, optional
        Maximum duration of the whole run, in seconds or as ``"10m"``. Without `plan` and `full`,
        it alone decides how much is measured.
    only : str, optional
        Regular expression that the names of the selected benchmarks match.
    new : tuple of int, optional
        Forks and iterations of benchmarks that are not in the plan: ``"5x5"`` or ``"skip"``.
    shard : tuple of int, optional
        Number of the part to run, and the number of parts: ``"1/3"``.
    rotation : int or "all", optional
        Number that selects the measured part if the time is too short for all benchmarks.
    iteration_seconds, fork_timeout, list_timeout : float, optional
        Maximum seconds of an iteration of a full run, of a fork, and of a first run that lists
        sub-benchmarks.
    seed : int
        Seed of the random order.
    turns : {"iterations", "forks"}, optional
        Granularity at which base and head are interleaved.
    pairs : int, optional
        Number of benchmarks that are measured simultaneously.
    same_code : {"skip", "run"}, optional
        Whether benchmarks with an identical code path in base and head are skipped or run.
    all_rounds : bool
        Whether all planned rounds are measured, even if the verdict is clear earlier.
    count : tuple of str
        Counters to collect in separate runs: ``("allocations", "instructions")``.
    stop : str, optional
        Method that ends forks early (`steady.engine.StopRule`).
    rule, min_change, confidence, false_alarms : optional
        Definition of a change, as in `steady.compare`.
    settings : Path, optional
        Settings file of the repository, if it is not in the default place.
    harness : str, optional
        Name of the harness, if neither the plan nor the files determine it.
    java : str
        Java executable that runs JMH.
    jvm_arg : tuple of str
        Additional arguments of every forked JVM.
    command : tuple of str
        Command that runs in the folders of base and head: the words after ``--``.
    resume : bool
        Whether to continue the run in `out`.
    list, dry_run : bool
        Whether to only list the benchmarks, or to only show the schedule, without measuring.
    ways : callable
        Returns the suggestion at the end of a message.

    Examples
    --------
    >>> import steady
    >>> request = steady.RunRequest.of(base="base.jar", head="head.jar", time_budget="10m")
    >>> request.time_budget, request.seed, request.timed
    (600.0, 0, True)
    """

    ways: Ways = field(default=no_ways, compare=False, repr=False)

    @classmethod
    def of(cls, **options: Any) -> RunRequest:
        """Return a request whose options may have the text form of the command line.

        Raises
        ------
        InputError
            If the text of an option has a wrong format.
        """
        given = {name: value for name, value in options.items() if value is not None}
        for name in given:
            try:
                given[name] = _read(name, given[name])
            except InputError:
                raise
            except KeyError:
                names = " or ".join(map(repr, uses(RunCommand)[name].option.kind.names))
                raise InputError(f"{name} is {options[name]!r}; give {names}") from None
            except ValueError as error:
                raise InputError(f"{name} is {options[name]!r}: {error}") from None
        return cls(**given)

    @property
    def only_shown(self) -> bool:
        """Whether the run only lists or shows, and measures nothing."""
        return self.list or self.dry_run

    @property
    def timed(self) -> bool:
        """Whether the time budget alone decides how much is measured."""
        return self.plan is None and self.full is None and not self.list

    @property
    def versions(self) -> tuple[Version, ...]:
        """Base and head, or the only version."""
        sides = (("base", self.base), ("head", self.head))
        pair = tuple(_version(name, target) for name, target in sides if target is not None)
        if self.jar is not None:
            if pair:
                raise InputError(
                    "--jar measures a single version; give either --jar, or --base and --head"
                )
            return (Version("results", self.jar),)
        if len(pair) < len(sides):
            raise InputError(
                "give --base and --head to measure two versions interleaved, or --jar for one"
            )
        return pair

    @property
    def chosen_turns(self) -> Turns:
        """The granularity at which base and head are interleaved."""
        if self.jar is None:
            return self.turns or "iterations"
        if self.turns is not None:
            raise InputError("--turns needs --base and --head")
        return "forks"

    @property
    def skips_same_code(self) -> bool:
        """Whether benchmarks with an identical code path in base and head are left out."""
        if self.jar is not None or self.full is not None or self.only_shown:
            return False
        settings = None if self.same_code else chosen_settings(self.settings)
        asked = self.same_code or (SKIP if settings is None else settings.same_code)
        return asked == SKIP

    def stop_rule(self, harness: str) -> StopRule | None:
        """Return the rule that ends forks early; without a plan, the default if they can end."""
        if self.stop is not None:
            return StopRule(self.stop, timed=self.timed)
        return RULE if self.timed and RUNNABLE[harness].value.ends_early else None

    def harness_settings(self, harness: str) -> HarnessSettings:
        """Return the options of a harness."""
        turns = self.chosen_turns
        foreign = sorted({*self.count} - {*RUNNABLE[harness].value.counts})
        if foreign:
            title = HARNESSES[harness].value.title or "a command"
            raise InputError(f"--count {foreign[0]} is not for {title}")
        return HarnessSettings(
            self.java,
            self.jvm_arg,
            self.stop_rule(harness),
            turns,
            command=self.command,
            count=self.count,
            seed=self.seed,
        )


def _version(name: str, target: Path | str) -> Version:
    """Return a version; the target of a command is the program that it begins with."""
    if isinstance(target, Path):
        return Version(name, target)
    try:
        words = tuple(shlex.split(target))
    except ValueError as error:
        raise InputError(f"--{name} {target!r} is not a valid command: {error}") from None
    program = shutil.which(words[0])
    if program is None:
        raise InputError(f"--{name} {target!r}: {words[0]} is neither a file nor a program")
    return Version(name, Path(program), words)


def _read(name: str, value: Any) -> Any:
    """Return the value of an option, given in its own type or as text."""
    used = uses(RunCommand).get(name)
    if used is None or isinstance(value, bool):
        return value
    kind = used.option.kind
    if used.option.takes != "one" or used.operand:
        return tuple(value)
    if kind.share is not None:
        return kind.share.of(name, value)
    return kind.read(str(value)) if isinstance(value, str | os.PathLike) else value

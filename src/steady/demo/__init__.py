"""Real runs, recorded, and the facts that the demo tells of them.

The whole loop can be seen in seconds, with the results in the installed package: full runs of a
library's benchmarks (`steady.demo.library`), and base and head of ``examples/jmh-demo``.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path

from msgspec import Struct

from steady.compare import Change, Comparison, compare
from steady.demo.library import Library
from steady.files import read_json, write_bytes
from steady.model import Suite
from steady.optimize import Plan, optimize, read_plan
from steady.optimize.analysis import Progress
from steady.readers import load
from steady.suggestions.commands import DETECT, plan_of_run
from steady.text.numbers import count, duration


@dataclass(frozen=True, eq=False)
class Facts:
    """What was recorded, read and judged.

    Parameters
    ----------
    base, head : Suite
        The results of a run without a plan.
    comparison : Comparison
        The verdict on them.
    command : Command
        What was typed, and how long it took.
    full : Plan
        The plan of a recorded full run, which tells what such a run takes.
    """

    base: Suite
    head: Suite
    comparison: Comparison
    command: Command
    full: Plan

    @classmethod
    def of(cls, recorded: Recording) -> Facts:
        """Read and judge what was recorded, as `steady compare` does."""
        run = recorded.pull_request
        base, head = load(run.base), load(run.head)
        return cls(base, head, compare(base, head), run.command, read_plan(recorded.plan))

    @property
    def full_seconds(self) -> float:
        """Seconds of a full run of both versions."""
        return 2 * self.full.full_seconds

    @property
    def measured(self) -> tuple[Change, ...]:
        """What was measured in both versions, the controls included."""
        return (*self.comparison.changes, *self.comparison.controls)

    @property
    def turns(self) -> str:
        """Say how much was measured, and how long that took."""
        forks = sorted(change.base.forks for change in self.measured)
        rounds = f"{forks[0]} to {forks[-1]}" if forks[0] < forks[-1] else f"{forks[0]}"
        return (
            f"Base and head take turns, JVM by JVM, and what is clear ends early: "
            f"{count(len(self.measured), 'benchmark')} had {rounds} rounds each. All of it took "
            f"{duration(self.command.seconds)} by the clock; a full run of both takes "
            f"{duration(self.full_seconds)}."
        )


def learnt_plan(recorded: Recording, progress: Progress | None = None) -> Plan:
    """Return the plan that follows from a run without a plan.

    Parameters
    ----------
    recorded : Recording
        What the run left.
    progress : callable, optional
        As in `steady.optimize`.
    """
    run = recorded.pull_request
    earlier = (load(run.base), load(run.head))
    return optimize(load(run.series), "detect", detect=DETECT, earlier=earlier, progress=progress)


def learning_command(results: Path, plan: Path) -> str:
    """Return the command that makes the same plan of unpacked results."""
    merged = [results / f"{name}.json" for name in ("base", "head")]
    return plan_of_run(results / "series" / "base.json", merged, out=plan).line


def about_learnt_plan(plan: Plan) -> str:
    """Say what the learnt plan is about, and what it takes from now on."""
    return (
        f"A plan, too: base and head of these {len(plan):,} take {duration(plan.pair_seconds)} "
        f"from now on, not {duration(2 * plan.former_seconds)}."
    )


BUDGET = 0.05
"""Of the plan of the full run: on its noisy machine, that run itself is hardly better."""

COMMAND = "command.json"
PACKED = ".gz"


class Command(Struct, frozen=True, forbid_unknown_fields=True):
    """The command whose results were recorded.

    Parameters
    ----------
    words : tuple of str
        What was typed.
    seconds : float
        How long it took by the clock, from its start to its end.
    """

    words: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class PullRequest:
    """What a run of base and head without a plan left, packed.

    Parameters
    ----------
    folder : Path
        The files of the run's folder that are read after it; large ones are compressed.
    """

    folder: Path

    @property
    def base(self) -> Path:
        """The results of base."""
        return self.folder / "base.json.gz"

    @property
    def head(self) -> Path:
        """The results of head."""
        return self.folder / "head.json.gz"

    @property
    def series(self) -> Path:
        """All iterations of base, those of the warm-up included."""
        return self.folder / "series" / "base.json.gz"

    @cached_property
    def command(self) -> Command:
        """What was typed, and how long it took."""
        path = self.folder / COMMAND
        return read_json(path, Command, what="the recorded command", remedy="record again")

    def unpack(self, target: Path) -> list[Path]:
        """Write the run's files as it left them, so that every command can be tried on them.

        Parameters
        ----------
        target : Path
            The folder they go to.

        Returns
        -------
        list of Path
            The files.
        """
        packed = sorted(path for path in self.folder.rglob("*.json*") if path.name != COMMAND)
        return [_unpacked(path, target / path.parent.relative_to(self.folder)) for path in packed]


@dataclass(frozen=True)
class Recording:
    """The recorded files; see the README beside them for how they were made.

    Parameters
    ----------
    folder : Path
        Where they are.
    """

    folder: Path

    @property
    def full(self) -> Path:
        """JMH's JSON of a full run of base."""
        return self.folder / "full" / "results.json.gz"

    @property
    def plan(self) -> Path:
        """The plan that was made of it then."""
        return self.folder / "plan.json"

    @property
    def benchmark_list(self) -> Path:
        """The jar's own list of benchmarks, from which the overlay is made."""
        return self.folder / "BenchmarkList"

    @property
    def pull_request(self) -> PullRequest:
        """Base and head, measured without a plan."""
        return PullRequest(self.folder / "pull-request")

    @property
    def library(self) -> Library:
        """Two full runs of a real library's benchmarks on a quiet machine."""
        return Library(self.folder / "library")


@contextmanager
def recording() -> Iterator[Recording]:
    """Give the recorded results as files, wherever the package is installed."""
    with resources.as_file(resources.files(__package__).joinpath("results")) as folder:
        yield Recording(folder)


def _unpacked(path: Path, folder: Path) -> Path:
    if path.suffix != PACKED:
        return write_bytes(folder / path.name, path.read_bytes())
    return write_bytes(folder / path.stem, gzip.decompress(path.read_bytes()))

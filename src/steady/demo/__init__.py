"""Recorded runs, and the results that the demo presents.

The installed package contains the results of full runs of a library's benchmarks
(`steady.demo.library`), and of base and head of ``examples/jmh-demo``, so the demo takes seconds.
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
    """The recorded results and their analysis.

    Parameters
    ----------
    base, head : Suite
        Results of a run without a plan.
    comparison : Comparison
        Verdict on these results.
    command : Command
        The recorded command line and its duration.
    full : Plan
        Plan of a recorded full run, which includes the cost of such a run.
    """

    base: Suite
    head: Suite
    comparison: Comparison
    command: Command
    full: Plan

    @classmethod
    def of(cls, recorded: Recording) -> Facts:
        """Read and judge the recorded results, like `steady compare`."""
        run = recorded.pull_request
        base, head = load(run.base), load(run.head)
        return cls(base, head, compare(base, head), run.command, read_plan(recorded.plan))

    @property
    def full_seconds(self) -> float:
        """Duration of a full run of both versions, in seconds."""
        return 2 * self.full.full_seconds

    @property
    def measured(self) -> tuple[Change, ...]:
        """The benchmarks measured in both versions, including controls."""
        return (*self.comparison.changes, *self.comparison.controls)

    @property
    def turns(self) -> str:
        """Sentence on the number of rounds and the duration of the run."""
        forks = sorted(change.base.forks for change in self.measured)
        rounds = f"{forks[0]} to {forks[-1]}" if forks[0] < forks[-1] else f"{forks[0]}"
        return (
            "The JVMs of base and head are interleaved, and benchmarks with a clear verdict end "
            f"early: {count(len(self.measured), 'benchmark')} had {rounds} rounds each. The run "
            f"took {duration(self.command.seconds)}; a full run of both versions takes "
            f"{duration(self.full_seconds)}."
        )


def learnt_plan(recorded: Recording, progress: Progress | None = None) -> Plan:
    """Return the plan that results from a run without a plan.

    Parameters
    ----------
    recorded : Recording
        Recorded results.
    progress : callable, optional
        As in `steady.optimize`.
    """
    run = recorded.pull_request
    earlier = (load(run.base), load(run.head))
    return optimize(load(run.series), "detect", detect=DETECT, earlier=earlier, progress=progress)


def learning_command(results: Path, plan: Path) -> str:
    """Return the command that creates the same plan from unpacked results."""
    merged = [results / f"{name}.json" for name in ("base", "head")]
    return plan_of_run(results / "series" / "base.json", merged, out=plan).line


def about_learnt_plan(plan: Plan) -> str:
    """Return a sentence on the size and duration of the learnt plan."""
    return (
        f"With a plan from this run, base and head of these {len(plan):,} take "
        f"{duration(plan.pair_seconds)}, not {duration(2 * plan.former_seconds)}."
    )


BUDGET = 0.05
"""Error budget of the plan of the full run, which is not much more accurate itself on its noisy
machine."""

COMMAND = "command.json"
PACKED = ".gz"


class Command(Struct, frozen=True, forbid_unknown_fields=True):
    """The command whose results were recorded.

    Parameters
    ----------
    words : tuple of str
        The words of the command line.
    seconds : float
        Wall-clock duration.
    """

    words: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class PullRequest:
    """Compressed results of a run of base and head without a plan.

    Parameters
    ----------
    folder : Path
        Folder with the run's results; large files are compressed.
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
        """All iterations of base, including the warm-up."""
        return self.folder / "series" / "base.json.gz"

    @cached_property
    def command(self) -> Command:
        """The recorded command line and its duration."""
        path = self.folder / COMMAND
        return read_json(path, Command, what="the recorded command", remedy="record again")

    def unpack(self, target: Path) -> list[Path]:
        """Write the run's files uncompressed, for use with all commands.

        Parameters
        ----------
        target : Path
            Output folder.

        Returns
        -------
        list of Path
            Paths of the files.
        """
        packed = sorted(path for path in self.folder.rglob("*.json*") if path.name != COMMAND)
        return [_unpacked(path, target / path.parent.relative_to(self.folder)) for path in packed]


@dataclass(frozen=True)
class Recording:
    """The recorded files; their README explains how they were made.

    Parameters
    ----------
    folder : Path
        Folder with the files.
    """

    folder: Path

    @property
    def full(self) -> Path:
        """JMH's JSON of a full run of base."""
        return self.folder / "full" / "results.json.gz"

    @property
    def plan(self) -> Path:
        """The plan created from it at that time."""
        return self.folder / "plan.json"

    @property
    def benchmark_list(self) -> Path:
        """The jar's own list of benchmarks, which the overlay is based on."""
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
    """Provide the recorded results as files, also from a zipped package."""
    with resources.as_file(resources.files(__package__).joinpath("results")) as folder:
        yield Recording(folder)


def _unpacked(path: Path, folder: Path) -> Path:
    if path.suffix != PACKED:
        return write_bytes(folder / path.name, path.read_bytes())
    return write_bytes(folder / path.stem, gzip.decompress(path.read_bytes()))

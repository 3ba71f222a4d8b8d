"""What ``steady run`` leaves out because base and head run the same code, and what it learns."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.engine.run_file import SAME_CODE, Target
from steady.engine.same_code import select, selection_sentence
from steady.engine.workload import Held
from steady.harness.go.run.runs import GoRuns
from steady.harness.go.samecode.selection import go_decisions
from steady.harness.jmh.run.runs import JmhRuns
from steady.harness.jmh.samecode.record import CLASSES, BuildEntry, read_builds
from steady.harness.jmh.samecode.selection import JmhBuilds, record_of_one
from steady.harness.runs import Runs
from steady.harness.trial import Version
from steady.model import Identity
from steady.readers.same_code import SameCodeFile, read_same_code

SKIP = "skip"


@dataclass(frozen=True, slots=True)
class SameCodeChoice:
    """What of a run is left out.

    Parameters
    ----------
    file : SameCodeFile, optional
        What runs the same code, and what is measured of it; None if nobody asked.
    builds : JmhBuilds, optional
        The two jars, if they were looked into.
    """

    file: SameCodeFile | None = None
    builds: JmhBuilds | None = None

    @property
    def left_out(self) -> frozenset[Identity]:
        """The benchmarks that are not measured."""
        return frozenset() if self.file is None else frozenset(self.file.same)

    @property
    def facts(self) -> dict[str, str]:
        """What the run's header says of it."""
        return {} if self.file is None else {SAME_CODE: SKIP}

    def measured(self, held: Held) -> dict[str, dict[Identity, None]]:
        """Return what is measured of the benchmarks of each version."""
        left_out = self.left_out
        return {n: dict.fromkeys(i for i in own if i not in left_out) for n, own in held.items()}


def choose_same_code(
    harness: Runs,
    versions: Sequence[Version],
    held: Held,
    *,
    kept_in: Path | None,
    plan: Path | None,
    seed: int,
    say: Callable[[str], None],
) -> SameCodeChoice:
    """Choose what is left out, once for each run: one that goes on keeps its choice.

    Parameters
    ----------
    harness : Runs
        Of JMH or Go, or nothing is left out.
    versions : sequence of Version
        Base and head.
    held : mapping of str to collection of Identity
        The benchmarks of each version that this run is about.
    kept_in : Path, optional
        The folder of the run that goes on.
    plan : Path, optional
        The plan that is followed: its folder knows what benchmarks load.
    seed : int
        Of the choice.
    say : callable
        Gets the news.
    """
    if not isinstance(harness, JmhRuns | GoRuns):
        return SameCodeChoice()
    if kept_in is not None:
        return SameCodeChoice(read_same_code(kept_in))
    base, head = versions
    builds = None
    if isinstance(harness, JmhRuns):
        builds = JmhBuilds(harness, base, head, _known(plan), say)
    decisions = builds.decisions(held) if builds else go_decisions(base, head, held)
    targets = [Target.of(version) for version in versions]
    file = select(decisions, targets, seed=seed)
    why = shlex.join(["steady", "changed", "--base", str(base.target), "--head", str(head.target)])
    others = f"; `{why}` says why others may differ" * bool(file.others)
    say(f"{selection_sentence(file)}{others}")
    return SameCodeChoice(file, builds)


def keep_loaded(
    choice: SameCodeChoice,
    harness: Runs,
    versions: Sequence[Version],
    folder: Path,
    say: Callable[[str], None],
) -> None:
    """Write into a run's folder what its forks have loaded, if their JVM says it."""
    if not isinstance(harness, JmhRuns):
        return
    if len(versions) == 1:
        record_of_one(harness, versions[0], folder)
        return
    base, head = versions
    builds = choice.builds or JmhBuilds(harness, base, head, (), say)
    file = choice.file
    builds.record(folder, () if file is None else (*file.same, *file.controls))


def _known(plan: Path | None) -> tuple[BuildEntry, ...]:
    """Return what is known about what benchmarks load, from the folder of their plan."""
    if plan is None:
        return ()
    return read_builds((plan if plan.is_dir() else plan.parent) / CLASSES)

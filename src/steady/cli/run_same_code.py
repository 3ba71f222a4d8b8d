"""What ``steady run`` leaves out because base and head run the same code, and what it learns."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.changed.record import CLASSES, BuildEntry, read_builds
from steady.cli.settings import chosen_settings
from steady.cli.watching import say
from steady.model import Identity
from steady.options.run_options import RunCommand
from steady.readers.same_code import SameCodeFile, read_same_code
from steady.run import Harness, RunFolder, Target, Version
from steady.run.go_harness import GoHarness
from steady.run.go_same_code import go_decisions
from steady.run.jmh_harness import JmhHarness
from steady.run.jmh_same_code import JmhBuilds, record_of_one
from steady.run.run_file import SAME_CODE
from steady.run.same_code import select, selection_sentence
from steady.run.workload import Held

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


def choose(
    arguments: RunCommand,
    harness: Harness,
    versions: Sequence[Version],
    held: Held,
    part: Collection[Identity] | None,
) -> SameCodeChoice:
    """Choose what is left out, once for each run: one that goes on keeps its choice.

    Parameters
    ----------
    arguments : RunCommand
        The user's.
    harness : Harness
        Of JMH or Go, or nothing is left out.
    versions : sequence of Version
        Base and head, or nothing is left out.
    held : mapping of str to collection of Identity
        The benchmarks of each version.
    part : collection of Identity, optional
        Those that this run is about, if it is a part of several.
    """
    if not _is_asked(arguments, versions) or not isinstance(harness, JmhHarness | GoHarness):
        return SameCodeChoice()
    folder = RunFolder(arguments.out or Path(), harness.suffix)
    if arguments.resume and folder.header.exists():
        return SameCodeChoice(read_same_code(folder.path))
    if part is not None:
        held = {name: [i for i in own if i in part] for name, own in held.items()}
    base, head = versions
    builds = None
    if isinstance(harness, JmhHarness):
        builds = JmhBuilds(harness, base, head, _known(arguments.plan), say)
    decisions = builds.decisions(held) if builds else go_decisions(base, head, held)
    targets = [Target.of(version) for version in versions]
    file = select(decisions, targets, seed=arguments.seed)
    why = shlex.join(["steady", "changed", "--base", str(base.target), "--head", str(head.target)])
    others = f"; `{why}` says why others may differ" * bool(file.others)
    say(f"{selection_sentence(file)}{others}")
    return SameCodeChoice(file, builds)


def keep_loaded(
    choice: SameCodeChoice, harness: Harness, versions: Sequence[Version], folder: Path
) -> None:
    """Write into a run's folder what its forks have loaded, if their JVM says it."""
    if not isinstance(harness, JmhHarness):
        return
    if len(versions) == 1:
        record_of_one(harness, versions[0], folder)
        return
    base, head = versions
    builds = choice.builds or JmhBuilds(harness, base, head, (), say)
    file = choice.file
    builds.record(folder, () if file is None else (*file.same, *file.controls))


def _is_asked(arguments: RunCommand, versions: Sequence[Version]) -> bool:
    if len(versions) < 2 or arguments.full is not None or arguments.dry_run:
        return False
    if arguments.same_code is not None:
        return bool(arguments.same_code == SKIP)
    settings = chosen_settings(arguments.settings)
    return settings is None or settings.same_code == SKIP


def _known(plan: Path | None) -> tuple[BuildEntry, ...]:
    """Return what is known about what benchmarks load, from the folder of their plan."""
    if plan is None:
        return ()
    return read_builds((plan if plan.is_dir() else plan.parent) / CLASSES)

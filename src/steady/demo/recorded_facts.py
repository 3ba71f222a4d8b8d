"""The findings of the recording, in sentences: every figure comes from the recorded files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from steady.compare import Change, Comparison, compare
from steady.demo.recorded import Command, Recording
from steady.model import Suite
from steady.optimize import Plan, optimize, read_plan
from steady.optimize.analysis import Progress
from steady.options.plan_options import OptimizeCommand
from steady.readers import load
from steady.report.same_code_words import control_sentence, same_code_words
from steady.text.counting import count
from steady.text.numbers import duration, percent

DETECT = 0.05
"""The change that the learnt plan is made to find, as in the command that the run ends with."""


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
    def full_run(self) -> str:
        """Say what a full run of the suite takes."""
        each = self.full.benchmarks[0].full
        forks = f"{count(each.forks, 'fork')} of {each.warmup_iterations + each.iterations}"
        return (
            f"The suite has {count(len(self.full), 'benchmark')}. A full run of both versions, "
            f"{forks} iterations of each benchmark as the annotations ask, takes "
            f"{duration(self.full_seconds)}."
        )

    @property
    def left_out(self) -> str:
        """Say what was not measured, and what became of the controls."""
        return f"{same_code_words(self.comparison)}. {control_sentence(self.comparison)}"

    @property
    def turns(self) -> str:
        """Say how much was measured, and how long that took."""
        forks = sorted(change.base.forks for change in self.measured)
        rounds = f"{forks[0]} to {forks[-1]}" if forks[0] < forks[-1] else f"{forks[0]}"
        saved = percent(1 - self.command.seconds / self.full_seconds)
        return (
            "A JVM of base and a JVM of head take turns, so that a slow second of the machine hits "
            "both. What is clear ends early: "
            f"{count(len(self.measured), 'benchmark')} had {rounds} rounds each. All of it took "
            f"{duration(self.command.seconds)} by the clock, {saved} less than the full run."
        )


def learn(recorded: Recording, progress: Progress | None = None) -> Plan:
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


def learning(results: Path, plan: Path) -> str:
    """Return the command that makes the same plan of unpacked results."""
    return OptimizeCommand(
        results=(str(results / "series" / "base.json"),),
        detect=0.05,
        earlier=tuple(str(results / f"{name}.json") for name in ("base", "head")),
        out=plan,
    ).line


def learnt(plan: Plan) -> str:
    """Say what the learnt plan is about, and what it takes from now on."""
    return (
        "It knows now when the benchmarks that it measured are warm, and how much their forks "
        f"differ. By that plan, base and head of these {len(plan):,} take "
        f"{duration(plan.pair_seconds)} together, instead of {duration(2 * plan.former_seconds)}."
    )

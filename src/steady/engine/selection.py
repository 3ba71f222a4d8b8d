"""The selection of benchmarks that a run measures, and of their workloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from steady.engine.discovery import Discovery, Say
from steady.engine.rotation import measured_part, other_part_reason, part_sentence
from steady.engine.run_file import Target
from steady.engine.run_folder import RunFolder
from steady.engine.shards import check_parts, part_of
from steady.engine.shared_processes import SharedProcesses
from steady.engine.unplanned import unplanned
from steady.engine.workload import (
    Declarations,
    Workload,
    all_identities,
    configured,
    full_run,
    has_edited_seconds,
    interleaved,
    missing_benchmarks,
    newest_declarations,
    planned,
    unplanned_run,
)
from steady.errors import InputError
from steady.execution.live_stop import STOPPABLE_MODES, StopRule
from steady.harness.trial import Held
from steady.harnesses import builds_of
from steady.model import Identity, NotRun
from steady.optimize import Plan
from steady.optimize.suite_parts import Part
from steady.options.kinds import SKIP
from steady.samecode.choice import SameCodeChoice, choose, read_same_code
from steady.settings import RepoSettings, chosen_settings
from steady.text.numbers import count, listed

_DEFAULT_NEW = (5, 5)


@dataclass(frozen=True, slots=True)
class Selection:
    """The benchmarks that a run measures, of those that were discovered.

    Parameters
    ----------
    discovery : Discovery
        The discovered benchmarks, with the request.
    say : callable
        Called with each line to print.
    declared : mapping of str to Declarations
        The declared configurations of each version.
    held : mapping of str to collection of Identity
        The selected benchmarks of each version.
    targets : tuple of Target
        The content of each version before the first fork.
    part : Part, optional
        The part of the plan that is measured, if that is not all of it.
    same_code : SameCodeChoice
        The benchmarks with an identical code path in base and head.
    """

    discovery: Discovery
    say: Say
    declared: Mapping[str, Declarations]
    held: Held
    targets: tuple[Target, ...]
    part: Part | None = None
    same_code: SameCodeChoice = field(default_factory=SameCodeChoice)

    @classmethod
    def of(cls, found: Discovery, say: Say) -> Selection:
        """Select benchmarks without identical code paths and other parts of a rotation."""
        declared = {version.name: found.harness.declared(version) for version in found.versions}
        targets = tuple(Target.of(version, found.request.out) for version in found.versions)
        whole = cls(found, say, declared, found.held, targets)
        return whole.without_same_code().in_rotation()  # possibly changed ones go first

    def without_same_code(self) -> Selection:
        """Leave out benchmarks with an identical code path, if the request asks for that."""
        if not self.discovery.request.skips_same_code:
            return self
        choice = self._choice_of_same_code()
        return replace(self, held=choice.measured(self.held), same_code=choice)

    def _choice_of_same_code(self) -> SameCodeChoice:
        """Choose the benchmarks that are left out; a resumed run keeps its choice."""
        found, request = self.discovery, self.discovery.request
        folder = RunFolder(request.out or Path(), found.harness.suffix)
        if request.resume and folder.header.exists():
            return SameCodeChoice(read_same_code(folder.path))
        builds = builds_of(found.harness, found.versions)
        if builds is None:
            return SameCodeChoice()
        return choose(
            builds,
            found.versions,
            self.held,
            digests=[target.sha256 for target in self.targets],
            seed=request.seed,
            tell=self.say,
        )

    def in_rotation(self) -> Selection:
        """Leave out the parts of the plan that other runs of the rotation measure."""
        found, request = self.discovery, self.discovery.request
        if found.plan is None or found.plan.rotation == 1:
            return self
        new = [] if request.new == SKIP else self._without_plan(self._new)
        part = measured_part(
            request,
            found.plan,
            set(all_identities(self.held)),
            first=self._known_to_differ,
            reserved=sum(workload.all_seconds for workload in new),
        )
        if part is not None:
            self.say(part_sentence(request, part, found.plan.rotation))
        return replace(self, part=part)

    @property
    def _known_to_differ(self) -> frozenset[Identity]:
        """The benchmarks whose code path differs, or may differ."""
        file = self.same_code.file
        return frozenset() if file is None else frozenset(o.identity for o in file.others)

    @property
    def may_differ(self) -> tuple[Identity, ...]:
        """The benchmarks of both versions without a known identical code path."""
        held, controls = self.held.values(), self.same_code.controls
        return tuple(
            identity
            for identity in all_identities(self.held)
            if all(identity in own for own in held) and identity not in controls
        )

    @property
    def skipped(self) -> list[Workload]:
        """Workloads of benchmarks with an identical code path, in case a control differs."""
        left_out = self.same_code.left_out
        if not left_out or not self.same_code.controls or self.discovery.request.shard is not None:
            return []
        held = {
            name: dict.fromkeys(identity for identity in own if identity in left_out)
            for name, own in self.discovery.held.items()
        }
        others = replace(self, held=held, say=_nothing, same_code=SameCodeChoice())
        return others.workloads()

    @property
    def plan(self) -> Plan | None:
        """The part of the plan that this run measures."""
        return self.discovery.plan if self.part is None else self.part.plan

    @property
    def not_run(self) -> tuple[NotRun, ...]:
        """The benchmarks of the plan that belong to another part of the rotation."""
        late = self.discovery.not_run
        if self.discovery.plan is None or self.part is None:
            return late
        reason = other_part_reason(self.part, self.discovery.plan.rotation)
        return (*late, *(NotRun(identity, reason) for identity in self.part.others))

    @property
    def _new(self) -> tuple[Identity, ...]:
        """The benchmarks that are not in the plan."""
        known = self.discovery.plan or ()
        return tuple(identity for identity in all_identities(self.held) if identity not in known)

    def workloads(self) -> list[Workload]:
        """Return the workloads (of all shards in a full run), and print what is left out.

        Raises
        ------
        InputError
            If there is none.
        """
        request, harness = self.discovery.request, self.discovery.harness.name
        workloads = [] if self.plan is None else self._planned(self.plan)
        others = self._within_time if request.timed else self._without_plan
        workloads += others(self._not_planned())
        rule = request.stop_rule(harness)
        if request.stop is not None and rule is not None:
            self._report_unstoppable(workloads, rule)
        if not (workloads or self.same_code.left_out or self.discovery.not_run):
            way = request.ways("no such benchmark", "shows the names")
            raise InputError(f"nothing to run: every benchmark is left out{way}")
        alone = request.timed or self.discovery.request.chosen_turns != "iterations"
        return workloads if alone else interleaved(workloads, harness)

    @property
    def shared_processes(self) -> SharedProcesses:
        """The processes that several interleaved benchmarks share."""
        found, request = self.discovery, self.discovery.request
        if request.chosen_turns != "iterations":
            return SharedProcesses()
        settings = chosen_settings(request.settings) or RepoSettings()
        both = [i for i in all_identities(self.held) if all(i in own for own in self.held.values())]
        return SharedProcesses.of(found.harness, both, settings.is_alone)

    def shard(self, whole: list[Workload]) -> list[Workload]:
        """Return the workloads of this shard."""
        shard = self.discovery.request.shard
        if shard is None:
            return whole
        check_parts(shard[1], len(whole) + len(self.same_code.left_out))
        return part_of(whole, *shard)

    def _within_time(self, identities: Sequence[Identity]) -> list[Workload]:
        """Return workloads that fit into the time, without a plan."""
        request, harness = self.discovery.request, self.discovery.harness
        return unplanned(
            identities,
            self.held,
            newest_declarations(self.declared),
            harness=harness.name,
            seconds=request.time_budget or 0.0,
            controls=self.same_code.controls,
            operation_seconds=harness.operation_seconds,
            timeout=request.fork_timeout,
            processes=self.shared_processes,
        )

    def _without_plan(self, identities: Sequence[Identity]) -> list[Workload]:
        """Return the workloads of a full run, or of benchmarks that are not in the plan."""
        request = self.discovery.request
        if request.full is not None:
            configuration = full_run(*request.full, request.iteration_seconds or 1.0)
        else:
            configuration = unplanned_run(*(request.new or _DEFAULT_NEW))
        return configured(
            identities,
            configuration,
            self.held,
            declared=newest_declarations(self.declared),
            shorter=request.full is not None,
            timeout=request.fork_timeout,
            harness=self.discovery.harness.name,
        )

    def _planned(self, plan: Plan) -> list[Workload]:
        """Return the workloads of the plan, and print in which respects it is out of date."""
        request = self.discovery.request
        workloads = planned(plan, self.held, timeout=request.fork_timeout)
        edited = [
            entry.identity for entry in plan.benchmarks if has_edited_seconds(entry, plan.harness)
        ]
        if edited:
            self.say(
                f"the plan was edited: its seconds for {benchmarks_listed(edited)} are too few "
                "for its iterations, so the time is estimated again"
            )
        only = self.discovery.only
        for version, identities in missing_benchmarks(plan, self.held).items():
            asked = [i for i in identities if only is None or only.wants(i)]
            wanted = [i for i in asked if i not in self.same_code.left_out]
            if wanted:
                self.say(f"{version} does not contain {benchmarks_listed(wanted)} of the plan")
        return workloads

    def _not_planned(self) -> tuple[Identity, ...]:
        """Return the benchmarks that are not in the plan, and print how they run."""
        request, new = self.discovery.request, self._new
        if self.discovery.plan is None:
            return new
        if not new:
            return ()
        if request.new == SKIP:
            self.say(f"not in the plan: {benchmarks_listed(new)}; skipped because of --new skip")
            return ()
        forks, iterations = request.new or _DEFAULT_NEW
        self.say(
            f"not in the plan: {benchmarks_listed(new)}; run with {count(forks, 'fork')} of "
            f"{iterations} + {count(iterations, 'iteration')} of 1 s"
        )
        return new

    def _report_unstoppable(self, workloads: Sequence[Workload], rule: StopRule) -> None:
        """Print the benchmarks whose forks, or warm-up, a rule cannot end."""
        whole = [w.identity for w in workloads if w.identity.mode not in STOPPABLE_MODES]
        if whole:
            self.say(
                f"--stop works only for average time and throughput; {benchmarks_listed(whole)} "
                "will run all of their iterations"
            )
        short = [
            one.identity
            for one in workloads
            if one.identity.mode in STOPPABLE_MODES
            and rule.longest_warmup(one.configuration) < rule.least
        ]
        if short:
            self.say(
                f"--stop {rule.method} needs {count(rule.least, 'iteration')} to decide, but the "
                f"warm-up of {benchmarks_listed(short)} is shorter: it ends as configured"
            )


def _nothing(_: str) -> None:
    """Print nothing."""


def benchmarks_listed(identities: Sequence[Identity]) -> str:
    """Return the number of benchmarks and their names."""
    labels = [identity.label for identity in identities]
    return f"{count(len(labels), 'benchmark')} ({listed(labels)})"

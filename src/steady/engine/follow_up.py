"""Interim analyses: after each batch of rounds, unclear benchmarks get further rounds."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from steady.compare import Comparison
from steady.compare.alpha_spending import looks_of
from steady.compare.benchmark_change import CHANGED
from steady.compare.comparing import comparison_of
from steady.compare.criteria import CompareOptions
from steady.compare.metric_changes import seems_changed
from steady.compare.pair import Pair
from steady.compare.round_allocation import UnclearBenchmark, allocate_rounds
from steady.engine.request import RunRequest
from steady.engine.run_record import RunRecord
from steady.engine.schedule import further_rounds, schedule
from steady.engine.shared_processes import SharedProcesses
from steady.engine.workload import Workload
from steady.errors import InputError
from steady.harness.trial import Trial
from steady.model import Identity, Suite
from steady.optimize import Plan
from steady.options.strictness import strictness_of
from steady.readers import load
from steady.settings import RepoSettings

Looks = Mapping[Identity, tuple[int, ...]]
"""Numbers of rounds at which a run analyses each benchmark (`Benchmark.looks`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decider:
    """The decision on further rounds after an interim analysis; a `steady.engine.FollowUp`.

    Parameters
    ----------
    request : RunRequest
        The request, with the rule of the final verdict, the seed, and the time budget of the whole
        run, including the first rounds.
    planned_seconds : float
        Expected seconds of all planned rounds, which are the budget if none is given. If the
        machine is slower than expected, the budget is scaled by the same factor.
    at_most : float, optional
        Upper bound of that budget in seconds: the time budget of the plan.
    looks : mapping of Identity to tuple of int
        Numbers of rounds at which each benchmark is analysed.
    settings : RepoSettings, optional
        See `steady.compare`, as for `plan`.
    skipped : sequence of Workload
        The first rounds of benchmarks with an identical code path. They are measured only if a
        control differs, which casts doubt on that finding.
    shared_processes : SharedProcesses
        The processes that several benchmarks share.
    """

    request: RunRequest
    planned_seconds: float
    looks: Looks
    at_most: float | None = None
    settings: RepoSettings | None = None
    plan: Plan | None = None
    skipped: Sequence[Workload] = ()
    shared_processes: SharedProcesses = field(default_factory=SharedProcesses)

    def __call__(self, state: RunRecord) -> Sequence[Trial]:
        """Return the next trials of unclear benchmarks; empty at the end."""
        if not {"base", "head"} <= state.merged.keys():
            return ()
        try:
            base, head = (load(state.merged[name]) for name in ("base", "head"))
            comparison = self._judged(state, base, head)
            cases = dict(self._open(state, comparison, base, head))
        except InputError:  # unusable results, which the comparison will report
            return ()
        if state.waits:
            cases = {identity: case for identity, case in cases.items() if case.has_priority}
        doubted = self._in_doubt(state, comparison)
        if doubted:
            return schedule(doubted, seed=self.request.seed, after=state.trials)
        granted = allocate_rounds(list(cases.values()), self._seconds_left(state))
        identities = list(cases)
        rounds = {identities[index]: count for index, count in granted.items()}
        return further_rounds(state.trials, rounds, seed=self.request.seed + len(state.trials))

    def _seconds_left(self, state: RunRecord) -> float:
        spent = sum(record.seconds for record in state.records.values())
        promised = sum(record.promised for record in state.records.values())
        slower = max(spent / promised, 1.0) if promised else 1.0
        if state.seconds_left is not None:
            return state.seconds_left
        if self.request.time_budget is not None:
            return self.request.time_budget - spent
        budget = self.planned_seconds * slower
        return min(budget, budget if self.at_most is None else self.at_most) - spent

    def compared(
        self, base: Suite, head: Suite, *, false_alarms: float | None = None
    ) -> Comparison:
        """Compare the results so far, as `steady compare` will unless `false_alarms` is given."""
        strictness = strictness_of(self.request)
        asked = CompareOptions(base, head, settings=self.settings, plan=self.plan, **strictness)
        if false_alarms is not None:
            asked = replace(asked, false_alarms=false_alarms)
        return comparison_of(asked)

    def _judged(self, state: RunRecord, base: Suite, head: Suite) -> Comparison:
        comparison = self.compared(base, head)
        alarms = comparison.options.get("false_alarms")
        if state.waits and isinstance(alarms, float):
            # Half of the error budget is kept for waiting benchmarks; clear verdicts stay clear.
            comparison = self.compared(base, head, false_alarms=alarms / 2)
        return comparison

    def _in_doubt(self, state: RunRecord, comparison: Comparison) -> list[Workload]:
        """Return as many skipped benchmarks as the time allows, once a control differs."""
        begun = {trial.identity for trial in state.trials}
        if not any(control.outcome in CHANGED for control in comparison.controls):
            return []
        if any(one.identity in begun for one in self.skipped):
            return []
        left, doubted = self._seconds_left(state), []
        generator = np.random.default_rng([self.request.seed, len(state.trials)])
        for place in generator.permutation(len(self.skipped)):
            one = self.skipped[place]
            price = one.configuration.forks * one.fork_seconds * len(one.versions)
            if price <= left:
                doubted.append(one)
                left -= price
        return doubted

    def _open(
        self, state: RunRecord, comparison: Comparison, base: Suite, head: Suite
    ) -> Iterator[tuple[Identity, UnclearBenchmark]]:
        seconds = _seconds_of_rounds(state)
        changes = comparison.metrics.changes
        allocations = [one for one in changes if seems_changed(one, head.harness)]
        # Controls get no further rounds: after their first ones, all time is for other benchmarks.
        unclear = [c for c in comparison.changes if c.outcome == "unclear"]
        records = state.records
        warm = {t.identity for t in state.trials if (r := records.get(t.number)) and not r.cold}
        left_cold = {trial.identity for trial in state.out_of_time} - warm
        # If time and a count of a benchmark are unclear, the count needs the fewest rounds.
        for change in {c.identity: c for c in (*unclear, *allocations)}.values():
            identity = change.identity
            if identity in seconds and identity not in left_cold:
                pair = Pair.of(base[identity], head[identity])
                yield (
                    identity,
                    UnclearBenchmark(
                        change,
                        comparison.threshold(change),
                        len(pair.rounds),
                        self.looks.get(identity, ()),
                        seconds[identity] + self.shared_processes.missing_start([identity]),
                    ),
                )


def looks_of_run(planned: Sequence[Trial]) -> dict[Identity, tuple[int, ...]]:
    """Return the numbers of rounds at which a run analyses each benchmark of two versions.

    Parameters
    ----------
    planned : sequence of Trial
        The planned schedule, without the rounds that follow it.
    """
    rounds: dict[Identity, set[int]] = {}
    versions: dict[Identity, set[str]] = {}
    for trial in planned:
        rounds.setdefault(trial.identity, set()).add(trial.round)
        versions.setdefault(trial.identity, set()).add(trial.version)
    return {i: looks_of(len(own)) for i, own in rounds.items() if len(versions[i]) > 1}


def first_batch(workloads: Sequence[Workload], looks: Looks) -> list[Workload]:
    """Return the workloads of the rounds up to the first interim analysis."""
    return [
        replace(
            workload,
            configuration=replace(workload.configuration, forks=looks[workload.identity][0]),
        )
        if workload.identity in looks
        else workload
        for workload in workloads
    ]


def described(decider: Decider | None) -> dict[str, str]:
    """Return the options that decide how much is measured, for the header of the run.

    The settings become a digest of their thresholds, ignored benchmarks and rate of false alarms,
    and the numbers of rounds at interim analyses another one.
    """
    if decider is None:
        return {"all-rounds": "yes"}
    settings = decider.settings or RepoSettings()
    counted = [
        [[entry.pattern, entry.min_change] for entry in settings.thresholds],
        [entry.pattern for entry in settings.ignore],
        settings.false_alarms,
    ]
    looks = sorted([identity.label, *rounds] for identity, rounds in decider.looks.items())
    asked = strictness_of(decider.request) | {"time_budget": decider.request.time_budget}
    return {
        **{
            name.replace("_", "-"): "by default" if one is None else str(one)
            for name, one in asked.items()
        },
        "looks": _digest(looks),
        "settings": _digest(counted),
    }


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _seconds_of_rounds(state: RunRecord) -> Mapping[Identity, float]:
    """Return the mean seconds of a round of each benchmark, all versions together."""
    spent: dict[Identity, float] = defaultdict(float)
    forks: Counter[Identity] = Counter()
    versions: dict[Identity, set[str]] = defaultdict(set)
    for trial in state.trials:
        versions[trial.identity].add(trial.version)
        if trial.number in state.records:
            spent[trial.identity] += state.records[trial.number].seconds
            forks[trial.identity] += 1
    return {i: len(versions[i]) * spent[i] / number for i, number in forks.items()}

"""The workload of each benchmark: from a plan, of a full run, or of a new benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from steady.errors import InputError
from steady.harness.trial import SINGLE_SHOT, Held
from steady.harnesses import harness_named
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.cost import (
    pair_seconds,
)
from steady.plan.suite_plan import DEFAULT_HARNESS, BenchmarkPlan, Plan

TIMEOUT_FACTOR = 10.0
TIMEOUT_LEEWAY_SECONDS = 60.0
"""A fork hangs if it takes ten times as long as expected and a minute: far beyond noise."""

LONGEST_SHOT_SECONDS = 600.0
USUAL_SHOT_SECONDS = 60.0
"""A single shot has no nominal time, and JMH interrupts it after ten minutes. In a fork without a
known duration, one shot may take that long, and each of the others a minute."""

_SHORTEST_SHARE = 0.9
"""Smallest share of their set time that iterations take: clocks differ a little."""

_NEXT_TO_NO_TIME = np.array(1e-9)
"""Seconds of an operation that does not make an iteration longer."""


Declarations = Mapping[Identity, ExecutionConfiguration]
"""Declared configurations of benchmarks (`steady.engine.Runs.declared`)."""


@dataclass(frozen=True, slots=True)
class Workload:
    """The workload of one benchmark.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    configuration : ExecutionConfiguration
        Its configuration; `forks` is for each version, at least one.
    fork_seconds : float
        Expected seconds of one fork.
    timeout : float
        Seconds after which a fork is stopped.
    versions : tuple of str
        Names of the versions that have the benchmark.
    in_turn_seconds : float, optional
        Expected seconds of two interleaved forks, if a plan has them.
    """

    identity: Identity
    configuration: ExecutionConfiguration
    fork_seconds: float
    timeout: float
    versions: tuple[str, ...]
    in_turn_seconds: float | None = None

    @property
    def all_seconds(self) -> float:
        """Expected seconds of all its forks, of all versions together."""
        return self.fork_seconds * self.configuration.forks * len(self.versions)

    @classmethod
    def of(
        cls,
        identity: Identity,
        configuration: ExecutionConfiguration,
        held: Held,
        *,
        fork_seconds: float | None = None,
        timeout: float | None = None,
        harness: str = DEFAULT_HARNESS,
    ) -> Workload:
        """Compute missing values: seconds from the configuration, timeout from the seconds."""
        seconds = nominal_seconds(configuration, harness) if fork_seconds is None else fork_seconds
        limit = TIMEOUT_FACTOR * seconds + TIMEOUT_LEEWAY_SECONDS
        if fork_seconds is None and configuration.iteration_seconds == 0:
            shots = configuration.warmup_iterations + configuration.iterations
            limit += LONGEST_SHOT_SECONDS + shots * USUAL_SHOT_SECONDS
        limit = limit if timeout is None else timeout
        versions = tuple(name for name, identities in held.items() if identity in identities)
        return cls(identity, configuration, seconds, limit, versions)


def nominal_seconds(configuration: ExecutionConfiguration, harness: str = DEFAULT_HARNESS) -> float:
    """Return the expected seconds of one fork, before any has run.

    If an operation is longer than an iteration, the fork takes longer; this is not known yet.
    """
    own, unknown = harness_named(harness).cost, np.array(np.nan)
    warmup, measured = (
        float(own.lasting(seconds, unknown, 1))
        for seconds in (configuration.warmup_seconds, configuration.iteration_seconds)
    )
    return (
        own.fork_seconds
        + configuration.warmup_iterations * warmup
        + configuration.iterations * measured
    )


def interleaved(workloads: Iterable[Workload], harness: str) -> list[Workload]:
    """Return workloads whose forks are interleaved: each counts for half of its pair's seconds.

    A benchmark that only one version has runs as before.
    """
    return [
        replace(w, fork_seconds=_interleaved_seconds(w, harness) / 2) if len(w.versions) == 2 else w
        for w in workloads
    ]


def _interleaved_seconds(workload: Workload, harness: str) -> float:
    if workload.in_turn_seconds is not None:
        return workload.in_turn_seconds
    run = workload.configuration
    measured = run.iterations * run.iteration_seconds
    return float(
        pair_seconds(workload.fork_seconds, measured, harness_named(harness).cost.turning(run))
    )


def planned(plan: Plan, held: Held, *, timeout: float | None = None) -> list[Workload]:
    """Return the benchmarks of a plan, for every version that has them.

    Parameters
    ----------
    plan : Plan
        The plan.
    held : mapping of str to collection of Identity
        The benchmarks of each version; `missing_benchmarks` returns the others.
    timeout : float, optional
        Seconds for every fork, instead of those that follow from its price.

    Returns
    -------
    list of Workload
        In the plan's order, without the benchmarks that no version has.

    Raises
    ------
    InputError
        If the plan runs a benchmark without a fork.
    """
    workloads = []
    for entry in plan.benchmarks:
        if entry.forks < 1:
            raise InputError(
                f"{entry.identity.label}: the plan gives it {entry.forks} forks, but only forks "
                "can be interleaved; make a new plan from a run with forks"
            )
        price: dict[str, float] = {}
        if not has_edited_seconds(entry, plan.harness):
            price["fork_seconds"] = entry.seconds / entry.forks
        workload = Workload.of(
            entry.identity,
            entry.configuration,
            held,
            timeout=timeout,
            harness=plan.harness,
            **price,
        )
        if price and entry.pair_seconds is not None:
            workload = replace(workload, in_turn_seconds=entry.pair_seconds / entry.forks)
        if workload.versions:
            workloads.append(workload)
    return workloads


def has_edited_seconds(entry: BenchmarkPlan, harness: str = DEFAULT_HARNESS) -> bool:
    """Return whether the plan of a benchmark was edited so that its seconds are too few.

    Its iterations then take longer than the recorded seconds, which are ignored. Iterations take
    at least their configured time, except those of a command, which are one execution each.
    """
    run, lasting = entry.configuration, harness_named(harness).cost.lasting
    warmup, measured = (
        min(seconds, float(lasting(seconds, _NEXT_TO_NO_TIME, 1)))
        for seconds in (run.warmup_seconds, run.iteration_seconds)
    )
    least = run.warmup_iterations * warmup + run.iterations * measured
    return entry.seconds < _SHORTEST_SHARE * entry.forks * least


def configured(
    identities: Iterable[Identity],
    configuration: ExecutionConfiguration,
    held: Held,
    *,
    declared: Declarations | None = None,
    shorter: bool = False,
    timeout: float | None = None,
    harness: str = DEFAULT_HARNESS,
) -> list[Workload]:
    """Return workloads with the same numbers of forks and iterations.

    All else follows the declarations of each benchmark, such as the batch size, which defines the
    operation. With `shorter`, declared iterations shorter than those of `configuration` are kept.
    Single-shot benchmarks have no iteration time: one iteration is one operation.
    """
    known = declared or {}
    adapted = _shortened if shorter else _kept
    return [
        Workload.of(
            identity,
            adapted(_for_mode(configuration, identity.mode), known.get(identity)),
            held,
            timeout=timeout,
            harness=harness,
        )
        for identity in identities
    ]


def full_run(forks: int, iterations: int, seconds: float) -> ExecutionConfiguration:
    """Return the configuration of a full run, in which the warm-up is measured.

    `seconds` is the maximum time of an iteration: see `configured`.
    """
    return ExecutionConfiguration(forks, 0, iterations, seconds, seconds)


def unplanned_run(forks: int, iterations: int) -> ExecutionConfiguration:
    """Return the configuration without a plan: an equally long warm-up, and iterations of 1 s."""
    return ExecutionConfiguration(forks, iterations, iterations, 1.0, 1.0)


def all_identities(held: Held) -> tuple[Identity, ...]:
    """Return the benchmarks of all versions, in the order of the first version that has each."""
    return tuple(dict.fromkeys(i for identities in held.values() for i in identities))


def newest_declarations(declared: Mapping[str, Declarations]) -> Declarations:
    """Return the declared configuration of each benchmark in its last version."""
    return {i: known for version in declared.values() for i, known in version.items()}


def missing_benchmarks(plan: Plan, held: Held) -> dict[str, tuple[Identity, ...]]:
    """Return, for each version, the benchmarks of the plan that it does not contain."""
    missing = {
        name: tuple(identity for identity in plan if identity not in identities)
        for name, identities in held.items()
    }
    return {name: identities for name, identities in missing.items() if identities}


def _kept(
    configuration: ExecutionConfiguration, declared: ExecutionConfiguration | None
) -> ExecutionConfiguration:
    if declared is None:
        return configuration
    return replace(
        configuration,
        warmup_batch_size=declared.warmup_batch_size,
        batch_size=declared.batch_size,
    )


def _shortened(
    configuration: ExecutionConfiguration, declared: ExecutionConfiguration | None
) -> ExecutionConfiguration:
    kept = _kept(configuration, declared)
    if declared is None or not 0 < declared.iteration_seconds < kept.iteration_seconds:
        return kept
    seconds = declared.iteration_seconds
    return replace(kept, warmup_seconds=seconds, iteration_seconds=seconds)


def _for_mode(configuration: ExecutionConfiguration, mode: str) -> ExecutionConfiguration:
    if mode != SINGLE_SHOT:
        return configuration
    return replace(configuration, warmup_seconds=0.0, iteration_seconds=0.0)

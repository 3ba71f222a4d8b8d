"""What is to be measured: from a plan, as a full run, or because it is new."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from steady.errors import InputError
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.cost import STARTUP_SECONDS, iteration_seconds
from steady.optimize.plan import Plan
from steady.readers.go import STARTUP_SECONDS as GO_STARTUP_SECONDS
from steady.readers.jmh_json import SINGLE_SHOT

TIMEOUT_FACTOR = 10.0
TIMEOUT_LEEWAY_SECONDS = 60.0
"""A fork counts as hung after ten times what it should take and a minute: far beyond noise."""

LONGEST_SHOT_SECONDS = 600.0
USUAL_SHOT_SECONDS = 60.0
"""A single shot has no nominal time. JMH interrupts one after ten minutes; so long may one of a
fork take that was never timed, and the others a minute each."""

_COUNTS = re.compile(r"([1-9]\d{0,5})x([1-9]\d{0,5})", re.ASCII)

Held = Mapping[str, Collection[Identity]]
"""By the name of a version, the benchmarks that it holds; sets or dictionaries, for speed."""

Declarations = Mapping[Identity, ExecutionConfiguration]
"""What benchmarks declare of themselves (`steady.run.Harness.declared`)."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What is to be measured of one benchmark.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    configuration : ExecutionConfiguration
        How; `forks` of each version, at least one.
    fork_seconds : float
        What one fork is expected to take.
    timeout : float
        Seconds after which a fork is taken for hung.
    versions : tuple of str
        Names of the versions that hold the benchmark.
    """

    identity: Identity
    configuration: ExecutionConfiguration
    fork_seconds: float
    timeout: float
    versions: tuple[str, ...]

    @classmethod
    def of(
        cls,
        identity: Identity,
        configuration: ExecutionConfiguration,
        held: Held,
        *,
        fork_seconds: float | None = None,
        timeout: float | None = None,
        harness: str = "jmh",
    ) -> Workload:
        """Fill in what is not given: seconds by the configuration, timeout by the seconds."""
        seconds = nominal_seconds(configuration, harness) if fork_seconds is None else fork_seconds
        limit = TIMEOUT_FACTOR * seconds + TIMEOUT_LEEWAY_SECONDS
        if fork_seconds is None and configuration.iteration_seconds == 0:
            shots = configuration.warmup_iterations + configuration.iterations
            limit += LONGEST_SHOT_SECONDS + shots * USUAL_SHOT_SECONDS
        limit = limit if timeout is None else timeout
        versions = tuple(name for name, identities in held.items() if identity in identities)
        return cls(identity, configuration, seconds, limit, versions)


def nominal_seconds(configuration: ExecutionConfiguration, harness: str = "jmh") -> float:
    """Return what one fork takes, as far as it can be told before any was run.

    An operation that is longer than the iteration makes it longer; nobody knows yet.
    """
    unknown = np.array(np.nan)
    warmup, measured = (
        float(iteration_seconds(seconds, unknown, harness=harness))
        for seconds in (configuration.warmup_seconds, configuration.iteration_seconds)
    )
    return (
        (GO_STARTUP_SECONDS if harness == "go" else STARTUP_SECONDS)
        + configuration.warmup_iterations * warmup
        + configuration.iterations * measured
    )


def parse_counts(text: str) -> tuple[int, int]:
    """Parse forks x iterations: ``5x60``.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    match = _COUNTS.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not forks x iterations; write 5x60")
    return int(match[1]), int(match[2])


def planned(plan: Plan, held: Held, *, timeout: float | None = None) -> list[Workload]:
    """Return what a plan says, for every version that holds it.

    Parameters
    ----------
    plan : Plan
        The plan.
    held : mapping of str to collection of Identity
        What each version holds; see `absent` for what it does not.
    timeout : float, optional
        Seconds for every fork, instead of those that follow from its price.

    Returns
    -------
    list of Workload
        In the plan's order, without the benchmarks that no version holds.

    Raises
    ------
    InputError
        If the plan lets a benchmark run without a fork of its own.
    """
    workloads = []
    for entry in plan.benchmarks:
        if entry.forks < 1:
            raise InputError(
                f"{entry.identity.label}: the plan gives it {entry.forks} forks, and only forks "
                "can be run in turn; make the plan anew from a run with forks"
            )
        seconds = entry.seconds / entry.forks
        workload = Workload.of(
            entry.identity, entry.configuration, held, fork_seconds=seconds, timeout=timeout
        )
        if workload.versions:
            workloads.append(workload)
    return workloads


def configured(
    identities: Iterable[Identity],
    configuration: ExecutionConfiguration,
    held: Held,
    *,
    declared: Declarations | None = None,
    timeout: float | None = None,
    harness: str = "jmh",
) -> list[Workload]:
    """Return the same numbers of forks and iterations for many benchmarks.

    The rest is what each declares: a batch size says what its operation is. Single-shot
    benchmarks have no iteration time: one iteration is one operation.
    """
    told = declared or {}
    return [
        Workload.of(
            identity,
            _kept(_for_mode(configuration, identity.mode), told.get(identity)),
            held,
            timeout=timeout,
            harness=harness,
        )
        for identity in identities
    ]


def full_run(forks: int, iterations: int, seconds: float) -> ExecutionConfiguration:
    """Return the configuration of a full run: warm-up is measured, so that it can be found."""
    return ExecutionConfiguration(forks, 0, iterations, seconds, seconds)


def unplanned_run(forks: int, iterations: int) -> ExecutionConfiguration:
    """Return what a benchmark without a plan runs: as long a warm-up, then iterations of 1 s."""
    return ExecutionConfiguration(forks, iterations, iterations, 1.0, 1.0)


def everything(held: Held) -> tuple[Identity, ...]:
    """Return what any version holds, in the order of the first that does."""
    return tuple(dict.fromkeys(i for identities in held.values() for i in identities))


def absent(plan: Plan, held: Held) -> dict[str, tuple[Identity, ...]]:
    """Return, by version, the benchmarks of the plan that it does not hold."""
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


def _for_mode(configuration: ExecutionConfiguration, mode: str) -> ExecutionConfiguration:
    if mode != SINGLE_SHOT:
        return configuration
    return replace(configuration, warmup_seconds=0.0, iteration_seconds=0.0)

"""The plan as a file: ``.steady/plan.json``, with a version.

The classes declare the file: reading, writing and the JSON schema follow from them.
"""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import asdict as table_of

from steady.errors import InputError
from steady.files import json_text, parse_json, read_json, write_text
from steady.model import Environment, ExecutionConfiguration, Identity
from steady.optimize.between_runs import BetweenRuns
from steady.optimize.plan import BenchmarkPlan, Plan, Status

_WHAT = "a steady plan, version 1"
_REMEDY = "make it anew with `steady optimize`"

_MOST = 2**31 - 1  # what a JVM counts with
Count = Annotated[int, Meta(ge=0, le=_MOST)]
Positive = Annotated[int, Meta(ge=1, le=_MOST)]
Batch = Annotated[int, Meta(ge=1, le=10**10)]
Amount = Annotated[float, Meta(ge=0, le=1e300)]


class _Table(Struct, frozen=True, forbid_unknown_fields=True):
    """An object of the file; its fields stand there in the order that they have here."""


class EnvironmentEntry(_Table, frozen=True, kw_only=True):
    """Where a benchmark ran."""

    cpu: str
    os: str
    jdk: str
    vm: str
    jvm_args: tuple[str, ...]


class BetweenRunsEntry(_Table, frozen=True, kw_only=True):
    """What another run adds to the expected errors.

    `ratio` is the standard deviation between runs, in standard deviations between forks; `runs`
    are the earlier runs that it was learnt from, 0 for an allowance from public results.
    """

    ratio: Amount
    runs: Count


class ConfigurationEntry(_Table, frozen=True, kw_only=True):
    """How often and how long a benchmark is repeated."""

    forks: Count
    warmup_iterations: Count
    iterations: Positive
    warmup_seconds: Amount
    iteration_seconds: Amount
    warmup_batch_size: Batch = 1
    batch_size: Batch = 1


class PlanEntry(_Table, frozen=True, kw_only=True):
    """What one benchmark runs from now on, and what it ran to make the plan (`full`).

    Parameters and values stand in the harness's order. `today` is what its project runs by its
    annotations or the harness's defaults; it is absent where that is not known. The expected
    error is a fraction, on forks that the choice did not see, with what `between_runs` adds. A
    stability of null is also an infinite one. Starts and odd forks count from 0; a start of null
    is a fork that is never steady.
    """

    name: Annotated[str, Meta(min_length=1)]
    mode: str
    params: tuple[tuple[str, str], ...]
    threads: Positive
    configuration: ConfigurationEntry
    full: ConfigurationEntry
    today: ConfigurationEntry | UnsetType = UNSET
    today_seconds: Amount | UnsetType = UNSET
    seconds: Amount
    full_seconds: Amount
    status: Status
    reason: str
    expected_error: Amount | None = None
    stability: Annotated[float, Meta(ge=-1e300, le=1e300)] | None = None
    starts: tuple[Count | None, ...] = ()
    odd_forks: tuple[Count, ...] = ()
    similar: bool | None = None

    def __post_init__(self) -> None:
        if (self.today is UNSET) != (self.today_seconds is UNSET):
            raise ValueError("has only one of `today` and `today_seconds`")


class PlanFile(_Table, frozen=True, kw_only=True):
    """A plan: all that its strategy was told, and what each benchmark runs from now on.

    `data_digest` is the SHA-256 over the measurements that the plan was made from, `only` the
    regular expression to which their run was narrowed. Without `between_runs` another run adds
    nothing to the expected errors. `today_seconds` is absent where it is not known of every
    benchmark.
    """

    steady_plan: Literal[1]
    strategy: str
    options: dict[str, str | float | int | bool | None]
    harness: str
    harness_version: str = ""
    data_digest: str = ""
    only: str | UnsetType = UNSET
    environments: tuple[EnvironmentEntry, ...] = ()
    between_runs: BetweenRunsEntry | None = None
    seconds: Amount
    full_seconds: Amount
    today_seconds: Amount | UnsetType = UNSET
    benchmarks: tuple[PlanEntry, ...]


def plan_to_json(plan: Plan) -> str:
    """Return the plan as JSON text: the same plan gives the same bytes."""
    runs = plan.between_runs
    file = PlanFile(
        steady_plan=1,
        strategy=plan.strategy,
        options=dict(plan.options),
        harness=plan.harness,
        harness_version=plan.harness_version,
        data_digest=plan.data_digest,
        only=plan.only or UNSET,
        environments=tuple(EnvironmentEntry(**asdict(e)) for e in plan.environments),
        between_runs=None if runs is None else _between_runs(runs),
        seconds=round(plan.seconds, 3),
        full_seconds=round(plan.full_seconds, 3),
        today_seconds=_seconds(plan.today_seconds),
        benchmarks=tuple(map(_entry, plan.benchmarks)),
    )
    return json_text(file)


def plan_from_json(text: str, *, source: str | Path | None = None) -> Plan:
    """Return the plan that `text` holds.

    Raises
    ------
    InputError
        If it is no plan, or of another version.
    """
    return _plan(parse_json(text, PlanFile, what=_WHAT, remedy=_REMEDY, source=source), source)


def read_plan(path: str | Path) -> Plan:
    """Return the plan in a file; see `plan_from_json`."""
    return _plan(read_json(path, PlanFile, what=_WHAT, remedy=_REMEDY), path)


def write_plan(plan: Plan, path: str | Path) -> Path:
    """Write the plan to a file, whole or not at all."""
    return write_text(path, plan_to_json(plan))


def _entry(plan: BenchmarkPlan) -> PlanEntry:
    known = plan.today is not None and plan.today_seconds is not None
    return PlanEntry(
        **asdict(plan.identity),
        configuration=_repetition(plan.configuration),
        full=_repetition(plan.full),
        today=_repetition(plan.today) if plan.today is not None and known else UNSET,
        today_seconds=_seconds(plan.today_seconds) if known else UNSET,
        seconds=round(plan.seconds, 3),
        full_seconds=round(plan.full_seconds, 3),
        status=plan.status,
        reason=plan.reason,
        expected_error=_number(plan.expected_error),
        stability=_number(plan.stability),
        starts=plan.starts,
        odd_forks=plan.odd_forks,
        similar=plan.similar,
    )


def _repetition(configuration: ExecutionConfiguration) -> ConfigurationEntry:
    return ConfigurationEntry(**asdict(configuration))


def _between_runs(runs: BetweenRuns) -> BetweenRunsEntry:
    return BetweenRunsEntry(ratio=round(runs.ratio, 6), runs=runs.runs)


def _seconds(value: float | None) -> float | UnsetType:
    return UNSET if value is None else round(value, 3)


def _number(value: float | None) -> float | None:
    return round(value, 6) if value is not None and isfinite(value) else None


def _plan(file: PlanFile, source: str | Path | None) -> Plan:
    plans = tuple(map(_benchmark, file.benchmarks))
    seen: set[Identity] = set()
    for index, plan in enumerate(plans):
        if plan.identity in seen:
            raise InputError(
                f"{plan.identity.label} stands twice; {_REMEDY}",
                source=source,
                where=f"$.benchmarks[{index}]",
            )
        seen.add(plan.identity)
    runs = file.between_runs
    return Plan(
        plans,
        file.strategy,
        options=file.options,
        harness=file.harness,
        harness_version=file.harness_version,
        environments=tuple(Environment(**table_of(e)) for e in file.environments),
        data_digest=file.data_digest,
        only=file.only or "",
        between_runs=None if runs is None else BetweenRuns(runs.ratio, runs.runs),
    )


def _benchmark(entry: PlanEntry) -> BenchmarkPlan:
    return BenchmarkPlan(
        identity=Identity(entry.name, entry.mode, entry.params, entry.threads),
        configuration=ExecutionConfiguration(**table_of(entry.configuration)),
        full=ExecutionConfiguration(**table_of(entry.full)),
        seconds=entry.seconds,
        full_seconds=entry.full_seconds,
        status=entry.status,
        reason=entry.reason,
        expected_error=entry.expected_error,
        stability=entry.stability,
        starts=entry.starts,
        odd_forks=entry.odd_forks,
        similar=entry.similar,
        today=ExecutionConfiguration(**table_of(entry.today)) if entry.today else None,
        today_seconds=None if entry.today_seconds is UNSET else entry.today_seconds,
    )

"""The plan's file, ``.steady/plan.json``, with its format version.

The classes define the format: reading, writing and the JSON schema are derived from them.
"""

from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, convert, structs

from steady.errors import InputError
from steady.files import json_text, parse_json, plain, read_json, write_text
from steady.harnesses import harness_named
from steady.model import Environment, ExecutionConfiguration, Identity
from steady.model.json_tables import fields_of
from steady.plan.historical_variance import HistoricalVariance
from steady.plan.suite_plan import Plan, Status

FILE_NAME = "plan.json"
"""File name of a plan in its folder."""

_WHAT = "a steady plan, version 1"
_REMEDY = "make a new one with `steady optimize`"

_MOST = 2**31 - 1  # a JVM's largest int
Count = Annotated[int, Meta(ge=0, le=_MOST)]
Positive = Annotated[int, Meta(ge=1, le=_MOST)]
Batch = Annotated[int, Meta(ge=1, le=10**10)]
Amount = Annotated[float, Meta(ge=0, le=1e300)]


class _Table(Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON object of the file, with its fields in the order of declaration."""


@fields_of(Environment, {}, complete=True)
class EnvironmentEntry(_Table, frozen=True):
    """The environment in which a benchmark ran."""


@fields_of(
    ExecutionConfiguration,
    {int: Count, float: Amount},
    iterations=Positive,
    warmup_batch_size=Batch,
    batch_size=Batch,
)
class ConfigurationEntry(_Table, frozen=True):
    """The execution configuration of a benchmark: numbers and lengths of repetitions."""


@fields_of(HistoricalVariance, {float: Amount}, complete=True)
class KnownForksEntry(_Table, frozen=True):
    """The historical variance between pairs of forks of a benchmark, in logarithms.

    `noise` is the part of the `variance` that is due to iterations, `freedom` its degrees of
    freedom. `steps` is the variation between successive iterations if the forks were not
    interleaved.
    """


@fields_of(Identity, {int: Positive}, complete=True, name=Annotated[str, Meta(min_length=1)])
class _NamedEntry(_Table, frozen=True):
    """The identity of a benchmark."""


class PlanEntry(_NamedEntry, frozen=True, kw_only=True):
    """The planned configuration of one benchmark, and that of the full run (`full`).

    Parameters and values are in the harness's order. `today` is the project's current
    configuration, from annotations or the harness's defaults; it is absent if unknown. The expected
    error is a fraction, estimated on held-out forks with an allowance for the variance between
    runs. The stability is null if it is unknown or infinite. Starts and odd forks count from 0; the
    start of a fork that is never steady is null. `detectable` is the detectable effect between two
    versions, as a fraction, and `recorded_rounds` the number of interleaved pairs of forks from
    which it is estimated (0: it is an upper bound from forks that were not interleaved). Both are
    present only if the strategy plans for them. `pair_seconds` is the cost of base and head
    together. An `important` benchmark is measured in every pull request. `known_forks` is prior
    data for verdicts. `judged_by` is the detector that found the warm-up in the `judged_iterations`
    of the shortest fork, or "drift-test" if these are too few for any detector.
    """

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
    detectable: Amount | UnsetType = UNSET
    recorded_rounds: Count | UnsetType = UNSET
    pair_seconds: Amount | UnsetType = UNSET
    important: bool | UnsetType = UNSET
    known_forks: KnownForksEntry | UnsetType = UNSET
    judged_by: str | UnsetType = UNSET
    judged_iterations: Count | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.today is UNSET) != (self.today_seconds is UNSET):
            raise ValueError("has only one of `today` and `today_seconds`")
        known = self.detectable, self.recorded_rounds
        if len({value is UNSET for value in known}) > 1:
            raise ValueError("has only one of `detectable` and `recorded_rounds`")
        if self.detectable is not UNSET and self.pair_seconds is UNSET:
            raise ValueError("has `detectable` but no `pair_seconds`")


class PlanFile(_Table, frozen=True, kw_only=True):
    """A plan: the options of its strategy, and the configuration of each benchmark.

    `data_digest` is the SHA-256 of the measurements from which the plan was made, `only` the
    regular expression that selected their benchmarks. `today_seconds` is absent unless it is known
    for every benchmark. `learnt_from` lists the runs used for `known_forks`, which is therefore not
    used as prior data when these runs are compared. `rotation` is the number of pull requests in
    which every benchmark is measured once; if absent, all benchmarks are measured in each. `judged`
    is one line that names the detector used and the reason.
    """

    steady_plan: Literal[1]
    strategy: str
    options: dict[str, str | float | int | bool | None]
    harness: str
    harness_version: str = ""
    data_digest: str = ""
    only: str | UnsetType = UNSET
    rotation: Positive | UnsetType = UNSET
    environments: tuple[EnvironmentEntry, ...] = ()
    learnt_from: tuple[str, ...] | UnsetType = UNSET
    seconds: Amount
    full_seconds: Amount
    today_seconds: Amount | UnsetType = UNSET
    judged: str | UnsetType = UNSET
    benchmarks: tuple[PlanEntry, ...]


def plan_to_json(plan: Plan) -> str:
    """Return the plan as JSON text, deterministically."""
    table = plain(plan) | {
        "steady_plan": 1,
        "seconds": plan.seconds,
        "full_seconds": plan.full_seconds,
        "today_seconds": plan.today_seconds,
        "rotation": plan.rotation if plan.rotation > 1 else None,
        "judged": plan.judged,
    }
    table["benchmarks"] = [
        _in_order(PlanEntry, entry["identity"] | entry | {"important": entry["important"] or None})
        for entry in table["benchmarks"]
    ]
    return json_text(_in_order(PlanFile, table))


def plan_from_json(text: str, *, source: str | Path | None = None) -> Plan:
    """Return the plan in JSON text.

    Raises
    ------
    InputError
        If it is not a plan, or has a different format version.
    """
    return _plan(parse_json(text, PlanFile, what=_WHAT, remedy=_REMEDY, source=source), source)


def read_plan(path: str | Path) -> Plan:
    """Return the plan in a file; see `plan_from_json`.

    Examples
    --------
    >>> import steady
    >>> identity = steady.Identity("example.com/codec.BenchmarkParse")
    >>> full = steady.ExecutionConfiguration(5, 0, 60, 1.0, 1.0)
    >>> short = steady.ExecutionConfiguration(3, 8, 10, 1.0, 1.0)
    >>> entry = steady.BenchmarkPlan(identity, short, full, 54.0, 300.0, "reduced", "steady early")
    >>> plan = steady.Plan((entry,), "error-budget", harness="go")
    >>> path = steady.write_plan(plan, "plan.json")
    >>> steady.read_plan(path)["BenchmarkParse"].forks
    3
    """
    return _plan(read_json(path, PlanFile, what=_WHAT, remedy=_REMEDY), path)


def plan_at(path: Path) -> Plan:
    """Read a plan from a file, or from the folder that contains it."""
    return read_plan(path / FILE_NAME if path.is_dir() else path)


def write_plan(plan: Plan, path: str | Path) -> Path:
    """Write the plan to a file, atomically.

    Examples
    --------
    >>> import steady
    >>> identity = steady.Identity("example.com/codec.BenchmarkParse")
    >>> full = steady.ExecutionConfiguration(5, 0, 60, 1.0, 1.0)
    >>> short = steady.ExecutionConfiguration(3, 8, 10, 1.0, 1.0)
    >>> entry = steady.BenchmarkPlan(identity, short, full, 54.0, 300.0, "reduced", "steady early")
    >>> plan = steady.Plan((entry,), "error-budget", harness="go")
    >>> steady.write_plan(plan, "plan.json").name
    'plan.json'
    """
    return write_text(path, plan_to_json(plan))


def _in_order(kind: type[Struct], table: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of `kind` in order; optional fields are omitted if they are empty."""
    return {
        name: table[name]
        for name in kind.__struct_fields__
        if name not in _unset(kind) or table.get(name) not in ("", None, [], ())
    }


@cache
def _unset(kind: type[Struct]) -> frozenset[str]:
    return frozenset(one.name for one in structs.fields(kind) if one.default is UNSET)


def _plan(file: PlanFile, source: str | Path | None) -> Plan:
    table = plain(file)
    # The fields of an identity are inlined in its entry.
    table["benchmarks"] = [entry | {"identity": entry} for entry in table["benchmarks"]]
    table["start_seconds"] = harness_named(file.harness).cost.start_seconds
    plan = convert(table, Plan)
    seen: set[Identity] = set()
    for index, identity in enumerate(entry.identity for entry in plan.benchmarks):
        if identity in seen:
            raise InputError(
                f"{identity.label} appears twice; {_REMEDY}",
                source=source,
                where=f"$.benchmarks[{index}]",
            )
        seen.add(identity)
    return plan

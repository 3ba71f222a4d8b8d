"""The plan as a file: ``.steady/plan.json``, with a version.

The classes declare the file: reading, writing and the JSON schema follow from them.
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
"""What a plan is called in its folder."""

_WHAT = "a steady plan, version 1"
_REMEDY = "make a new one with `steady optimize`"

_MOST = 2**31 - 1  # a JVM's largest int
Count = Annotated[int, Meta(ge=0, le=_MOST)]
Positive = Annotated[int, Meta(ge=1, le=_MOST)]
Batch = Annotated[int, Meta(ge=1, le=10**10)]
Amount = Annotated[float, Meta(ge=0, le=1e300)]


class _Table(Struct, frozen=True, forbid_unknown_fields=True):
    """An object of the file; its fields stand there in the order that they have here."""


@fields_of(Environment, {}, complete=True)
class EnvironmentEntry(_Table, frozen=True):
    """Where a benchmark ran."""


@fields_of(
    ExecutionConfiguration,
    {int: Count, float: Amount},
    iterations=Positive,
    warmup_batch_size=Batch,
    batch_size=Batch,
)
class ConfigurationEntry(_Table, frozen=True):
    """How often and how long a benchmark is repeated."""


@fields_of(HistoricalVariance, {float: Amount}, complete=True)
class KnownForksEntry(_Table, frozen=True):
    """How much pairs of forks of a benchmark differ, as logarithms.

    `noise` is the part of the `variance` that iterations explain, `freedom` its degrees of freedom.
    `steps` is how much an iteration differs from the next one, where the forks took no turns.
    """


@fields_of(Identity, {int: Positive}, complete=True, name=Annotated[str, Meta(min_length=1)])
class _NamedEntry(_Table, frozen=True):
    """The identity of a benchmark."""


class PlanEntry(_NamedEntry, frozen=True, kw_only=True):
    """What one benchmark runs from now on, and what it ran to make the plan (`full`).

    Parameters and values stand in the harness's order. `today` is what its project runs by its
    annotations or the harness's defaults; it is absent where that is not known. The expected
    error is a fraction, on forks that the choice did not see, with an allowance for another run. A
    stability of null is also an infinite one. Starts and odd forks count from 0; a start of null
    is a fork that is never steady. `detectable` is the change between two versions that the
    configuration is enough to find, as a fraction, `recorded_rounds` the pairs of forks that took
    turns from which that follows (0: it is an upper bound, from forks that took none). They stand
    only where the strategy plans for them. `pair_seconds` is what base and head cost together. An
    `important` benchmark is looked at in every pull request. Verdicts start from `known_forks`.
    `judged_by` is the detector that found the warm-up in the `judged_iterations` of the shortest
    fork, or "drift-test" where these are too few for any detector.
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
            raise ValueError("has `detectable`, and no `pair_seconds`")


class PlanFile(_Table, frozen=True, kw_only=True):
    """A plan: all options of its strategy, and what each benchmark runs from now on.

    `data_digest` is the SHA-256 over the measurements that the plan was made from, `only` the
    regular expression to which their run was narrowed. `today_seconds` is absent where it is not
    known of every benchmark. `learnt_from` are the runs whose rounds are in `known_forks`, which
    are therefore not known beforehand when these runs are compared. `rotation` is in how many pull
    requests every benchmark is looked at once; without it, each looks at all. `judged` says in one
    line which detector judged the benchmarks, and why.
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
    """Return the plan as JSON text: the same plan gives the same bytes."""
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
    """Return the plan that `text` holds.

    Raises
    ------
    InputError
        If it is not a plan, or of another version.
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
    """Read a plan from its file, or from its folder."""
    return read_plan(path / FILE_NAME if path.is_dir() else path)


def write_plan(plan: Plan, path: str | Path) -> Path:
    """Write the plan to a file, whole or not at all.

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
    """Return the fields of `kind`; those that may be unset are absent where nothing is known."""
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
    # An entry holds the fields of its identity beside its own.
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

"""The plan as a file: ``.steady/plan.json``, with a versioned schema."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from importlib import resources
from math import isfinite
from pathlib import Path
from typing import Any, cast

from steady.errors import InputError
from steady.files import parse_json, read_json, write_text
from steady.model import Environment, ExecutionConfiguration, Identity
from steady.optimize.between_runs import BetweenRuns
from steady.optimize.plan import BenchmarkPlan, Plan

_WHAT = "a steady plan, version 1"
_REMEDY = "make it anew with `steady optimize`"


@cache
def plan_schema() -> dict[str, Any]:
    """Return the JSON schema of ``plan.json``."""
    text = resources.files(__package__).joinpath("plan.schema.json").read_text(encoding="utf-8")
    return cast("dict[str, Any]", json.loads(text))


def plan_to_json(plan: Plan) -> str:
    """Return the plan as JSON text: the same plan gives the same bytes."""
    data = {
        "steady_plan": 1,
        "strategy": plan.strategy,
        "options": dict(plan.options),
        "harness": plan.harness,
        "harness_version": plan.harness_version,
        "data_digest": plan.data_digest,
        **({"only": plan.only} if plan.only else {}),
        "environments": [asdict(environment) for environment in plan.environments],
        "between_runs": _runs(plan.between_runs),
        "seconds": round(plan.seconds, 3),
        "full_seconds": round(plan.full_seconds, 3),
        **({} if plan.today_seconds is None else {"today_seconds": round(plan.today_seconds, 3)}),
        "benchmarks": [_entry(benchmark) for benchmark in plan.benchmarks],
    }
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def plan_from_json(text: str, *, source: str | Path | None = None) -> Plan:
    """Return the plan that `text` holds.

    Raises
    ------
    InputError
        If it is no plan, or of another version.
    """
    return _plan(parse_json(text, plan_schema(), what=_WHAT, remedy=_REMEDY, source=source), source)


def read_plan(path: str | Path) -> Plan:
    """Return the plan in a file; see `plan_from_json`."""
    return _plan(read_json(path, plan_schema(), what=_WHAT, remedy=_REMEDY), path)


def write_plan(plan: Plan, path: str | Path) -> Path:
    """Write the plan to a file, whole or not at all."""
    return write_text(path, plan_to_json(plan))


def _entry(plan: BenchmarkPlan) -> dict[str, Any]:
    identity = plan.identity
    return {
        "name": identity.name,
        "mode": identity.mode,
        "params": [list(pair) for pair in identity.params],
        "threads": identity.threads,
        "configuration": asdict(plan.configuration),
        "full": asdict(plan.full),
        **_today(plan),
        "seconds": round(plan.seconds, 3),
        "full_seconds": round(plan.full_seconds, 3),
        "status": plan.status,
        "reason": plan.reason,
        "expected_error": _number(plan.expected_error),
        "stability": _number(plan.stability),
        "starts": list(plan.starts),
        "odd_forks": list(plan.odd_forks),
        "similar": plan.similar,
    }


def _today(plan: BenchmarkPlan) -> dict[str, Any]:
    """Return what the project runs today; nothing where it is not known, as in older plans."""
    if plan.today is None or plan.today_seconds is None:
        return {}
    return {"today": asdict(plan.today), "today_seconds": round(plan.today_seconds, 3)}


def _runs(runs: BetweenRuns | None) -> dict[str, Any] | None:
    return None if runs is None else {"ratio": round(runs.ratio, 6), "runs": runs.runs}


def _between_runs(data: dict[str, Any] | None) -> BetweenRuns | None:
    return None if data is None else BetweenRuns(float(data["ratio"]), int(data["runs"]))


def _number(value: float | None) -> float | None:
    return round(value, 6) if value is not None and isfinite(value) else None


def _plan(data: dict[str, Any], source: str | Path | None) -> Plan:
    plans = tuple(_benchmark(entry) for entry in data["benchmarks"])
    seen: set[Identity] = set()
    for index, plan in enumerate(plans):
        if plan.identity in seen:
            raise InputError(
                f"{plan.identity.label} stands twice; {_REMEDY}",
                source=source,
                where=f"$.benchmarks[{index}]",
            )
        seen.add(plan.identity)
    environments = [
        Environment(**{**entry, "jvm_args": tuple(entry["jvm_args"])})
        for entry in data.get("environments", [])
    ]
    return Plan(
        plans,
        data["strategy"],
        options=data["options"],
        harness=data["harness"],
        harness_version=data.get("harness_version", ""),
        environments=tuple(environments),
        data_digest=data.get("data_digest", ""),
        only=data.get("only", ""),
        between_runs=_between_runs(data.get("between_runs")),
    )


def _benchmark(entry: dict[str, Any]) -> BenchmarkPlan:
    return BenchmarkPlan(
        identity=Identity(
            entry["name"],
            entry["mode"],
            tuple((key, value) for key, value in entry["params"]),
            int(entry["threads"]),
        ),
        configuration=_configuration(entry["configuration"]),
        full=_configuration(entry["full"]),
        seconds=entry["seconds"],
        full_seconds=entry["full_seconds"],
        status=entry["status"],
        reason=entry["reason"],
        expected_error=entry.get("expected_error"),
        stability=entry.get("stability"),
        starts=tuple(None if start is None else int(start) for start in entry.get("starts", ())),
        odd_forks=tuple(int(fork) for fork in entry.get("odd_forks", ())),
        similar=entry.get("similar"),
        today=None if (today := entry.get("today")) is None else _configuration(today),
        today_seconds=entry.get("today_seconds"),
    )


def _configuration(entry: dict[str, Any]) -> ExecutionConfiguration:
    """Return a configuration; JSON's 5.0 is a whole number too."""
    counts = {name: value for name, value in entry.items() if not name.endswith("_seconds")}
    return ExecutionConfiguration(**{**entry, **{name: int(n) for name, n in counts.items()}})

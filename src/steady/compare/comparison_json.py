"""The comparison as a file, with a versioned schema: the same comparison gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import date
from functools import cache
from importlib import resources
from math import inf, isfinite
from pathlib import Path
from typing import Any, cast

from steady.compare.acknowledgement import Acknowledgement
from steady.compare.comparison import (
    Change,
    Comparison,
    Difference,
    Estimate,
    Ignored,
    Ledger,
    Missing,
    MissingKind,
)
from steady.errors import InputError
from steady.files import parse_json, read_json, write_text
from steady.model import Environment, Identity

_WHAT = "a steady comparison, version 2"
_REMEDY = "make it anew with `steady compare`"


@cache
def comparison_schema() -> dict[str, Any]:
    """Return the JSON schema of a comparison."""
    file = resources.files(__package__).joinpath("comparison.schema.json")
    return cast("dict[str, Any]", json.loads(file.read_text(encoding="utf-8")))


def to_json(comparison: Comparison) -> str:
    """Return the comparison as JSON text; no number is rounded."""
    data = {
        "steady_comparison": 2,
        "verdict": comparison.verdict,
        "rule": comparison.rule,
        "options": dict(comparison.options),
        "comparable": comparison.comparable,
        "changes": [_change_entry(change) for change in comparison.changes],
        "ledger": _ledger_entry(comparison.ledger),
        "differences": [asdict(difference) for difference in comparison.differences],
        "base_environments": [asdict(e) for e in comparison.base_environments],
        "head_environments": [asdict(e) for e in comparison.head_environments],
        "remarks": list(comparison.remarks),
    }
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def from_json(text: str, *, source: str | Path | None = None) -> Comparison:
    """Return the comparison that `text` holds.

    Raises
    ------
    InputError
        If it is no comparison, of another version, or its verdict is not what follows from it.
    """
    data = parse_json(text, comparison_schema(), what=_WHAT, remedy=_REMEDY, source=source)
    return _comparison(data, source)


def read_comparison(path: str | Path) -> Comparison:
    """Return the comparison in a file; see `from_json`."""
    return _comparison(read_json(path, comparison_schema(), what=_WHAT, remedy=_REMEDY), path)


def write_comparison(comparison: Comparison, path: str | Path) -> Path:
    """Write the comparison to a file, whole or not at all."""
    return write_text(path, to_json(comparison))


def _identity_entry(identity: Identity) -> dict[str, Any]:
    return {**_flat(identity), "params": [list(pair) for pair in identity.params]}


def _flat(record: Identity | Estimate) -> dict[str, Any]:
    """Return the fields of a record of plain values: `asdict` copies each of them at length."""
    return {name: getattr(record, name) for name in record.__slots__}


def _missing_entry(missing: Missing) -> dict[str, Any]:
    return {
        "identity": _identity_entry(missing.identity),
        "side": missing.side,
        "reason": missing.what_happened,
    }


def _change_entry(change: Change) -> dict[str, Any]:
    return {
        "identity": _identity_entry(change.identity),
        "unit": change.unit,
        "direction": change.direction,
        "base": _estimate_entry(change.base),
        "head": _estimate_entry(change.head),
        "outcome": change.outcome,
        "smallest": _finite(change.smallest),
        "interval": None if change.interval is None else list(change.interval),
        "notes": list(change.notes),
        "min_change": change.min_change,
        "acknowledged": _acknowledgement_entry(change.acknowledged),
        "excluded": _finite(change.excluded),
        "lacking": change.lacking,
    }


def _finite(size: float) -> float | None:
    return size if isfinite(size) else None


def _size(entry: float | None) -> float:
    return inf if entry is None else float(entry)


def _acknowledgement_entry(entry: Acknowledgement | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {**asdict(entry), "expires": entry.expires and entry.expires.isoformat()}


def _ledger_entry(ledger: Ledger) -> dict[str, Any]:
    return {
        "compared": [_identity_entry(identity) for identity in ledger.compared],
        "failed": [_missing_entry(missing) for missing in ledger.failed],
        "missing": [_missing_entry(missing) for missing in ledger.missing],
        "incomparable": [_missing_entry(missing) for missing in ledger.incomparable],
        "new": [_identity_entry(identity) for identity in ledger.new],
        "gone": [_identity_entry(identity) for identity in ledger.gone],
        "unplanned": [_identity_entry(identity) for identity in ledger.unplanned],
        "renamed": [[_identity_entry(one) for one in pair] for pair in ledger.renamed],
        "ignored": [
            {"identity": _identity_entry(one.identity), "reason": one.reason}
            for one in ledger.ignored
        ],
    }


def _comparison(data: Mapping[str, Any], source: str | Path | None) -> Comparison:
    comparison = Comparison(
        changes=tuple(_change(entry) for entry in data["changes"]),
        ledger=_ledger(data["ledger"]),
        differences=tuple(Difference(**entry) for entry in data["differences"]),
        rule=data["rule"],
        options=data["options"],
        comparable=data["comparable"],
        base_environments=_environments(data["base_environments"]),
        head_environments=_environments(data["head_environments"]),
        remarks=tuple(data["remarks"]),
    )
    if [change.identity for change in comparison.changes] != list(comparison.ledger.compared):
        raise InputError(
            f"the changes are not those of the benchmarks compared; {_REMEDY}", source=source
        )
    if comparison.verdict != data["verdict"]:
        raise InputError(
            f"the verdict is {data['verdict']!r} where {comparison.verdict!r} follows; {_REMEDY}",
            source=source,
        )
    return comparison


def _identity(entry: Mapping[str, Any]) -> Identity:
    params = tuple((key, value) for key, value in entry["params"])
    return Identity(entry["name"], entry["mode"], params, int(entry["threads"]))


def _change(entry: Mapping[str, Any]) -> Change:
    interval = entry["interval"]
    return Change(
        identity=_identity(entry["identity"]),
        unit=entry["unit"],
        direction=entry["direction"],
        base=_estimate(entry["base"]),
        head=_estimate(entry["head"]),
        outcome=entry["outcome"],
        smallest=_size(entry["smallest"]),
        notes=tuple(entry["notes"]),
        interval=None if interval is None else (float(interval[0]), float(interval[1])),
        min_change=None if entry["min_change"] is None else float(entry["min_change"]),
        acknowledged=_acknowledgement(entry["acknowledged"]),
        excluded=_size(entry["excluded"]),
        lacking=entry["lacking"],
    )


def _acknowledgement(entry: Mapping[str, Any] | None) -> Acknowledgement | None:
    if entry is None:
        return None
    bound, expires = entry["bound"], entry["expires"]
    try:
        day = None if expires is None else date.fromisoformat(expires)
    except ValueError:
        raise InputError(f"{expires!r} is no date; {_REMEDY}") from None
    return Acknowledgement(
        **{**entry, "bound": None if bound is None else float(bound), "expires": day}
    )


def _estimate_entry(estimate: Estimate) -> dict[str, Any]:
    return {key: item for key, item in asdict(estimate).items() if item is not None}


def _estimate(entry: Mapping[str, Any]) -> Estimate:
    center, low, high = (float(entry[name]) for name in ("center", "low", "high"))
    # JSON's 5.0 is a whole number too.
    score = None if entry.get("score") is None else float(entry["score"])
    return Estimate(center, low, high, int(entry["forks"]), int(entry["iterations"]), score)


def _ledger(entry: Mapping[str, Any]) -> Ledger:
    return Ledger(
        compared=_identities(entry["compared"]),
        failed=_missing(entry["failed"], "failed"),
        missing=_missing(entry["missing"], "missing"),
        new=_identities(entry["new"]),
        gone=_identities(entry["gone"]),
        unplanned=_identities(entry["unplanned"]),
        incomparable=_missing(entry["incomparable"], "incomparable"),
        renamed=tuple((_identity(old), _identity(new)) for old, new in entry["renamed"]),
        ignored=tuple(Ignored(_identity(e["identity"]), e["reason"]) for e in entry["ignored"]),
    )


def _identities(entries: Iterable[Mapping[str, Any]]) -> tuple[Identity, ...]:
    return tuple(_identity(entry) for entry in entries)


def _missing(entries: Iterable[Mapping[str, Any]], kind: MissingKind) -> tuple[Missing, ...]:
    prefix = "failed: " if kind == "failed" else ""
    return tuple(
        Missing(_identity(e["identity"]), e["side"], e["reason"].removeprefix(prefix), kind)
        for e in entries
    )


def _environments(entries: Iterable[Mapping[str, Any]]) -> tuple[Environment, ...]:
    return tuple(Environment(**{**e, "jvm_args": tuple(e["jvm_args"])}) for e in entries)

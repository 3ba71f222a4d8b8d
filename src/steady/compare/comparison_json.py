"""The comparison as a file: the same comparison gives the same bytes, and no number is rounded.

The classes declare the file: what is written and its JSON schema follow from them.
"""

from __future__ import annotations

from math import inf
from typing import Any, Literal, TypeVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import force_setattr

from steady.compare.acknowledgement import Acknowledgement
from steady.compare.comparison import (
    Comparison,
    Difference,
    Estimate,
    Ignored,
    Ledger,
    Missing,
    Outcome,
    Side,
    Verdict,
)
from steady.files import json_text
from steady.model import Direction, Environment, Identity

T = TypeVar("T")


class EstimateEntry(Struct, frozen=True):
    """A result with its confidence interval; the score is absent where nobody knows it."""

    center: float
    low: float
    high: float
    forks: int
    iterations: int
    score: float | UnsetType = UNSET


class ChangeEntry(Struct, frozen=True):
    """Base and head of one benchmark side by side.

    A `smallest` or `excluded` of null is an infinite one; an interval of null stands where the
    base is not positive, and a `min_change` of null is that of the options.
    """

    identity: Identity
    unit: str
    direction: Direction
    base: EstimateEntry
    head: EstimateEntry
    outcome: Outcome
    smallest: float | None
    interval: tuple[float, float] | None
    notes: tuple[str, ...]
    min_change: float | None
    acknowledged: Acknowledgement | None
    excluded: float | None
    lacking: str

    def __post_init__(self) -> None:
        for name in ("smallest", "excluded"):  # JSON has no infinity
            if getattr(self, name) == inf:
                force_setattr(self, name, None)


class MissingEntry(Struct, frozen=True):
    """A benchmark without a result to compare; its place in the ledger tells of which kind."""

    identity: Identity
    side: Side
    reason: str


class LedgerEntry(Struct, frozen=True):
    """Every benchmark in exactly one place, hints (`renamed`, `unplanned`) beside."""

    compared: tuple[Identity, ...]
    failed: tuple[MissingEntry, ...]
    missing: tuple[MissingEntry, ...]
    incomparable: tuple[MissingEntry, ...]
    new: tuple[Identity, ...]
    gone: tuple[Identity, ...]
    unplanned: tuple[Identity, ...]
    renamed: tuple[tuple[Identity, Identity], ...]
    ignored: tuple[Ignored, ...]


class ComparisonFile(Struct, frozen=True):
    """All that there is to say about head against base; the verdict follows from the rest."""

    steady_comparison: Literal[2]
    verdict: Verdict
    rule: str
    options: dict[str, str | float | int | bool | None]
    comparable: bool
    changes: tuple[ChangeEntry, ...]
    ledger: LedgerEntry
    differences: tuple[Difference, ...]
    base_environments: tuple[Environment, ...]
    head_environments: tuple[Environment, ...]
    remarks: tuple[str, ...]


def to_json(comparison: Comparison) -> str:
    """Return the comparison as JSON text."""
    return json_text(
        _entry(
            ComparisonFile,
            comparison,
            steady_comparison=2,
            options=dict(comparison.options),
            changes=[
                _entry(
                    ChangeEntry,
                    change,
                    base=_estimate(change.base),
                    head=_estimate(change.head),
                )
                for change in comparison.changes
            ],
            ledger=_ledger(comparison.ledger),
        )
    )


def _ledger(ledger: Ledger) -> LedgerEntry:
    return _entry(
        LedgerEntry,
        ledger,
        failed=tuple(map(_missing, ledger.failed)),
        missing=tuple(map(_missing, ledger.missing)),
        incomparable=tuple(map(_missing, ledger.incomparable)),
    )


def _missing(missing: Missing) -> MissingEntry:
    return MissingEntry(missing.identity, missing.side, missing.what_happened)


def _estimate(estimate: Estimate) -> EstimateEntry:
    unknown = {"score": UNSET} if estimate.score is None else {}
    return _entry(EstimateEntry, estimate, **unknown)


def _entry(kind: type[T], source: object, **own: Any) -> T:
    """Return what the file says of `source`: its attributes, but for those that are named."""
    names: tuple[str, ...] = kind.__struct_fields__  # type: ignore[attr-defined]
    return kind(**{name: getattr(source, name) for name in names if name not in own}, **own)

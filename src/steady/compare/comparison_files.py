"""A comparison as JSON. Equal comparisons give equal bytes, and no number is rounded.

The classes declare the format, for writing and for the JSON schema.
"""

from math import inf
from typing import Literal

from msgspec import UNSET, Struct, UnsetType, convert, field
from msgspec.structs import force_setattr

from steady.compare.benchmark_change import Change, Outcome
from steady.compare.comparison import Comparison, Narrowing, Verdict
from steady.compare.ledger import Ignored, Side
from steady.compare.validity import Difference
from steady.files import json_text
from steady.model import Direction, Environment, Identity, NotRun
from steady.model.changed_method import ChangedMethods
from steady.settings.repo_settings import Acceptance

_AT_A_TIME = 1_000


class EstimateEntry(Struct, frozen=True):
    """A result with its confidence interval; the score is absent if unknown."""

    center: float
    low: float
    high: float
    forks: int
    iterations: int
    score: float | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        if self.score is None:
            force_setattr(self, "score", UNSET)


class ChangeEntry(Struct, frozen=True):
    """The change of one benchmark.

    `smallest` and `excluded` are null if infinite, `interval` is null if base is not positive, and
    `min_change` is null if that of the options applies. `cold_seconds` is present only if forks did
    not reach steady state within that time, and too few others remain.
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
    accepted: Acceptance | None
    excluded: float | None
    lacking: str
    refused: tuple[str, ...]
    cold_seconds: float | UnsetType = UNSET

    def __post_init__(self) -> None:
        if not self.cold_seconds:
            force_setattr(self, "cold_seconds", UNSET)
        for name in ("smallest", "excluded"):  # JSON has no infinity
            if getattr(self, name) == inf:
                force_setattr(self, name, None)


class MetricEntry(ChangeEntry, frozen=True, kw_only=True):
    """The change of one secondary metric of a benchmark."""

    metric: str


class MetricsEntry(Struct, frozen=True):
    """Secondary metrics: those compared, and those only shown."""

    changes: tuple[MetricEntry, ...]
    shown: tuple[MetricEntry, ...]


class MissingEntry(Struct, frozen=True):
    """A benchmark without a result to compare; the list that contains it gives the kind."""

    identity: Identity
    side: Side
    what_happened: str = field(name="reason")


class LedgerEntry(Struct, frozen=True):
    """Every benchmark in exactly one list; `renamed` and `unplanned` are additional hints."""

    compared: tuple[Identity, ...]
    failed: tuple[MissingEntry, ...]
    missing: tuple[MissingEntry, ...]
    incomparable: tuple[MissingEntry, ...]
    new: tuple[Identity, ...]
    gone: tuple[Identity, ...]
    unplanned: tuple[Identity, ...]
    renamed: tuple[tuple[Identity, Identity], ...]
    ignored: tuple[Ignored, ...]
    not_run: tuple[NotRun, ...]
    same_code: tuple[Identity, ...]
    controls: tuple[Identity, ...]


class ComparisonFile(Struct, frozen=True):
    """A comparison; the verdict follows from the other fields."""

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
    metric_verdict: Verdict | None
    metrics: MetricsEntry
    controls: tuple[ChangeEntry, ...]
    narrowed: Narrowing | None
    changed_methods: ChangedMethods | UnsetType = UNSET


def to_json(comparison: Comparison) -> str:
    """Return the comparison as JSON text."""
    fields = {name: getattr(comparison, name) for name in ComparisonFile.__struct_fields__}
    if comparison.changed_methods is None:
        del fields["changed_methods"]  # msgspec does not convert UNSET
    outline = json_text(convert(fields | {"changes": ()}, ComparisonFile, from_attributes=True))
    before, empty, after = outline.partition('\n  "changes": []')
    # Convert part by part: all changes as plain data take much memory.
    parts = range(0, len(comparison.changes), _AT_A_TIME)
    written = (_items(comparison.changes[start : start + _AT_A_TIME]) for start in parts)
    return "".join([before, empty[:-1], ",".join(written), "\n  ]" if parts else "]", after])


def _items(changes: tuple[Change, ...]) -> str:
    """Return changes as `json_text` would write them as items of a list."""
    entries = convert(changes, tuple[ChangeEntry, ...], from_attributes=True)
    return json_text(entries).removeprefix("[").removesuffix("\n]\n").replace("\n", "\n  ")

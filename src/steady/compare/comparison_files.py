"""The files of a comparison: the same one gives the same bytes, and no number is rounded.

The classes declare the JSON: what is written and its schema follow from them.
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
from steady.settings.repo_settings import Acceptance

_AT_A_TIME = 1_000


class EstimateEntry(Struct, frozen=True):
    """A result with its confidence interval; the score is absent where nobody knows it."""

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
    """Base and head of one benchmark side by side.

    A `smallest` or `excluded` of null is an infinite one; an interval of null stands where the
    base is not positive, and a `min_change` of null is that of the options. `cold_seconds` is there
    only where forks were not warm after so long, and too few others are left.
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
    """Base and head of one further result of a benchmark side by side."""

    metric: str


class MetricsEntry(Struct, frozen=True):
    """Further results: those that were compared, and those that were only to be shown."""

    changes: tuple[MetricEntry, ...]
    shown: tuple[MetricEntry, ...]


class MissingEntry(Struct, frozen=True):
    """A benchmark without a result to compare; its place in the ledger tells of which kind."""

    identity: Identity
    side: Side
    what_happened: str = field(name="reason")


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
    not_run: tuple[NotRun, ...]
    same_code: tuple[Identity, ...]
    controls: tuple[Identity, ...]


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
    metric_verdict: Verdict | None
    metrics: MetricsEntry
    controls: tuple[ChangeEntry, ...]
    narrowed: Narrowing | None


def to_json(comparison: Comparison) -> str:
    """Return the comparison as JSON text."""
    fields = {name: getattr(comparison, name) for name in ComparisonFile.__struct_fields__}
    outline = json_text(convert(fields | {"changes": ()}, ComparisonFile, from_attributes=True))
    before, empty, after = outline.partition('\n  "changes": []')
    # A part of very many changes at a time: all of them as plain data take much memory.
    parts = range(0, len(comparison.changes), _AT_A_TIME)
    written = (_items(comparison.changes[start : start + _AT_A_TIME]) for start in parts)
    return "".join([before, empty[:-1], ",".join(written), "\n  ]" if parts else "]", after])


def _items(changes: tuple[Change, ...]) -> str:
    """Return some changes as the items of the list that `json_text` would write."""
    entries = convert(changes, tuple[ChangeEntry, ...], from_attributes=True)
    return json_text(entries).removeprefix("[").removesuffix("\n]\n").replace("\n", "\n  ")

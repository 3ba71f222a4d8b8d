"""The changes planted in head of the demo, and a run's results for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from steady.compare import Change, Comparison

PACKAGE = "dev.steady.demo."


@dataclass(frozen=True, slots=True)
class Planted:
    """A benchmark whose code was changed.

    Parameters
    ----------
    name : str
        Its name, without the package.
    outcome : {"regression", "improvement"}
        Expected outcome of a comparison.
    size : str
        Size of the change, as in ``examples/jmh-demo/README.md``.
    """

    name: str
    outcome: str
    size: str


PLANTED = (
    Planted("NumericBenchmark.editDistance", "regression", "35 to 40 % slower"),
    Planted("DigestBenchmark.fingerprint", "regression", "8 to 11 % slower"),
    Planted("CollectionBenchmark.countWords", "improvement", "27 to 40 % faster"),
)
RENAMED = ("ShapeBenchmark.totalArea", "ShapeBenchmark.sumOfAreas")
"""The name in base, and the one in head."""


def seen(comparison: Comparison) -> Iterator[tuple[Planted, Change | None]]:
    """Yield each planted change with its measured change; None if it was not measured."""
    changes = {short(change.identity.name): change for change in comparison.changes}
    for one in PLANTED:
        yield one, changes.get(one.name)


def is_found(planted: Planted, change: Change | None) -> bool:
    """Return whether a comparison reports a planted change correctly."""
    return change is not None and change.outcome == planted.outcome


def false_alarms(comparison: Comparison) -> list[Change]:
    """Return the unchanged benchmarks reported as changed, including controls."""
    true = {(one.name, one.outcome) for one in PLANTED}
    changed = ("regression", "improvement")
    return [
        change
        for change in (*comparison.changes, *comparison.controls)
        if change.outcome in changed and (short(change.identity.name), change.outcome) not in true
    ]


def finds_renamed(comparison: Comparison) -> bool:
    """Return whether exactly the renamed benchmark was guessed."""
    pairs = [(short(old.name), short(new.name)) for old, new in comparison.ledger.renamed]
    return pairs == [RENAMED]


def short(name: str) -> str:
    """Return a benchmark's name without its package."""
    return name.removeprefix(PACKAGE)

"""Construction of the ledger from base, head and plan."""

from collections.abc import Callable, Collection, Iterable
from itertools import islice
from typing import Any

import numpy as np

from steady.compare.ledger import SKIPPED_IN_HEAD, Ignored, Ledger, Missing, Side
from steady.compare.pair import fork_values
from steady.compare.result_notes import unlike
from steady.compare.validity import repeats_some_forks
from steady.model import Benchmark, Identity, SameCode, Suite, seconds_factor
from steady.model.suite import NO_SAME_CODE, SKIPPED

RENAME_LIKENESS = 0.6
"""Smallest share of common characters, in the same order, of a renamed benchmark."""

_MOST_NAME_PAIRS = 5_000  # largest number of compared pairs of names
_LONGEST_NAME = 300  # compared characters, from the end of a name


def find_renames(
    lost: Iterable[Identity], new: Iterable[Identity]
) -> list[tuple[Identity, Identity]]:
    """Find probable renames by matching lost benchmarks with new ones, most similar names first.

    Two benchmarks match only if mode, parameters, threads, and either class or method are equal.
    Each benchmark is used once.

    Parameters
    ----------
    lost, new : iterable of Identity
        Benchmarks without a result in head, and benchmarks only in head.

    Returns
    -------
    list of (Identity, Identity)
        Old and new benchmark, in the order of `lost`.
    """
    lost = list(lost)
    by_part: dict[tuple[object, ...], list[Identity]] = {}
    for identity in new:
        for part in _parts(identity):
            by_part.setdefault(part, []).append(identity)
    candidates = (
        (old, candidate)
        for old in lost
        for candidate in dict.fromkeys(c for part in _parts(old) for c in by_part.get(part, ()))
    )
    ranked = sorted(
        (-_likeness(old.name, candidate.name), old, candidate)
        for old, candidate in islice(candidates, _MOST_NAME_PAIRS)
    )
    renamed: dict[Identity, Identity] = {}
    taken: set[Identity] = set()
    for negative, old, candidate in ranked:
        if -negative >= RENAME_LIKENESS and old not in renamed and candidate not in taken:
            renamed[old] = candidate
            taken.add(candidate)
    return [(old, renamed[old]) for old in lost if old in renamed]


def _likeness(old: str, new: str) -> float:
    first, second = old[-_LONGEST_NAME:], new[-_LONGEST_NAME:]
    total = len(first) + len(second)
    return 2 * _longest_common(first, second) / total if total else 1.0


def _longest_common(first: str, second: str) -> int:
    """Return the length of the longest common subsequence, in linear time for short names.

    Hyyrö: "Bit-parallel LCS-length computation revisited", AWOCA 2004: one bit for each character
    of `first`, and a few operations for each character of `second`.
    """
    places: dict[str, int] = {}
    for index, character in enumerate(first):
        places[character] = places.get(character, 0) | 1 << index
    every = (1 << len(first)) - 1
    rows = every
    for character in second:
        matched = rows & places.get(character, 0)
        rows = (rows + matched | rows - matched) & every
    return len(first) - rows.bit_count()


def _parts(identity: Identity) -> list[tuple[object, ...]]:
    same = (identity.mode, identity.parameters, identity.threads)
    return [("holder", identity.holder, *same), ("method", identity.method, *same)]


def build_ledger(
    base: Suite,
    head: Suite,
    planned: Collection[Identity] | None,
    why_ignored: Callable[[Identity], str | None] = lambda _: None,
    same_code: SameCode = NO_SAME_CODE,
) -> Ledger:
    """Assign every benchmark of base, head, and plan to exactly one list of the ledger.

    Parameters
    ----------
    base, head : Suite
        The two runs.
    planned : collection of Identity, optional
        The benchmarks of the plan; None if there is no plan.
    why_ignored : callable
        Returns the reason why a benchmark is ignored, or None.
    same_code : SameCode
        Benchmarks with an identical code path in base and head.

    Returns
    -------
    Ledger
        Benchmarks are in the order of head, followed by those of base and of the plan.
    """
    known = (*same_code.not_measured, *same_code.controls)
    sorting = _Sorting(base, head, frozenset(planned or ()), frozenset(known))
    measured = dict.fromkeys((*head, *base, *sorting.failed))
    # Skipped on purpose in both runs. A skipped control still has an identical code path.
    ours = {entry.identity for entry in base.not_run}.difference(sorting.same, measured)
    left_out = {entry.identity: entry for entry in head.not_run if entry.identity in ours}
    for identity in measured | dict.fromkeys((*(planned or ()), *known)):
        if identity in left_out:
            continue
        reason = why_ignored(identity)
        if reason is None:
            sorting.place(identity)
        else:
            sorting.places["ignored"].append(Ignored(identity, reason))
    places = sorting.places
    unplanned = () if planned is None else (i for i in places["compared"] if i not in planned)
    lost = [*places["gone"], *(m.identity for m in places["missing"] if m.side == "head")]
    controls = frozenset(same_code.controls)
    return Ledger(
        **{place: tuple(entries) for place, entries in places.items()},
        unplanned=tuple(unplanned),
        renamed=tuple(find_renames(lost, places["new"])),
        not_run=tuple(left_out.values()),
        controls=tuple(i for i in places["compared"] if i in controls),
    )


def _failed(suite: Suite) -> dict[Identity, str]:
    return {failure.identity: failure.reason for failure in suite.failures}


_PLACES = ("compared", "failed", "missing", "new", "gone", "incomparable", "ignored", "same_code")


class _Sorting:
    """The lists of the ledger under construction."""

    def __init__(
        self, base: Suite, head: Suite, planned: frozenset[Identity], same: frozenset[Identity]
    ) -> None:
        self._base, self._head, self._planned, self.same = base, head, planned, same
        self._failures = _failed(base), _failed(head)
        self.failed = self._failures[1] | self._failures[0]
        self._skipped = {
            entry.identity: entry.reason.replace(SKIPPED, SKIPPED_IN_HEAD, 1)
            for entry in head.not_run
            if entry.reason.startswith(SKIPPED)
        }
        self.places: dict[str, list[Any]] = {place: [] for place in _PLACES}

    def place(self, identity: Identity) -> None:
        base, head = self._base.get(identity), self._head.get(identity)
        entry: Identity | Missing = identity
        if identity in self.failed:
            # Even if some of its forks have a result: a benchmark that threw once is not measured.
            place, entry = "failed", self._failure(identity)
        elif base is not None and head is not None:
            place = "compared"
            if obstacle := _obstacle(base, head):
                place, entry = "incomparable", Missing(identity, *obstacle, "incomparable")
        elif identity in self.same and base is head is None:
            place = "same_code"
        elif head is None and identity in self._skipped:
            place, entry = "missing", Missing(identity, "head", self._skipped[identity])
        elif identity in self._planned:
            lacking: Side = "both" if base is head else "base" if base is None else "head"
            place, entry = "missing", _missing(identity, lacking)
        else:
            place = "new" if base is None else "gone"
        self.places[place].append(entry)

    def _failure(self, identity: Identity) -> Missing:
        base, head = (failures.get(identity) for failures in self._failures)
        side: Side = "base" if head is None else "head" if base is None else "both"
        return Missing(identity, side, (base if head is None else head) or "", "failed")


def _missing(identity: Identity, side: Side) -> Missing:
    lacking = "in base and head" if side == "both" else f"in {side}"
    return Missing(identity, side, f"in the plan, but no result {lacking}")


def _obstacle(base: Benchmark, head: Benchmark) -> tuple[Side, str] | None:
    """Return the side and the reason why two results are not comparable; None if they are."""
    if repeats_some_forks(base, head):
        return (
            "both",
            "some forks are in both base and head: results of one run were added to the other",
        )
    if base.unit != head.unit:
        return "both", f"different units: {base.unit} in base, {head.unit} in head"
    timed_nothing = _timed_nothing(base, "base") or _timed_nothing(head, "head")
    if timed_nothing:
        return timed_nothing
    if run_otherwise := unlike(base, head):
        return "both", run_otherwise
    no_base, no_head = (not len(fork_values(side)) for side in (base, head))
    if no_base and no_head:
        return "both", "no measured value in base or head"
    side: Side = "base" if no_base else "head"
    return (side, f"no measured value in {side}") if no_base or no_head else None


def _timed_nothing(benchmark: Benchmark, side: Side) -> tuple[Side, str] | None:
    """Return the side and the reason if a time or a rate of 0 is not a valid result.

    Times of 0 are never valid. Rates of 0 (iterations without an operation) are valid if they are
    fewer than half.
    """
    if benchmark.complete:
        return None
    per_time = np.isfinite(seconds_factor(benchmark.unit)) or benchmark.direction == "higher"
    zeros = benchmark.measured[np.isfinite(benchmark.measured)] == 0
    if not per_time or not zeros.any():
        return None
    if benchmark.direction == "higher" and zeros.mean() < 0.5:
        return None
    return side, f"results of 0 {benchmark.unit} in {side}: nothing was timed"

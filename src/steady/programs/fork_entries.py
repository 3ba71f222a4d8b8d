"""Build a suite from the entries of a harness that does not record forks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steady.errors import InputError
from steady.harness.fields import Field, quoted
from steady.harness.fork_facts import KEY, NO_FACTS, ForkFacts
from steady.harness.suite_builder import (
    INTERRUPTED,
    LEVELS,
    ReadBenchmark,
    build_benchmark,
    build_suite,
    collect_metrics,
    duplicate_message,
    failed,
    metric_of,
    shortfall,
    unread,
)
from steady.model import Environment, FloatArray, Identity, Level, NotRun, Suite
from steady.model.suite import skipped_because
from steady.text.numbers import listed

MOST_SAMPLES = 1_000
"""Maximum number of iterations of a fork if its number of iterations is unknown."""


UNITS = {"allocations": "B", "instructions": "instr/op"}
"""Units of the counts (`steady.programs.counting`)."""

_NOTHING = "it has no measurement"

_ROUNDING = 1e-9
"""Tolerance for sums of decimals just below a whole number."""


@dataclass(frozen=True, slots=True, eq=False)
class ForkEntry:
    """The measurements of one benchmark in one fork.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    unit : str
        Unit of the samples.
    samples : array of float64
        Samples in chronological order.
    further : mapping of str to (str, array of float64)
        Secondary metrics by name: the unit, and a value for each sample.
    facts : ForkFacts
        Facts about the fork.
    failure : str
        Reason for a missing result; empty if there is one.
    skipped : bool
        Whether it was skipped on purpose, for the reason in `failure`.
    warmup_apart : bool
        Whether the samples exclude the warm-up.
    calibrated : bool
        Whether the harness chose the configuration itself (`Benchmark.calibrated`).
    variant : mapping of str to str
        As in `Benchmark`.
    place : str
        Position in the file. Entries of one name at different positions are different benchmarks.
        Empty for a fork of a run, whose file has an entry for each fork.
    """

    identity: Identity
    unit: str
    samples: FloatArray
    further: Mapping[str, tuple[str, FloatArray]] = field(default_factory=dict)
    facts: ForkFacts = NO_FACTS
    failure: str = ""
    skipped: bool = False
    warmup_apart: bool = False
    calibrated: bool = False
    variant: Mapping[str, str] = field(default_factory=dict)
    place: str = ""


def without_result(identity: Identity, why: str, **known: Any) -> ForkEntry:
    """Return the entry of a benchmark without a result; `known` sets other fields."""
    return ForkEntry(identity, "", np.empty(0), failure=why, **known)


def skipped(identity: Identity, why: str = "", **known: Any) -> ForkEntry:
    """Return the entry of a benchmark that its harness skipped on purpose."""
    return without_result(identity, skipped_because(why), skipped=True, **known)


def place_of(entry: Field) -> str:
    """Return `ForkEntry.place` for a field of the file."""
    return "" if KEY in entry.table() else entry.where


Record = tuple[Identity, Field, Iterable[ForkEntry]]
"""A record of a file: the benchmark, its field, and its unparsed entries."""


def read_records(records: Iterable[Record]) -> list[ForkEntry]:
    """Read the records of a file; an unreadable one is a failure of its benchmark only.

    Parameters
    ----------
    records : iterable of Record
        Their entries are parsed by this function.

    Raises
    ------
    InputError
        If no record can be read.
    """
    entries: list[ForkEntry] = []
    problems: list[InputError] = []
    for identity, record, own in records:
        try:
            entries += list(own)
        except InputError as error:
            problems.append(error)
            entries.append(without_result(identity, unread(error), place=place_of(record)))
    if problems and len(problems) == len(entries):
        raise problems[0]
    return entries


def suite_of(
    entries: Iterable[ForkEntry],
    *,
    harness: str,
    source: str,
    environment: Environment | None = None,
    levels: tuple[Level, ...] = LEVELS,
) -> Suite:
    """Build a suite from the entries of a file, with a row for each fork.

    Parameters
    ----------
    entries : iterable of ForkEntry
        In the order of the file.
    harness, source : str
        Name of the harness, and of the file.
    environment : Environment, optional
        Environment of the measurements.
    levels : tuple of Level
        Levels of a row and of a value in it.
    """
    forks: dict[Identity, list[ForkEntry]] = {}
    for entry in entries:
        forks.setdefault(entry.identity, []).append(entry)
    circumstances = {"environment": environment or Environment(), "levels": levels}
    not_run = {i: own[0] for i, own in forks.items() if all(one.skipped for one in own)}
    return build_suite(
        harness,
        source,
        (_outcome(own, circumstances) for i, own in forks.items() if i not in not_run),
        not_run=tuple(NotRun(i, one.failure) for i, one in not_run.items()),
    )


def _outcome(entries: Sequence[ForkEntry], circumstances: Mapping[str, Any]) -> ReadBenchmark:
    identity, facts = entries[0].identity, entries[0].facts
    good = [one for one in entries if one.samples.size and not one.failure]
    failure = next((one.failure or _NOTHING for one in entries if one not in good), None)
    if len(places := dict.fromkeys(one.place for one in entries)) > 1:
        return failed(identity, duplicate_message(places))
    if not good:
        return failed(identity, failure or _NOTHING)
    if len({one.unit for one in good}) > 1:
        different = listed(list(dict.fromkeys(quoted(one.unit) for one in good)))
        return failed(identity, f"its results have different units: {different}")
    warmup = 0 if entries[0].warmup_apart else facts.warmup
    counts = [warmup + one.facts.iterations or MOST_SAMPLES for one in good]
    rows = [iterations_of(one.samples, n) for one, n in zip(good, counts, strict=True)]
    measured = [row[warmup:] for row in rows]
    units = {name: its_unit for name, (its_unit, _) in good[0].further.items()}
    counted = {name for one in good for name, _ in one.facts.counts}
    units |= {name: its_unit for name, its_unit in UNITS.items() if name in counted}
    metrics, _ = collect_metrics(
        (name, metric_of(its_unit, [_further(*one, name, warmup) for one in pairs], measured))
        for name, its_unit in units.items()
        for pairs in [zip(good, measured, strict=True)]
    )
    missing = shortfall(rows, max(facts.forks, len(entries)), 0)
    if missing and facts.not_run:
        missing += f": {INTERRUPTED}"
    return build_benchmark(
        identity,
        good[0].unit,
        rows,
        failure or missing,
        [one.facts for one in good],
        warmup=warmup,
        configuration=facts.configuration,
        calibrated=good[0].calibrated,
        variant=good[0].variant,
        metrics=metrics,
        left_out=tuple(sorted(counted - metrics.keys())),
        **circumstances,
    )


def _further(entry: ForkEntry, measured: FloatArray, name: str, warmup: int) -> FloatArray:
    """Return a secondary metric of a fork for each iteration; a count applies to all."""
    counted = dict(entry.facts.counts).get(name)
    if counted is not None:
        return np.full(measured.size, counted)
    return entry.further[name][1][warmup:] if name in entry.further else np.empty(0)


def iterations_of(
    samples: FloatArray, count: int, operations: FloatArray | None = None
) -> FloatArray:
    """Group the samples of a fork into iterations of about equal duration.

    Two interleaved forks have equal slices of time. So the k-th iterations of both ran at about
    the same time, even if one fork has more samples.

    Parameters
    ----------
    samples : array of float64
        Times in chronological order.
    count : int
        Number of iterations.
    operations : array of float64, optional
        Number of operations in each sample; 1 by default.

    Returns
    -------
    array of float64
        Mean time of an operation in each iteration. Fewer than `count` if there are fewer samples,
        or if single samples take longer than an iteration.
    """
    if operations is None:
        operations = np.ones_like(samples)
    if samples.size <= count:
        return samples / operations
    begins = np.cumsum(samples) - samples
    places = np.floor(begins / samples.sum() * count + _ROUNDING)
    starts = np.flatnonzero(np.diff(places, prepend=-1.0))
    sizes = np.add.reduceat(operations, starts)
    return np.asarray(np.add.reduceat(samples, starts) / sizes, np.float64)

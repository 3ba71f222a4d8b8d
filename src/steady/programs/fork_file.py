"""Results of forks in the JSON of a harness that knows of no forks: one entry for each fork.

Each entry of the list stays as the harness wrote it, so that its own tools read the file. Beside
it, under ``steady``, stands which fork of a run it was.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from steady import door
from steady.harness.runs import ForkResult, RunFacts
from steady.model import (
    Benchmark,
    Environment,
    ExecutionConfiguration,
    Failure,
    FloatArray,
    Identity,
    Level,
    Metric,
    Spent,
    Suite,
)
from steady.readers.fields import Field
from steady.readers.forks import (
    INTERRUPTED,
    LEVELS,
    ReadBenchmark,
    metric_of,
    outcome_of,
    shortfall,
)

NOTE = "steady"

COUNTS = "steady_counts"
"""Where in a fork's file stands what was counted beside it; None: it could not be."""

UNITS = {"allocations": "B", "instructions": "instr/op"}
"""What can be counted (`steady.programs.counting`)."""

Counts = tuple[tuple[str, float | None], ...]

MOST_SAMPLES = 1_000
"""Samples of a fork that count one by one where nobody says how many iterations they make."""


_Number = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]

_ROUNDING = 1e-9
"""Sums of decimals may lie this much below a whole number."""


class ForkNote(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The note of an entry: which fork of a run it is, and how that was run."""

    block: str = ""
    in_turn: bool = False
    seconds: float | None = None
    forks: _Number = 0
    warmup: _Number = 0
    iterations: _Number = 0
    iteration_seconds: float = 0.0
    looks: tuple[_Number, ...] = ()
    counts: Counts = ()
    not_run: _Number = 0

    @property
    def configuration(self) -> ExecutionConfiguration | None:
        """How the fork was to be run; None if nobody says."""
        if not self.iterations:
            return None
        each = self.iteration_seconds
        return ExecutionConfiguration(self.forks, self.warmup, self.iterations, each, each)


NO_NOTE = ForkNote()


@dataclass(frozen=True, slots=True, eq=False)
class ForkEntry:
    """What one fork measured of one benchmark.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    unit : str
        Of its samples.
    samples : array of float64
        Its samples in their order.
    further : mapping of str to (str, array of float64)
        Other results by their names, each with its unit, and a value for each sample.
    note : ForkNote
        Which fork.
    failure : str
        Why it left no result; empty if it did.
    warmup_apart : bool
        Whether its samples begin after its warm-up.
    """

    identity: Identity
    unit: str
    samples: FloatArray
    further: Mapping[str, tuple[str, FloatArray]] = field(default_factory=dict)
    note: ForkNote = NO_NOTE
    failure: str = ""
    warmup_apart: bool = False


def note_of(entry: Field) -> ForkNote:
    """Return the note of an entry; raise InputError if it is not one."""
    value = entry.table().get(NOTE)
    if value is None:
        return NO_NOTE
    try:
        return msgspec.convert(value, ForkNote)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise entry.error(f"its {NOTE!r} is not what steady writes ({error})") from None


def merged(results: Sequence[ForkResult], facts: RunFacts, key: str, *, mark: str = "") -> bytes:
    """Join the forks of one version; see `steady.harness.runs.Runs.merge`.

    Parameters
    ----------
    results : sequence of ForkResult
        Each a JSON object of the harness.
    facts : RunFacts
        What is written beside them.
    key : str
        Where the list of entries stands in each.
    mark : str
        What tells a file of the harness, where no fork was run.
    """
    entries = [
        entry | noted(fork, facts, document)
        for fork in results
        for document in [json.loads(door.whole(fork.path))]
        for entry in document[key]
    ]
    first = json.loads(door.whole(results[0].path)) if results else {mark: {}}
    first.pop(COUNTS, None)
    return _written({**first, key: entries})


def noted(fork: ForkResult, facts: RunFacts, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is written into an entry of a fork's result beside its measurements."""
    how, identity = fork.trial.configuration, fork.trial.identity
    note = ForkNote(
        block=fork.block,
        in_turn=fork.in_turn,
        seconds=None if fork.spent is None else round(fork.spent.seconds, 3),
        forks=facts.planned_forks[identity],
        warmup=how.warmup_iterations,
        iterations=how.iterations,
        iteration_seconds=how.iteration_seconds,
        looks=facts.looks.get(identity, ()),
        counts=document.get(COUNTS, ()),
        not_run=facts.not_run.get(identity, 0),
    )
    return {NOTE: msgspec.to_builtins(note)}


def joined(files: Sequence[Path], key: str) -> bytes:
    """Join files that `merged` made; see `steady.harness.runs.Runs.join`."""
    documents = [json.loads(path.read_bytes()) for path in files]
    return _written({**documents[0], key: [entry for one in documents for entry in one[key]]})


def _written(document: Any) -> bytes:
    return (json.dumps(document, indent=1) + "\n").encode()


def suite_of(
    entries: Iterable[ForkEntry],
    *,
    harness: str,
    source: str,
    environment: Environment | None = None,
    levels: tuple[Level, ...] = LEVELS,
) -> Suite:
    """Make a suite of the entries of a file: a benchmark with a row for each fork.

    Parameters
    ----------
    entries : iterable of ForkEntry
        In the order of the file.
    harness, source : str
        What wrote the file, and the file.
    environment : Environment, optional
        Where they ran.
    levels : tuple of Level
        What a row is, and a value in it.
    """
    forks: dict[Identity, list[ForkEntry]] = {}
    for entry in entries:
        forks.setdefault(entry.identity, []).append(entry)
    circumstances = {"environment": environment or Environment(), "levels": levels}
    outcomes = [_outcome(own, circumstances) for own in forks.values()]
    return Suite(
        tuple(one.benchmark for one in outcomes if one.benchmark is not None),
        harness=harness,
        sources=(source,),
        failures=tuple(one.failure for one in outcomes if one.failure is not None),
    )


def _outcome(entries: Sequence[ForkEntry], circumstances: Mapping[str, Any]) -> ReadBenchmark:
    identity, unit, note = entries[0].identity, entries[0].unit, entries[0].note
    good = [one for one in entries if not one.failure]
    failure = next((one.failure for one in entries if one.failure), None)
    if not good:
        return ReadBenchmark(None, Failure(identity, failure or "it left no result"))
    warmup = 0 if entries[0].warmup_apart else note.warmup
    counts = [warmup + one.note.iterations or MOST_SAMPLES for one in good]
    rows = [iterations_of(one.samples, n) for one, n in zip(good, counts, strict=True)]
    measured = [row[warmup:] for row in rows]
    metrics: dict[str, Metric] = {}
    units = {name: its_unit for name, (its_unit, _) in good[0].further.items()}
    counted = {name for one in good for name, _ in one.note.counts}
    for name, its_unit in (units | {one: UNITS[one] for one in UNITS if one in counted}).items():
        values = [_further(*one, name, warmup) for one in zip(good, measured, strict=True)]
        metric = metric_of(its_unit, values, measured)
        if metric is not None:
            metrics[name] = metric
    seconds = [one.note.seconds for one in good]
    spent = tuple(None if one is None else Spent(one) for one in seconds)
    make = partial(
        Benchmark,
        identity,
        unit,
        warmup=warmup,
        configuration=note.configuration,
        **circumstances,
        metrics=metrics,
        left_out=tuple(sorted(counted - metrics.keys())),
        blocks=tuple(one.note.block for one in good) if any(o.note.block for o in good) else (),
        in_turn=tuple(o.note.in_turn for o in good) if any(o.note.in_turn for o in good) else (),
        looks=note.looks,
        spent=spent if any(spent) else (),
    )
    missing = shortfall(rows, max(note.forks, len(entries)), 0)
    if missing and note.not_run:
        missing += f": {INTERRUPTED}"
    return outcome_of(make, identity, rows, failure or missing)


def _further(entry: ForkEntry, measured: FloatArray, name: str, warmup: int) -> FloatArray:
    """Return another result of a fork for each iteration; a count is one for all."""
    counted = dict(entry.note.counts).get(name)
    if counted is not None:
        return np.full(measured.size, counted)
    return entry.further[name][1][warmup:] if name in entry.further else np.empty(0)


def iterations_of(
    samples: FloatArray, count: int, operations: FloatArray | None = None
) -> FloatArray:
    """Cut the samples of a fork into iterations that took about as long.

    Two forks that take turns have equal slices of time. So the k-th iterations of both ran at
    about the same time, even if one of them has more samples.

    Parameters
    ----------
    samples : array of float64
        Times, in the order in which they were measured.
    count : int
        How many iterations.
    operations : array of float64, optional
        How many operations each sample took; one if left out.

    Returns
    -------
    array of float64
        The mean of each, for an operation; fewer than `count` if there are fewer samples, or if
        single ones take longer than an iteration.
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

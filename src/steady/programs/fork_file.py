"""Results of forks in the JSON of a harness that knows of no forks: one entry for each fork.

Each entry of the list stays as the harness wrote it, so that its own tools read the file. Beside
it, under ``steady``, stands which fork of a run it was.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from steady import door
from steady.harness.fields import Field
from steady.harness.runs import ForkResult, RunFacts
from steady.model import ExecutionConfiguration

NOTE = "steady"

COUNTS = "steady_counts"
"""Where in a fork's file stands what was counted beside it; None: it could not be."""

UNITS = {"allocations": "B", "instructions": "instr/op"}
"""What can be counted (`steady.programs.counting`)."""

Counts = tuple[tuple[str, float | None], ...]

_Number = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


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

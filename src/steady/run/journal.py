"""The journal: one line for each trial that has ended, in the order in which they ended.

A line is appended only when the trial's result is in its place, and it is on the disk before the
next trial begins. If the run is killed in between, the last line may be torn; then it counts as
not written.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from steady.errors import InputError
from steady.files import decode_json, plain
from steady.model import Spent
from steady.run.trial import Trial

Status = Literal["ok", "failed"]
Kind = Literal["planned", "second look"]


class JournalEntry(Struct, frozen=True, kw_only=True):
    """How a trial ended: a line of the journal, its fields in their order.

    Parameters
    ----------
    kind : {"planned", "second look"}
        Why it was run.
    number, round : int
        Which trial, and its round.
    block : str
        The round's name, unique over runs.
    version, benchmark : str
        The version and the benchmark.
    status : {"ok", "failed"}
        Whether it left a result.
    reason : str
        Why it left no result, in one line; empty if it left one.
    start, end : float
        Unix time in seconds, to the millisecond.
    seconds : float
        How long it took.
    iteration_seconds : float, optional
        Seconds from the start of its first iteration to the end of its last, if known.
    promised : float
        How many seconds it should have taken.
    sha256 : str
        Digest of its result; empty if there is none, or if an older steady wrote the journal.
    """

    kind: Kind
    number: int
    round: int
    block: str
    version: str
    benchmark: str
    status: Status
    reason: str
    start: float
    end: float
    seconds: float
    iteration_seconds: float | None = None
    promised: float
    sha256: str = ""

    @classmethod
    def of(
        cls,
        trial: Trial,
        block: str,
        start: float,
        end: float,
        *,
        kind: Kind = "planned",
        reason: str = "",
        iteration_seconds: float | None = None,
        sha256: str = "",
    ) -> JournalEntry:
        """Return the entry of a trial that has ended; without a reason it left a result."""
        start, end = round(start, 3), round(end, 3)
        return cls(
            kind=kind,
            number=trial.number,
            round=trial.round,
            block=block,
            version=trial.version,
            benchmark=trial.identity.label,
            status="failed" if reason else "ok",
            reason=reason,
            start=start,
            end=end,
            seconds=round(end - start, 3),
            iteration_seconds=iteration_seconds,
            promised=round(trial.seconds, 3),
            sha256=sha256,
        )

    @property
    def spent(self) -> Spent:
        """How long it took, in the form that results contain."""
        return Spent(self.seconds, self.iteration_seconds)


class Decision(Struct, frozen=True, tag_field="kind", tag="decision"):
    """What is measured again; it is decided once."""

    trials: tuple[Trial, ...]


class GivenUp(Struct, frozen=True, tag_field="kind", tag="given up"):
    """The trials of a benchmark that will not be run any more."""

    benchmark: str
    numbers: tuple[int, ...]
    reason: str


_OTHER_LINES = {"decision": Decision, "given up": GivenUp}


@dataclass(slots=True)
class Journal:
    """The file and its content.

    Parameters
    ----------
    path : Path
        Where it is.
    records : dict of int to JournalEntry
        By number of the trial, in the order of the file.
    further : tuple of Trial or None
        What will be measured again; None if this is not decided yet.
    given_up : dict of int to str
        The trials that will not be run any more, by number, and why.
    """

    path: Path
    records: dict[int, JournalEntry] = field(default_factory=dict)
    further: tuple[Trial, ...] | None = None
    given_up: dict[int, str] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> Journal:
        """Read the journal, if there is one, and cut off a torn last line.

        Raises
        ------
        InputError
            If a line is not one of a journal.
        """
        journal = cls(path)
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            os.truncate(path, len(whole))
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                journal._take(_line(line))
            except (KeyError, TypeError, ValueError, RecursionError, msgspec.ValidationError):
                raise InputError(
                    "is not a line of a journal of `steady run`; run again into another folder",
                    source=path,
                    where=f"line {number}",
                ) from None
        return journal

    def add(self, line: JournalEntry | Decision | GivenUp) -> None:
        """Record a line; it is on the disk when this returns."""
        with self.path.open("ab") as file:
            file.write(json.dumps(plain(line)).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._take(line)

    def _take(self, line: Struct) -> None:
        if isinstance(line, Decision):
            self.further = line.trials
        elif isinstance(line, GivenUp):
            self.given_up.update(dict.fromkeys(line.numbers, line.reason))
        elif isinstance(line, JournalEntry):
            self.records.pop(line.number, None)
            self.records[line.number] = line


def _line(text: bytes) -> Struct:
    data = decode_json(text.decode())
    kind = _OTHER_LINES.get(data["kind"], JournalEntry)
    line: Struct = msgspec.convert(data, kind)
    return line

"""The journal: one line for each trial that came to its end, in the order of their ends.

A line is appended only when the trial's result is safely in place, and it is on the disk before
the next trial begins. What was killed in between leaves at worst a torn last line, which counts
as not written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from steady.errors import InputError
from steady.model import Spent
from steady.run.trial import Trial
from steady.run.trial_json import trial_from_json, trial_to_json

Status = Literal["ok", "failed"]
Kind = Literal["planned", "second look"]

_DECISION = "decision"
_GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """What became of a trial.

    Parameters
    ----------
    number : int
        Which trial.
    block : str
        The round's name, unique over runs.
    status : {"ok", "failed"}
        Whether it left a result.
    reason : str
        Why it left none, in one line; empty where it did.
    start, end : float
        Unix time in seconds, to the millisecond.
    iterations : float, optional
        Seconds from the start of its first iteration to the end of its last, where they are known.
    sha256 : str
        Of its result; empty where there is none, or where an older steady wrote the journal.
    """

    number: int
    block: str
    status: Status
    reason: str
    start: float
    end: float
    iterations: float | None = None
    sha256: str = ""

    @property
    def seconds(self) -> float:
        """What it took."""
        return self.end - self.start

    @property
    def spent(self) -> Spent:
        """The same with what its iterations took."""
        return Spent(self.seconds, self.iterations)


@dataclass(slots=True)
class Journal:
    """The file and what stands in it.

    Parameters
    ----------
    path : Path
        Where it is.
    records : dict of int to JournalEntry
        By number of the trial, in the order of the file.
    further : tuple of Trial or None
        What was decided to be measured again; None: not decided yet.
    given_up : dict of int to str
        By number, trials that are not run any more, and why.
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
            If it holds anything but whole lines of a journal.
        """
        journal = cls(path)
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            os.truncate(path, len(whole))
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                journal._take(json.loads(line))
            except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
                raise InputError(
                    "is no line of a journal of `steady run`; run again into another folder",
                    source=path,
                    where=f"line {number}",
                ) from None
        return journal

    def add(self, trial: Trial, record: JournalEntry, kind: Kind) -> None:
        """Record the end of a trial; on the disk when this returns."""
        self._append(
            {
                "kind": kind,
                "number": record.number,
                "round": trial.round,
                "block": record.block,
                "version": trial.version,
                "benchmark": trial.identity.label,
                "status": record.status,
                "reason": record.reason,
                "start": round(record.start, 3),
                "end": round(record.end, 3),
                "seconds": round(record.seconds, 3),
                "iteration_seconds": record.iterations,
                "promised": round(trial.seconds, 3),
                "sha256": record.sha256,
            }
        )
        self.records.pop(record.number, None)
        self.records[record.number] = record

    def decide(self, trials: Sequence[Trial]) -> None:
        """Record what will be measured again, so that it is decided once."""
        self._append({"kind": _DECISION, "trials": [trial_to_json(trial) for trial in trials]})
        self.further = tuple(trials)

    def give_up(self, label: str, numbers: Sequence[int], reason: str) -> None:
        """Record that the trials of a benchmark which are left are not run any more."""
        self._append(
            {"kind": _GIVEN_UP, "benchmark": label, "numbers": list(numbers), "reason": reason}
        )
        self.given_up.update(dict.fromkeys(numbers, reason))

    def _append(self, entry: Mapping[str, Any]) -> None:
        with self.path.open("ab") as file:
            file.write(json.dumps(entry).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _take(self, entry: dict[str, Any]) -> None:
        if entry["kind"] == _DECISION:
            self.further = tuple(trial_from_json(trial) for trial in entry["trials"])
            return
        if entry["kind"] == _GIVEN_UP:
            reason = str(entry["reason"])
            self.given_up.update((int(number), reason) for number in entry["numbers"])
            return
        status: Status = "ok" if entry["status"] == "ok" else "failed"
        number = int(entry["number"])
        self.records.pop(number, None)
        self.records[number] = JournalEntry(
            number,
            str(entry["block"]),
            status,
            str(entry["reason"]),
            float(entry["start"]),
            float(entry["end"]),
            None if (told := entry.get("iteration_seconds")) is None else float(told),
            sha256=str(entry.get("sha256", "")),
        )

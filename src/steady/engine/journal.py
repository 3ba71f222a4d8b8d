"""The journal: one line for each finished trial, in the order in which they finished.

A line is appended after the trial's result has been moved to its final path, and synced to disk
before the next trial begins. Two simultaneous trials get their lines in one step. If the run is
killed while it writes, an incomplete last line is ignored, and so is the other line of its pair.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from steady import safe_open
from steady.errors import InputError
from steady.files import decode_json, plain
from steady.harness.trial import Trial
from steady.model import Spent

Status = Literal["ok", "failed"]
Kind = Literal["planned", "further", "screening"]


class JournalEntry(Struct, frozen=True, kw_only=True):
    """The outcome of a trial: one line of the journal, with the fields in this order.

    Parameters
    ----------
    kind : {"planned", "further", "screening"}
        Whether it was planned, follows from an interim analysis, or only screens its benchmark.
    number, round : int
        Number of the trial, and number of its round.
    block : str
        Name of the round, unique among all runs.
    version, benchmark : str
        The version and the benchmark.
    status : {"ok", "failed"}
        Whether it produced a result.
    reason : str
        Reason for a missing result, in one line; empty if there is a result.
    start, end : float
        Unix time in seconds, to the millisecond; for simultaneous forks, that of the whole pair.
    seconds : float
        Duration; for simultaneous forks, the share of each, so that the sum is the elapsed time.
    iteration_seconds : float, optional
        Seconds from the start of the first iteration to the end of the last, if known; for an
        interleaved fork, half of it. Unknown if the fork should have been interleaved but was not.
    promised : float
        Expected seconds.
    sha256 : str
        Digest of the result; empty if there is none, or if an older steady wrote the journal.
    beside : int or tuple of int, optional
        The interleaved trials: the other one of a pair, or all others. They are kept or discarded
        together.
    in_turn : bool
        Whether its iterations were interleaved with those of the other trial.
    cold : bool
        Whether its time ended before it reached steady state.
    process : str
        Name of its process, if that ran several benchmarks; unique in the results of its version.
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
    beside: int | tuple[int, ...] | None = None
    in_turn: bool = False
    cold: bool = False
    process: str = ""

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
        others: Sequence[int] = (),
        pairs: int = 1,
    ) -> JournalEntry:
        """Return the entry of a finished trial; with a reason, it produced no result.

        `others` are the interleaved trials, and `pairs` is the number of simultaneous pairs.
        """
        start, end = round(start, 3), round(end, 3)
        share = pairs * (1 + len(others))
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
            seconds=round((end - start) / share, 3),
            promised=round(trial.seconds, 3),
            beside=tuple(others) if len(others) > 1 else next(iter(others), None),
        )

    @property
    def others(self) -> tuple[int, ...]:
        """The interleaved trials."""
        if isinstance(self.beside, tuple):
            return self.beside
        return () if self.beside is None else (self.beside,)

    @property
    def spent(self) -> Spent:
        """Its duration, in the form that results contain."""
        return Spent(self.seconds, self.iteration_seconds)


class Decision(Struct, frozen=True, tag_field="kind", tag="decision"):
    """The trials that follow from an interim analysis; empty at the end of the run."""

    trials: tuple[Trial, ...]


class GivenUp(Struct, frozen=True, tag_field="kind", tag="given up"):
    """Trials of a benchmark that will not be run."""

    benchmark: str
    numbers: tuple[int, ...]
    reason: str


_OTHER_LINES = {"decision": Decision, "given up": GivenUp}


@dataclass(slots=True)
class Journal:
    """The journal file of a run and its content.

    Parameters
    ----------
    path : Path
        Path of the file.
    records : dict of int to JournalEntry
        Outcomes by number of the trial, in the order of the file, without screening forks.
    screened : dict of int to JournalEntry
        Outcomes of screening forks, which are no evidence.
    decisions : list of tuple of Trial
        The trials that follow from each interim analysis.
    given_up : dict of int to str
        Trials that will not be run, by number, with the reason.
    """

    path: Path
    records: dict[int, JournalEntry] = field(default_factory=dict)
    screened: dict[int, JournalEntry] = field(default_factory=dict)
    decisions: list[tuple[Trial, ...]] = field(default_factory=list)
    given_up: dict[int, str] = field(default_factory=dict)
    _written: Any = field(default_factory=hashlib.sha256, repr=False, compare=False)

    def waits_for(self, trial: Trial) -> bool:
        """Return whether a trial is still to be run."""
        ended = self.screened if trial.screening else self.records
        return trial.number not in ended and trial.number not in self.given_up

    def schedule(self, planned: Sequence[Trial]) -> tuple[Trial, ...]:
        """Return the planned trials, and those of all decisions."""
        return (*planned, *chain.from_iterable(self.decisions))

    @classmethod
    def open(cls, path: Path) -> Journal:
        """Read the journal, if there is one, and cut off an incomplete last line or pair of lines.

        Raises
        ------
        InputError
            If a line is invalid.
        """
        journal = cls(path)
        content = _content(path)
        texts = [line + b"\n" for line in content.split(b"\n")[:-1]]
        lines: list[Struct] = []
        for number, text in enumerate(texts, start=1):
            try:
                lines.append(_line(text))
            except (KeyError, TypeError, ValueError, RecursionError, msgspec.ValidationError):
                raise InputError(
                    "is not a valid line of a `steady run` journal; run again with a new output "
                    "folder",
                    source=path,
                    where=f"line {number}",
                ) from None
        while _ends_within_step(lines):  # opening the journal twice must not cut off more
            del texts[-1], lines[-1]
        if sum(map(len, texts)) < len(content):
            os.truncate(path, sum(map(len, texts)))
        for line in lines:
            journal._take(line)
        journal._written.update(b"".join(texts))
        return journal

    def add(self, *lines: JournalEntry | Decision | GivenUp) -> None:
        """Append lines and sync them to disk."""
        text = "".join(json.dumps(plain(line)) + "\n" for line in lines).encode()
        self._written.update(text)
        with safe_open.open_for_append(self.path) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        for line in lines:
            self._take(line)

    def correct(self) -> bool:
        """Restore the file if another process has changed it; return whether one has."""
        with suppress(InputError):
            if hashlib.sha256(_content(self.path)).digest() == self._written.digest():
                return False
        self._written = hashlib.sha256()
        self.path.unlink(missing_ok=True)
        ended = tuple(GivenUp("", (number,), reason) for number, reason in self.given_up.items())
        decided, self.decisions = self.decisions, []
        outcomes = (*self.screened.values(), *self.records.values())
        self.add(*map(Decision, decided), *ended, *outcomes)
        return True

    def discard_changed_results(
        self, planned: Sequence[Trial], holds: Callable[[int, str], bool]
    ) -> Iterator[str]:
        """Discard trials whose results are missing or have changed, so that they are run again.

        Parameters
        ----------
        planned : sequence of Trial
            The planned schedule, and the screening forks.
        holds : callable
            Returns whether the result of a trial, given its number, still has a digest.

        Yields
        ------
        str
            One message for each discarded trial.

        Raises
        ------
        InputError
            If the journal contains a trial that does not belong to the run.
        """
        known = {trial.number for trial in self.schedule(planned)}
        for record in [*self.screened.values(), *self.records.values()]:
            if record.number not in known:
                raise InputError(
                    f"the journal contains trial {record.number}, which does not belong to this "
                    "run; run again with a new output folder",
                    source=self.path.parent,
                )
            # with the other of its pair
            forgotten = record.number not in self._outcomes(record)
            if record.status == "ok" and not forgotten and not holds(record.number, record.sha256):
                self._forget(record)
                others = " and ".join(map(str, record.others))
                other = f", and trial {others} with it" if others else ""
                yield (
                    f"the result of trial {record.number} does not match the journal; it is run "
                    f"again{other}"
                )

    def _forget(self, record: JournalEntry) -> None:
        """Discard a trial and the simultaneous ones, so that they are run again."""
        for number in (record.number, *record.others):
            self._outcomes(record).pop(number, None)

    def _outcomes(self, record: JournalEntry) -> dict[int, JournalEntry]:
        """Return the outcomes that an entry belongs to."""
        return self.screened if record.kind == "screening" else self.records

    def _take(self, line: Struct) -> None:
        if isinstance(line, Decision):
            self.decisions.append(line.trials)
        elif isinstance(line, GivenUp):
            self.given_up.update(dict.fromkeys(line.numbers, line.reason))
        elif isinstance(line, JournalEntry):
            outcomes = self._outcomes(line)
            outcomes.pop(line.number, None)
            outcomes[line.number] = line


def _ends_within_step(lines: Sequence[Struct]) -> bool:
    """Return whether the last lines are an incomplete step, whose other lines are missing."""
    last = lines[-1] if lines else None
    if not isinstance(last, JournalEntry):
        return False
    step = [one for one in lines[-1 - len(last.others) :] if isinstance(one, JournalEntry)]
    alike = {one.number for one in step if (one.start, one.end) == (last.start, last.end)}
    return not alike >= {last.number, *last.others}


def _line(text: bytes) -> Struct:
    data = decode_json(text.decode())
    kind = _OTHER_LINES.get(data["kind"], JournalEntry)
    line: Struct = msgspec.convert(data, kind)
    return line


def _content(path: Path) -> bytes:
    try:
        return safe_open.read_regular(path)
    except FileNotFoundError:
        return b""

"""``run.json``: what a run is, what came of it, and whether another may go on with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from steady.errors import InputError
from steady.files import read_json
from steady.run.machine import Machine
from steady.run.trial import Version

VERSION = 1

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["steady_run", "id", "header", "sessions"],
    "properties": {
        "steady_run": {"const": VERSION},
        "id": {"type": "string"},
        "sessions": {"type": "array", "items": {"type": "object"}},
        "header": {
            "type": "object",
            "required": [
                *("harness", "seed", "plan", "versions", "trials", "described", "machine"),
                "started",
            ],
            "properties": {
                **{key: {"type": "string"} for key in ("harness", "plan", "trials")},
                "seed": {"type": "integer"},
                "versions": {"type": "array", "items": {"type": "object"}},
                "described": {"type": "object", "additionalProperties": {"type": "string"}},
                "machine": {
                    "type": "object",
                    "properties": {key: {"type": "string"} for key in ("cpu", "os")},
                },
            },
        },
    },
}


@dataclass(frozen=True, slots=True)
class Target:
    """A version and what it was made of.

    Parameters
    ----------
    name, path : str
        Its name and where it lay.
    sha256 : str
        Of its content.
    """

    name: str
    path: str
    sha256: str

    @classmethod
    def of(cls, version: Version) -> Target:
        """Read a version's target and take its digest."""
        return cls(version.name, str(version.target), target_digest(version.target))


@dataclass(frozen=True, slots=True)
class Header:
    """What a run is: written before its first fork.

    Parameters
    ----------
    harness : str
        Registered name.
    seed : int
        Of the order of trials.
    plan : str
        SHA-256 of the plan; empty without one.
    versions : tuple of Target
        What is run.
    trials : str
        Digest of the planned schedule.
    described : mapping of str to str
        What the harness says of itself: versions, options.
    machine : Machine
        Where it runs.
    started : float
        Unix time in seconds.
    """

    harness: str
    seed: int
    plan: str
    versions: tuple[Target, ...]
    trials: str
    described: Mapping[str, str]
    machine: Machine
    started: float

    @property
    def run_id(self) -> str:
        """Eight hexadecimal digits that no other run has."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def obstacle(self, other: Header) -> str | None:
        """Say why `other` cannot go on with this run; None where it can."""
        contents = [{t.name: t.sha256 for t in header.versions} for header in (self, other)]
        checks = (
            (self.harness == other.harness, f"it was run by {self.harness}"),
            (self.seed == other.seed, f"its seed was {self.seed}"),
            (self.plan == other.plan, "it followed another plan"),
            (contents[0] == contents[1], _changed(*contents)),
            (self.trials == other.trials, "it runs other benchmarks, or runs them otherwise"),
            (self.described == other.described, _differing(self.described, other.described)),
            (self.machine.cpu == other.machine.cpu, f"it ran on another CPU, {self.machine.cpu}"),
        )
        return next((reason for same, reason in checks if not same), None)


@dataclass(frozen=True, slots=True)
class Stretch:
    """One stretch of a run: from its start, or from `--resume`, to its end.

    Parameters
    ----------
    start : float
        Unix time in seconds.
    load : float or None
        Load average of the minute before.
    end, load_at_end : float or None
        The same at its end; None where it was killed.
    """

    start: float
    load: float | None
    end: float | None = None
    load_at_end: float | None = None


def run_to_json(
    header: Header, sessions: Sequence[Stretch], outcome: Mapping[str, object] | None = None
) -> str:
    """Return the text of ``run.json``.

    Parameters
    ----------
    header : Header
        What the run is.
    sessions : sequence of Stretch
        Its stretches so far.
    outcome : mapping of str to JSON data, optional
        What came of it, once a session ends.
    """
    data = {
        "steady_run": VERSION,
        "id": header.run_id,
        "header": asdict(header),
        "sessions": [asdict(session) for session in sessions],
        "outcome": outcome,
    }
    return json.dumps(data, indent=2) + "\n"


def read_run(path: Path) -> tuple[Header, tuple[Stretch, ...]]:
    """Return header and sessions of ``run.json``.

    Raises
    ------
    InputError
        If it is not one, or of another version.
    """
    remedy = "run again into another folder"
    data = read_json(path, _SCHEMA, what="the header of a run, version 1", remedy=remedy)
    header = data["header"]
    try:
        return (
            Header(
                **{
                    **header,
                    "versions": tuple(Target(**version) for version in header["versions"]),
                    "machine": Machine(**header["machine"]),
                }
            ),
            tuple(Stretch(**session) for session in data["sessions"]),
        )
    except TypeError:
        raise InputError(f"is no header of a run of `steady run`; {remedy}", source=path) from None


def target_digest(target: Path) -> str:
    """Return the SHA-256 of a file, or of a folder's files with their names.

    Of a folder with test binaries of Go these count and what lies in ``testdata``: it may be a
    checkout, and hold results, too.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    try:
        if not target.is_dir():
            with target.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        digest = hashlib.sha256()
        files = sorted(path for path in target.rglob("*") if path.is_file())
        for path in [path for path in files if _decides(path.relative_to(target))] or files:
            name = path.relative_to(target).as_posix()
            digest.update(f"{name}\0{target_digest(path)}\0".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror}); give a file or folder of benchmarks",
            source=target,
        ) from None


def _decides(path: Path) -> bool:
    """Tell whether a file of a folder is a test binary of Go, or among its data."""
    return path.name.endswith((".test", ".test.exe")) or "testdata" in path.parts[:-1]


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    if before.keys() != now.keys():
        return f"it was a run of {' and '.join(before)}"
    return f"{' and '.join(n for n in before if before[n] != now[n])} has changed since"


def _differing(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    key = next((key for key in {**before, **now} if before.get(key) != now.get(key)), "")
    return f"its {key} was {before.get(key, 'unknown')}"

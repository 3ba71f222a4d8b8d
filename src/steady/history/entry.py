"""What the index knows of one run: a small file of its own, so that two never collide."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from typing import Any

from steady.errors import InputError
from steady.files import parse_json
from steady.history.fingerprint import Fingerprint
from steady.patterns import COMMIT, SUITE_KEY

RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
DIGEST = re.compile(r"[0-9a-f]{64}")

_NAMES = {"type": "array", "items": {"type": "string", "maxLength": 1000}, "maxItems": 1000}
_OBJECT = {
    "type": "object",
    "required": ["sha256", "bytes"],
    "additionalProperties": False,
    "properties": {
        "sha256": {"type": "string", "pattern": f"^{DIGEST.pattern}$"},
        "bytes": {"type": "integer", "minimum": 0},
    },
}
_SCHEMA = {
    "type": "object",
    "required": ["steady_history", "suite", "commit", "run", "time", "environment", "results"],
    "additionalProperties": False,
    "properties": {
        "steady_history": {"const": 1},
        "suite": {"type": "string", "pattern": f"^{SUITE_KEY.pattern}$"},
        "commit": {"type": "string", "pattern": f"^{COMMIT.pattern}$"},
        "run": {"type": "string", "pattern": f"^{RUN.pattern}$"},
        "time": {"type": "integer", "minimum": 0, "maximum": 253402300799},
        "environment": {
            "type": "object",
            "additionalProperties": False,
            "properties": dict.fromkeys(("cpu", "os", "jdk", "vm"), _NAMES),
        },
        "benchmarks": {"type": "integer", "minimum": 0},
        "results": _OBJECT,
        "plan": _OBJECT,
    },
}


@dataclass(frozen=True, slots=True)
class Object:
    """Something that is kept, by its content.

    Parameters
    ----------
    digest : str
        SHA-256 of its bytes, unpacked, in hexadecimal digits.
    size : int
        Bytes that it takes, packed.
    """

    digest: str
    size: int

    def __post_init__(self) -> None:
        _check("object", self.digest, DIGEST, "64 hexadecimal digits")


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One run in the index.

    Parameters
    ----------
    suite : str
        Key of the suite: a repository may have several.
    commit : str
        Full hash of the commit that was measured.
    run : str
        Which of several runs at this commit: GitHub's run and attempt, or any name.
    time : int
        When it was recorded: seconds since 1970, UTC.
    results : Object
        The measurements, in the series format.
    plan : Object, optional
        The plan that the run followed.
    environment : Fingerprint
        Where it ran.
    benchmarks : int
        How many of them have results.
    """

    suite: str
    commit: str
    run: str
    time: int
    results: Object
    plan: Object | None = None
    environment: Fingerprint = field(default_factory=Fingerprint)
    benchmarks: int = 0

    def __post_init__(self) -> None:
        _check(
            "suite", self.suite, SUITE_KEY, "at most 64 letters, digits, `.`, `_` and single `-`"
        )
        _check("commit", self.commit, COMMIT, "a full hash of 40 or 64 hexadecimal digits")
        _check("run", self.run, RUN, "at most 100 letters, digits, `.`, `_` and `-`")

    @property
    def identity(self) -> str:
        """64 hexadecimal digits that stand for suite, commit and run."""
        return hashlib.sha256("\n".join((self.suite, self.commit, self.run)).encode()).hexdigest()

    @property
    def objects(self) -> tuple[Object, ...]:
        """All that is kept for it."""
        return (self.results,) if self.plan is None else (self.results, self.plan)

    @property
    def age_key(self) -> tuple[int, str, str]:
        """What runs are sorted by: the newest has the largest, and no two have the same."""
        return (self.time, self.run, self.identity)


def encode(entry: HistoryEntry) -> bytes:
    """Return the entry as the bytes of its file: the same entry, the same bytes."""
    data: dict[str, Any] = {
        "steady_history": 1,
        "suite": entry.suite,
        "commit": entry.commit,
        "run": entry.run,
        "time": entry.time,
        "environment": {kind: v for kind, v in asdict(entry.environment).items() if v},
        "benchmarks": entry.benchmarks,
        "results": _object(entry.results),
    }
    if entry.plan is not None:
        data["plan"] = _object(entry.plan)
    return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()


def decode(data: bytes, source: str) -> HistoryEntry:
    """Read an entry's file.

    Raises
    ------
    InputError
        If it is none; `source` names it.
    """
    what, remedy = "an entry of steady's history, version 1", "delete that file, or update steady"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError(f"is not UTF-8 text; expected {what}: {remedy}", source=source) from None
    found = parse_json(text, _SCHEMA, what=what, remedy=remedy, source=source)
    kinds = {kind: tuple(values) for kind, values in found["environment"].items()}
    return HistoryEntry(
        suite=found["suite"],
        commit=found["commit"],
        run=found["run"],
        time=found["time"],
        results=Object(found["results"]["sha256"], found["results"]["bytes"]),
        plan=Object(found["plan"]["sha256"], found["plan"]["bytes"]) if "plan" in found else None,
        environment=Fingerprint(**kinds),
        benchmarks=found.get("benchmarks", 0),
    )


def _object(kept: Object) -> dict[str, object]:
    return {"sha256": kept.digest, "bytes": kept.size}


def _check(name: str, value: str, pattern: re.Pattern[str], expected: str) -> None:
    if not pattern.fullmatch(value):
        shown = value if len(value) <= 80 else value[:79] + "…"
        raise InputError(f"{name} of a run in the history: expected {expected}, got {shown!r}")

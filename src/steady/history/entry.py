"""The entry of a run in the index, and the objects that it names: their bytes, checked when read.

An entry is a small file of its own, so that two never collide. It tells the run's surroundings.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import zlib
from contextlib import suppress
from typing import Annotated, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import asdict

from steady.errors import InputError
from steady.files import json_text, parse_json, plain
from steady.model import Suite
from steady.patterns import COMMIT, SUITE_KEY

_Values = Annotated[tuple[Annotated[str, Meta(max_length=1000)], ...], Meta(max_length=1000)]

_KINDS = {"cpu": "CPU", "os": "operating system", "jdk": "JDK", "vm": "JVM"}


class Fingerprint(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The surroundings of a run: the different values of each kind, sorted.

    Parameters
    ----------
    cpu, os, jdk, vm : tuple of str
        See `steady.model.Environment`; empty if the harness did not say.
    """

    cpu: _Values = ()
    os: _Values = ()
    jdk: _Values = ()
    vm: _Values = ()

    @classmethod
    def of(cls, suite: Suite) -> Fingerprint:
        """Return the fingerprint of a suite."""
        found = {kind: {getattr(one, kind) for one in suite.environments} for kind in _KINDS}
        return cls(**{kind: tuple(sorted(filter(None, values))) for kind, values in found.items()})

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits, short enough for a table; equal if everything is equal."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:12]

    def differences(self, other: Fingerprint) -> tuple[str, ...]:
        """Name the kinds in which the two differ, where both of them say something.

        Returns
        -------
        tuple of str
            ``CPU: AMD EPYC 7763 there, Intel Xeon 8370C here``, `self` being there.
        """
        both = ((name, getattr(self, kind), getattr(other, kind)) for kind, name in _KINDS.items())
        return tuple(
            f"{name}: {', '.join(there)} there, {', '.join(here)} here"
            for name, there, here in both
            if there and here and there != here
        )


RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
DIGEST = re.compile(r"[0-9a-f]{64}")


class Object(Struct, frozen=True, forbid_unknown_fields=True):
    """An object of the history, named by its content.

    Parameters
    ----------
    digest : str
        SHA-256 of its bytes, unpacked, in hexadecimal digits.
    size : int
        Bytes that it takes, packed.
    """

    digest: str = field(name="sha256")
    size: Annotated[int, Meta(ge=0)] = field(name="bytes")

    def __post_init__(self) -> None:
        _check("object", self.digest, DIGEST, "64 hexadecimal digits")


class HistoryEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One run in the index: a file of its own, its fields in their order.

    Parameters
    ----------
    steady_history : 1
        Version of the format.
    suite : str
        Key of the suite: a repository may have several.
    commit : str
        Full hash of the commit that was measured.
    run : str
        Which of several runs at this commit: GitHub's run and attempt, or any name.
    time : int
        When it was recorded: seconds since 1970, UTC.
    environment : Fingerprint
        Where it ran.
    benchmarks : int
        How many of them have results.
    results : Object
        The measurements, in the series format.
    plan : Object, optional
        The plan that the run followed.
    """

    steady_history: Literal[1] = 1
    suite: str
    commit: str
    run: str
    time: Annotated[int, Meta(ge=0, le=253402300799)]
    environment: Fingerprint = Fingerprint()
    benchmarks: Annotated[int, Meta(ge=0)] = 0
    results: Object
    plan: Object | None = None

    def __post_init__(self) -> None:
        key = "at most 64 letters, digits, `.`, `_` and single `-`"
        _check("suite", self.suite, SUITE_KEY, key)
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


class HistoryListing(Struct, frozen=True):
    """What `steady history list --json` prints: the runs, the newest first."""

    steady_history_list: Literal[1]
    store: str
    runs: tuple[HistoryEntry, ...]


def encode(entry: HistoryEntry) -> bytes:
    """Return the entry as the bytes of its file: the same entry, the same bytes."""
    data = plain(entry)
    if entry.plan is None:
        del data["plan"]
    return json_text(data, indent=1).encode()


def decode(data: bytes, source: str) -> HistoryEntry:
    """Read an entry's file.

    Raises
    ------
    InputError
        If it is not an entry; `source` names the file.
    """
    what, remedy = "an entry of steady's history, version 1", "delete that file, or update steady"
    return parse_json(data, HistoryEntry, what=what, remedy=remedy, source=source)


def _check(name: str, value: str, pattern: re.Pattern[str], expected: str) -> None:
    if not pattern.fullmatch(value):
        shown = value if len(value) <= 80 else value[:79] + "…"
        raise InputError(f"{name} of a run in the history: expected {expected}, got {shown!r}")


LARGEST = 256 * 2**20
"""Largest size of an object, in unpacked bytes."""

ENTRY_PATH = re.compile(r"entries/[0-9a-f]{2}/[0-9a-f]{64}\.json")
OBJECT_PATH = re.compile(r"objects/[0-9a-f]{2}/[0-9a-f]{64}\.gz")


def is_of_history(path: str) -> bool:
    """Tell whether a history has a file of that name, relative to its folder."""
    return bool(ENTRY_PATH.fullmatch(path) or OBJECT_PATH.fullmatch(path))


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def pack(data: bytes) -> bytes:
    """Compress `data`, without a name or a time.

    Raises
    ------
    InputError
        If it is larger than `LARGEST`.
    """
    if len(data) > LARGEST:
        raise InputError(
            f"results of {len(data) / 2**20:.0f} MiB are more than the {LARGEST // 2**20} MiB that "
            "the history takes for one run; give each part of the suite a key of its own"
        )
    return gzip.compress(data, compresslevel=9, mtime=0)


def unpack(packed: bytes, digest: str, source: str, limit: int = LARGEST) -> bytes:
    """Decompress the object that was kept as `digest`.

    Raises
    ------
    InputError
        If it is damaged, larger than `limit`, or something else.
    """
    with suppress(EOFError, OSError, zlib.error), gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
        data = file.read(limit + 1)
        if len(data) <= limit and digest_of(data) == digest:
            return data
    raise InputError(
        f"{object_path(digest)} is damaged; delete it there, and record that run again",
        source=source,
    )


def object_path(digest: str) -> str:
    """Return the path of an object in the store; it contains only hexadecimal digits."""
    return f"objects/{_digits(digest)[:2]}/{digest}.gz"


def entry_path(identity: str) -> str:
    """Return the path of an entry in the store."""
    return f"entries/{_digits(identity)[:2]}/{identity}.json"


def _digits(digest: str) -> str:
    if not DIGEST.fullmatch(digest):
        raise ValueError(f"{digest!r} is not a SHA-256")
    return digest

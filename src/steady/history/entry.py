"""Index entries of runs, and the objects that they refer to, with checksums.

Each entry is a separate small file, so that concurrent writers do not conflict. It contains the
run's environment.
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
    """The environment of a run: the distinct values of each kind, sorted.

    Parameters
    ----------
    cpu, os, jdk, vm : tuple of str
        See `steady.model.Environment`; empty if the harness does not report it.
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
        """Hash of all values, as twelve hexadecimal digits."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:12]

    def differences(self, other: Fingerprint) -> tuple[str, ...]:
        """Describe the kinds in which the two differ, if both have values.

        Returns
        -------
        tuple of str
            Such as ``CPU: AMD EPYC 7763 there, Intel Xeon 8370C here``, where *there* is `self`.
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
    """A content-addressed object of the history.

    Parameters
    ----------
    digest : str
        SHA-256 of its uncompressed bytes, in hexadecimal digits.
    size : int
        Compressed size in bytes.
    """

    digest: str = field(name="sha256")
    size: Annotated[int, Meta(ge=0)] = field(name="bytes")

    def __post_init__(self) -> None:
        _check("object", self.digest, DIGEST, "64 hexadecimal digits")


class HistoryEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Index entry of one run: one file, with the fields in this order.

    Parameters
    ----------
    steady_history : 1
        Version of the format.
    suite : str
        Key of the suite; a repository may have several suites.
    commit : str
        Full hash of the measured commit.
    run : str
        Name that distinguishes several runs of this commit: GitHub's run and attempt, or any name.
    time : int
        Unix time at which it was recorded, in seconds.
    environment : Fingerprint
        Environment of the run.
    benchmarks : int
        Number of benchmarks with results.
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
        """64 hexadecimal digits that identify suite, commit and run."""
        return hashlib.sha256("\n".join((self.suite, self.commit, self.run)).encode()).hexdigest()

    @property
    def objects(self) -> tuple[Object, ...]:
        """The objects that the entry refers to."""
        return (self.results,) if self.plan is None else (self.results, self.plan)

    @property
    def age_key(self) -> tuple[int, str, str]:
        """Sort key by age: unique, and largest for the newest run."""
        return (self.time, self.run, self.identity)


class HistoryListing(Struct, frozen=True):
    """The output of `steady history list --json`: the runs, newest first."""

    steady_history_list: Literal[1]
    store: str
    runs: tuple[HistoryEntry, ...]


def encode(entry: HistoryEntry) -> bytes:
    """Return the content of the entry's file, which is deterministic."""
    data = plain(entry)
    if entry.plan is None:
        del data["plan"]
    return json_text(data, indent=1).encode()


def decode(data: bytes, source: str) -> HistoryEntry:
    """Read an entry's file.

    Raises
    ------
    InputError
        If it is not a valid entry; the message names `source`.
    """
    what, remedy = "an entry of steady's history, version 1", "delete that file, or update steady"
    return parse_json(data, HistoryEntry, what=what, remedy=remedy, source=source)


def _check(name: str, value: str, pattern: re.Pattern[str], expected: str) -> None:
    if not pattern.fullmatch(value):
        shown = value if len(value) <= 80 else value[:79] + "…"
        raise InputError(f"{name} of a run in the history: expected {expected}, got {shown!r}")


LARGEST = 256 * 2**20
"""Maximum uncompressed size of an object, in bytes."""

ENTRY_PATH = re.compile(r"entries/[0-9a-f]{2}/[0-9a-f]{64}\.json")
OBJECT_PATH = re.compile(r"objects/[0-9a-f]{2}/[0-9a-f]{64}\.gz")


def is_of_history(path: str) -> bool:
    """Return whether a path relative to the history's folder is an entry or an object."""
    return bool(ENTRY_PATH.fullmatch(path) or OBJECT_PATH.fullmatch(path))


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def pack(data: bytes) -> bytes:
    """Compress `data` deterministically, without a file name or time.

    Raises
    ------
    InputError
        If it is larger than `LARGEST`.
    """
    if len(data) > LARGEST:
        raise InputError(
            f"results of {len(data) / 2**20:.0f} MiB exceed the limit of {LARGEST // 2**20} MiB "
            "for one run in the history; give each part of the suite its own key"
        )
    return gzip.compress(data, compresslevel=9, mtime=0)


def unpack(packed: bytes, digest: str, source: str, limit: int = LARGEST) -> bytes:
    """Decompress an object and check its digest.

    Raises
    ------
    InputError
        If it is damaged, larger than `limit`, or has a different digest.
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
    """Return the path of an object in the store."""
    return f"objects/{_digits(digest)[:2]}/{digest}.gz"


def entry_path(identity: str) -> str:
    """Return the path of an entry in the store."""
    return f"entries/{_digits(identity)[:2]}/{identity}.json"


def _digits(digest: str) -> str:
    if not DIGEST.fullmatch(digest):
        raise ValueError(f"{digest!r} is not a SHA-256")
    return digest

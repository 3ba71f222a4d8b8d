"""Objects of bytes: named by their hash, packed, and checked when they are read."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import zlib

from steady.errors import InputError
from steady.history.entry import DIGEST

LARGEST = 256 * 2**20
"""Largest size of an object, in unpacked bytes."""

ENTRY_PATH = re.compile(r"entries/[0-9a-f]{2}/[0-9a-f]{64}\.json")
OBJECT_PATH = re.compile(r"objects/[0-9a-f]{2}/[0-9a-f]{64}\.gz")


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
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            data = file.read(limit + 1)
    except (EOFError, OSError, zlib.error):
        raise _damaged(digest, source) from None
    if len(data) > limit or digest_of(data) != digest:
        raise _damaged(digest, source)
    return data


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


def _damaged(digest: str, source: str) -> InputError:
    return InputError(
        f"{object_path(digest)} is damaged; delete it there, and record that run again",
        source=source,
    )

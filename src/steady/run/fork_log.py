"""The output of failed forks, up to a size limit."""

from __future__ import annotations

from pathlib import Path

LIMIT = 2**17
"""Largest size of a log in bytes: half from its beginning, half from its end."""

MOST_LOGS = 200
"""Largest number of logs of one run."""

_GAP = b"\n[... %d bytes are left out here ...]\n"


def excerpt(data: bytes) -> bytes:
    """Return the beginning and the end of a long text."""
    if len(data) <= LIMIT:
        return data
    half = LIMIT // 2
    return data[:half] + _GAP % (len(data) - 2 * half) + data[-half:]


def excerpt_of(path: Path) -> bytes:
    """Return the beginning and the end of a file; empty if it cannot be read."""
    half = LIMIT // 2
    try:
        with path.open("rb") as file:
            start = file.read(LIMIT)
            size = file.seek(0, 2)
            if size <= LIMIT:
                return start
            file.seek(-half, 2)
            return start[:half] + _GAP % (size - 2 * half) + file.read(half)
    except OSError:
        return b""

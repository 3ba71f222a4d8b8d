"""The output of failed forks, up to a size limit."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import IO

LIMIT = 2**17
"""Bytes of an output that a log keeps: half from its beginning, half from its end."""

MOST_LOGS = 200
"""Largest number of logs of one run."""

_GAP = b"\n[... %d bytes are left out here ...]\n"


def excerpt(data: bytes) -> bytes:
    """Return the beginning and the end of a long text."""
    return _excerpt(BytesIO(data))


def excerpt_of(path: Path) -> bytes:
    """Return the beginning and the end of a file; empty if it cannot be read."""
    try:
        with path.open("rb") as file:
            return _excerpt(file)
    except OSError:
        return b""


def _excerpt(file: IO[bytes]) -> bytes:
    half = LIMIT // 2
    start = file.read(LIMIT)
    size = file.seek(0, 2)
    if size <= LIMIT:
        return start
    file.seek(-half, 2)
    return start[:half] + _GAP % (size - 2 * half) + file.read(half)

"""Output of forks: the beginning and the end, up to a size limit."""

from io import BytesIO
from pathlib import Path
from typing import IO

from steady import safe_open
from steady.errors import InputError

LIMIT = 2**17
"""Maximum size of a log in bytes: half from the beginning of the output, half from its end."""

MOST_READ = 2**23
"""Maximum bytes of an output that are searched for results, or for the reason of a failure.

Benchmarks may print any amount; the lines of package testing and of JMH are at both ends."""

MOST_LOGS = 200
"""Maximum number of logs of a run."""

_GAP = b"\n[... %d bytes are left out here ...]\n"


def excerpt(data: bytes) -> bytes:
    """Return the beginning and the end of a text, up to `LIMIT`."""
    return _excerpt(BytesIO(data))


def excerpt_of(path: Path) -> bytes:
    """Return the beginning and the end of a file, up to `LIMIT`; empty if it is unreadable."""
    return _excerpt_of(path, LIMIT)


def text_of(path: Path) -> str:
    """Return the text of a fork's output, up to `MOST_READ`; empty if it is unreadable."""
    return _excerpt_of(path, MOST_READ).decode("utf-8", "replace")


def both_ends(file: IO[bytes]) -> bytes:
    """Return a fork's output from an open file, up to `MOST_READ`."""
    file.seek(0)
    return _excerpt(file, MOST_READ)


def _excerpt_of(path: Path, limit: int) -> bytes:
    try:
        with safe_open.open_regular(path) as file:
            return _excerpt(file, limit)
    except (OSError, InputError):
        return b""


def _excerpt(file: IO[bytes], limit: int = LIMIT) -> bytes:
    half = limit // 2
    start = file.read(limit)
    size = file.seek(0, 2)
    if size <= limit:
        return start
    file.seek(-half, 2)
    return start[:half] + _GAP % (size - 2 * half) + file.read(half)

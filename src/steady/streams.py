"""Handling of closed pipes and full devices on standard output."""

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TextIO


def is_closed_pipe(error: OSError, platform: str = sys.platform) -> bool:
    """Return whether the reader of a pipe has closed it; Windows reports an invalid argument."""
    windows = platform == "win32" and error.errno == errno.EINVAL
    return isinstance(error, BrokenPipeError) or windows


def redirect_to_null(stream: TextIO) -> None:
    """Redirect a stream and its buffer to the null device."""
    with suppress(io.UnsupportedOperation):  # streams in tests have no descriptor
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)

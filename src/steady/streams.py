"""Standard output and the like that nobody reads any more, or that take no more."""

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TextIO


def is_closed_pipe(error: OSError, platform: str = sys.platform) -> bool:
    """Tell whether the reader of a pipe has gone; Windows calls that an invalid argument."""
    windows = platform == "win32" and error.errno == errno.EINVAL
    return isinstance(error, BrokenPipeError) or windows


def give_up(stream: TextIO) -> None:
    """Have a stream lead nowhere: what is left in its buffer, too."""
    with suppress(io.UnsupportedOperation):  # a stream of a test has no descriptor
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)

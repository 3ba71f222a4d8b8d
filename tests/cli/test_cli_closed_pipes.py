"""The verdict if the reader of the output closes the pipe: ``| head``."""

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from steady.cli.printing import Guarded
from steady.streams import is_closed_pipe

COMMANDS = {
    "compare": "compare base.txt head.txt --junit junit.xml",
    "report": "report base.txt head.txt --out out --junit junit.xml",
}


def test_a_closed_pipe_does_not_change_the_exit_code() -> None:
    for side, factor in (("base", 1.0), ("head", 1.5)):
        rows = (
            f"BenchmarkN{n}-2 100 {factor * (100 + n) + k / 10} ns/op\n"
            for n in range(40)
            for k in range(10)
        )
        Path(f"{side}.txt").write_text("".join(rows))
    for words in COMMANDS.values():
        for closed in ("stdout", "stdout and stderr"):
            Path("junit.xml").unlink(missing_ok=True)
            reading, writing = os.pipe()
            os.close(reading)
            error = writing if "stderr" in closed else subprocess.DEVNULL
            command = [sys.executable, "-m", "steady.cli", *words.split()]
            done = subprocess.run(command, stdout=writing, stderr=error, check=False, timeout=60)
            os.close(writing)
            assert done.returncode == 1, (words, closed)
            assert "<failure" in Path("junit.xml").read_text()


def test_a_closed_pipe_on_windows_is_recognized() -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.EINVAL, "Invalid argument")

    assert is_closed_pipe(OSError(errno.EINVAL, "Invalid argument"), "win32")
    assert not is_closed_pipe(OSError(errno.EINVAL, "Invalid argument"), "linux")
    assert not is_closed_pipe(OSError(errno.ENOSPC, "No space left"), "win32")
    with pytest.raises(OSError, match="Invalid argument"):
        Guarded(Closed()).write("a line\n")  # on Linux, it is a different error

"""Execute a command once for each input line, and print its cost.

Usage: python -ISB driver.py FOLDER COMMAND ARGUMENT...

For each line of its input it starts the command in the folder, without input and output, and prints
a line of JSON: wall-clock seconds, processor seconds (user and system), peak memory in bytes, the
exit code, and the last line of its errors; or, as a text, the reason why it cannot be started.
Remaining processes of the command are killed, so that they do not run during the next execution.

It is a separate program, so it imports nothing of steady.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress

_KIB = 1 if sys.platform == "darwin" else 1024
_MOST = 200


def main() -> None:
    """Execute the command for each input line."""
    folder, command = sys.argv[1], sys.argv[2:]
    for _ in sys.stdin:
        try:
            told: object = _executed(folder, command)
        except (OSError, ValueError) as error:
            told = getattr(error, "strerror", None) or str(error)
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


def _executed(folder: str, command: list[str]) -> list[float | int | str]:
    with tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - the user's own command
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        _, status, used = os.wait4(process.pid, 0)
        took = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        with suppress(ProcessLookupError, PermissionError):  # macOS: only a zombie is left
            os.killpg(process.pid, signal.SIGKILL)
        size = errors.seek(0, os.SEEK_END)
        errors.seek(max(size - _MOST, 0))
        lines = errors.read().decode("utf-8", "replace").split("\n")
    said = next((line.strip() for line in reversed(lines) if line.strip()), "")
    memory = used.ru_maxrss * _KIB
    return [took, used.ru_utime + used.ru_stime, memory, process.returncode, said]


if __name__ == "__main__":
    main()

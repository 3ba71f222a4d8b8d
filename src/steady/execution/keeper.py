"""The keeper of a program: it ends the program and its descendants when steady ends.

Usage: python -ISB keeper.py CONTROL PROGRAM ARGUMENT...

``CONTROL`` is the descriptor of a socket whose other end only steady holds. The keeper writes 0 to
it once the program runs, or the error number if the program cannot start. Steady closes its end to
end the program; if steady itself ends, even by SIGKILL, the kernel closes it.

On Linux, every descendant that loses its parent becomes a child of the keeper, even in a session of
its own, and the kernel ends the program if the keeper is killed. On other systems, the keeper ends
the program's process group. The keeper sleeps while the program runs, and ends with its status.

The keeper is a separate program, so it imports nothing from steady.
"""

import ctypes
import os
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path

_SET_PDEATHSIG, _SET_DUMPABLE, _SET_CHILD_SUBREAPER = 1, 4, 36  # <linux/prctl.h>
_LINUX = sys.platform == "linux"


def main() -> None:
    """Run the program until the program or steady ends."""
    control, command = int(sys.argv[1]), sys.argv[2:]
    _prctl(_SET_DUMPABLE, 0)  # for the keeper only; exec makes the program dumpable again
    awake, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    _prctl(_SET_CHILD_SUBREAPER, 1)
    child, error = _started(command)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # otherwise readers of the program's output would wait for the keeper
        os.dup2(nothing, stream)
    with suppress(OSError):  # steady has ended
        os.write(control, str(error).encode())
    status = None if not error else 0
    events = select.poll()
    events.register(control, select.POLLIN)
    events.register(awake, select.POLLIN)
    while status is None:
        ready = dict(events.poll())
        if awake in ready:
            os.read(awake, 512)
            status = _reaped(child)
        if control in ready:
            break
    _end_as(_all_ended(child, status))


def _prctl(option: int, value: int) -> None:
    if _LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _started(command: list[str]) -> tuple[int, int]:
    """Start the program in its own session; return its id, and an error number or 0."""
    keeper = os.getpid()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            _prctl(_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() == keeper:
                for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
                    signal.signal(number, signal.SIG_DFL)  # Python ignores the first two
                os.execvp(command[0], command)  # noqa: S606 - the user's program
        except OSError as error:
            os.write(writer, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(writer)
    return child, int(os.read(reader, 16) or b"0")


def _reaped(child: int) -> int | None:
    """Reap all processes that have ended; return the program's status, if it has ended."""
    status = None
    with suppress(ChildProcessError):
        while True:
            pid, ending = os.waitpid(-1, os.WNOHANG)
            if pid == child:
                status = ending
            if pid == 0:
                break
    return status


def _all_ended(child: int, status: int | None) -> int:
    """End the program's group and all remaining processes; return the program's status."""
    with suppress(ProcessLookupError, PermissionError):  # no process is left
        os.killpg(child, signal.SIGKILL)
    if status is None:
        _, status = os.waitpid(child, 0)
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, os.WNOHANG)
            left = _children()  # children of a process that ends become the keeper's
            for pid in left:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            if not left:
                break
            os.waitpid(-1, 0)
    return status


def _children() -> list[int]:
    """Return the keeper's children on Linux; on other systems an empty list."""
    found = []
    for entry in Path("/proc").glob("[0-9]*") if _LINUX else ():
        with suppress(OSError):  # it has just ended
            _, parent, *_ = (entry / "stat").read_text("latin-1").rpartition(")")[2].split()
            if int(parent) == os.getpid():
                found.append(int(entry.name))
    return found


def _end_as(status: int) -> None:
    """End with the program's exit code, or by the signal that ended it."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()

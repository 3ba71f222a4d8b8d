"""Process untrusted data in a sandboxed child process with limits on CPU time and memory.

Limits on lengths and counts are sufficient for ordinary results. Input crafted to exhaust a job
could pass them, so the operating system enforces limits too. The child process receives trusted
objects and replies with JSON, so the parent never unpickles data that untrusted input can
influence.
"""

import errno
import json
import os
import re
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from steady import safe_open
from steady.errors import InputError, limit_errors

Ask = Callable[..., Any]
"""Callable that sends a request to the parent: its name, and JSON-serializable arguments."""

Work = Callable[[Ask], Mapping[str, Any]]
"""Callable that returns JSON-serializable data."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """Resource limits of a child process.

    Parameters
    ----------
    seconds : int
        CPU time, in seconds.
    memory : int
        Memory in bytes, in addition to the program's own.
    """

    seconds: int = 300
    memory: int = 4 * 2**30

    @property
    def time_error(self) -> str:
        """Error message if the time limit is exceeded."""
        return _LIMIT_EXCEEDED.format(f"{self.seconds:,} s of CPU time")

    @property
    def memory_error(self) -> str:
        """Error message if the memory limit is exceeded."""
        return _LIMIT_EXCEEDED.format(f"{self.memory // 2**20:,} MiB of memory")


Handlers = Mapping[str, Callable[..., Any]]
"""Handlers of the child's requests, by name."""

Confine = Callable[[Work, Handlers], Mapping[str, Any]]

_SECRET = re.compile(r"^(?:INPUT|ACTIONS)_|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
"""Patterns of environment variables withheld from the child: inputs, tokens and passwords."""

_LIMIT_EXCEEDED = (
    "reading, comparing and rendering the results exceeded the limit of {}; measure fewer "
    "benchmarks"
)

_WALL_CLOCK_RATIO = 4
"""Ratio of the wall-clock limit to the CPU time limit, for busy machines."""


def ask_directly(handlers: Handlers) -> Ask:
    """Return a function that handles requests in this process, without a child."""
    return lambda name, *given: handlers[name](*given)


def run_in_child(
    work: Work, handlers: Handlers, allowance: Allowance = Allowance()
) -> Mapping[str, Any]:
    """Do the work in a child process, which is killed if it exceeds its limits.

    Parameters
    ----------
    work : callable
        Module-level function, or a `functools.partial` of one.
    handlers : mapping of str to callable
        Handlers of the requests of the work, which run in this process. Their arguments are
        untrusted.
    allowance : Allowance
        Resource limits, enforced on Linux, where the action runs; elsewhere, only the wall-clock
        limit applies.

    Raises
    ------
    InputError
        If the work raises it or exceeds its limits.
    SteadyError
        If a handler raises it.
    RuntimeError
        If the work fails with an internal error.
    """
    # A fresh process has no locks, threads or secrets of this one.
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory(prefix="steady-") as scratch:
        arguments = (theirs, work, allowance, scratch, safe_open.allowed_folders())
        process = context.Process(target=_child, args=arguments, daemon=True)
        with _without_secrets():
            process.start()
        theirs.close()
        try:
            reply = _converse(ours, handlers, allowance)
        finally:
            ours.close()
            process.join(1)
            process.kill()
            process.join()
    if reply is None:
        raise InputError(_exit_reason(process.exitcode, allowance))
    if "problem" in reply:
        raise InputError(reply["problem"])
    if "mistake" in reply:
        raise RuntimeError(reply["mistake"])
    result: Mapping[str, Any] = reply["result"]
    return result


@contextmanager
def _without_secrets() -> Iterator[None]:
    """Withhold secrets, extra threads and imports from the current folder from new processes."""
    kept = dict(os.environ)
    for name in kept:
        if _SECRET.search(name):
            del os.environ[name]
    os.environ |= {"PYTHONSAFEPATH": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def _converse(
    connection: Connection, handlers: Handlers, allowance: Allowance
) -> Mapping[str, Any] | None:
    """Return the child's result message; None if it exited without one."""
    try:
        while connection.poll(_WALL_CLOCK_RATIO * allowance.seconds):
            message: Mapping[str, Any] = json.loads(connection.recv_bytes())
            if "asks" not in message:
                return message
            connection.send(handlers[message["asks"]](*message["given"]))
    except (EOFError, OSError):
        return None
    return {"problem": allowance.time_error}


def _exit_reason(code: int | None, allowance: Allowance) -> str:
    if code == -getattr(signal, "SIGXCPU", 0):
        return allowance.time_error
    if code in (-getattr(signal, "SIGKILL", 0), -signal.SIGSEGV, -signal.SIGABRT):
        return allowance.memory_error
    return f"reading, comparing and rendering the results failed (exit code {code})"


def _child(
    connection: Connection, work: Work, allowance: Allowance, scratch: str, places: tuple[Path, ...]
) -> None:
    def send(**message: Any) -> None:
        connection.send_bytes(json.dumps(message).encode())

    def ask(name: str, *given: Any) -> Any:
        send(asks=name, given=given)
        return connection.recv()

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    tempfile.tempdir = scratch  # the parent deletes it, even if this process is killed
    _limit(allowance)
    try:
        with safe_open.restrict_to(*places), limit_errors():
            send(result=work(ask))
    except Exception as error:
        if _is_memory_error(error):
            send(problem=allowance.memory_error)
        elif isinstance(error, InputError | EOFError):
            send(problem=str(error))
        else:
            send(mistake=traceback.format_exc())
    finally:
        connection.close()
        with suppress(Exception):
            sys.stdout.flush()


def _is_memory_error(error: BaseException | None) -> bool:
    """Return whether memory ran out, even if the cleanup has raised another error since."""
    while error is not None:
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return True
        error = error.__cause__ or error.__context__
    return False


def _limit(allowance: Allowance) -> None:
    """Limit the CPU time and memory of this process, on Linux only."""
    if sys.platform != "linux":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime) + 1 + allowance.seconds
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    memory = pages * os.sysconf("SC_PAGE_SIZE") + allowance.memory
    limits = {resource.RLIMIT_CPU: seconds, resource.RLIMIT_AS: memory, resource.RLIMIT_CORE: 0}
    for kind, wanted in limits.items():
        _, most = resource.getrlimit(kind)
        limit = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(kind, (limit, most))

"""Work on a stranger's data in a process of its own, with limits of processor time and memory.

Limits of lengths and numbers keep honest results fast. They may not stop every text that was made
to keep a job busy, so the operating system sets limits too. The child process gets objects of our
own, and answers with JSON: the parent unpickles nothing that a stranger's data may have shaped.
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
"""Asks the parent process for something: the name of the question, and what JSON can express."""

Work = Callable[[Ask], Mapping[str, Any]]
"""Returns what JSON can express."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a piece of work may take.

    Parameters
    ----------
    seconds : int
        Of processor time.
    memory : int
        Bytes, beyond those of the program itself.
    """

    seconds: int = 300
    memory: int = 4 * 2**30

    @property
    def too_long(self) -> str:
        """What to say where the time is used up."""
        return _TOO_GREEDY.format(f"{self.seconds:,} s of CPU time")

    @property
    def too_much(self) -> str:
        """What to say where the memory is used up."""
        return _TOO_GREEDY.format(f"{self.memory // 2**20:,} MiB of memory")


Answers = Mapping[str, Callable[..., Any]]
"""What may be asked, by the names of the questions."""

Confine = Callable[[Work, Answers], Mapping[str, Any]]

_SECRET = re.compile(r"^(?:INPUT|ACTIONS)_|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
"""Variables that the child must not have: the action's inputs, tokens and passwords."""

_TOO_GREEDY = (
    "reading, comparing and rendering the results exceeded the limit of {}; measure fewer "
    "benchmarks"
)

_PATIENCE = 4
"""Seconds by the clock for each second of processor time: the machine may do other things too."""


def asking(answers: Answers) -> Ask:
    """Return the function that answers questions in this very process, without a child."""
    return lambda name, *given: answers[name](*given)


def in_a_child(
    work: Work, answers: Answers, allowance: Allowance = Allowance()
) -> Mapping[str, Any]:
    """Do the work in a process of its own, which ends if it takes more than it may.

    Parameters
    ----------
    work : callable
        Of a module, or a `functools.partial` of one.
    answers : mapping of str to callable
        What the work may ask; the answers are made in this process. What they are given comes of
        a stranger's data.
    allowance : Allowance
        It is enforced on Linux, where the action runs; elsewhere only the clock counts.

    Raises
    ------
    InputError
        As the work raises it, or if it took more than it may.
    SteadyError
        As an answer raises it.
    RuntimeError
        If the work fails otherwise: a mistake of ours.
    """
    context = get_context("spawn")  # a fresh process: no lock, no thread, and no secret of this one
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory(prefix="steady-") as scratch:
        arguments = (theirs, work, allowance, scratch, safe_open.allowed_folders())
        process = context.Process(target=_child, args=arguments, daemon=True)
        with _without_secrets():
            process.start()
        theirs.close()
        try:
            reply = _converse(ours, answers, allowance)
        finally:
            ours.close()
            process.join(1)
            process.kill()
            process.join()
    if reply is None:
        raise InputError(_why_it_ended(process.exitcode, allowance))
    if "problem" in reply:
        raise InputError(reply["problem"])
    if "mistake" in reply:
        raise RuntimeError(reply["mistake"])
    result: Mapping[str, Any] = reply["result"]
    return result


@contextmanager
def _without_secrets() -> Iterator[None]:
    """Start processes without tokens and threads, which import nothing from the current folder."""
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
    connection: Connection, answers: Answers, allowance: Allowance
) -> Mapping[str, Any] | None:
    """Return the child's last message; None if it ended without one."""
    try:
        while connection.poll(_PATIENCE * allowance.seconds):
            message: Mapping[str, Any] = json.loads(connection.recv_bytes())
            if "asks" not in message:
                return message
            connection.send(answers[message["asks"]](*message["given"]))
    except (EOFError, OSError):
        return None
    return {"problem": allowance.too_long}


def _why_it_ended(code: int | None, allowance: Allowance) -> str:
    if code == -getattr(signal, "SIGXCPU", 0):
        return allowance.too_long
    if code in (-getattr(signal, "SIGKILL", 0), -signal.SIGSEGV, -signal.SIGABRT):
        return allowance.too_much
    return f"reading, comparing and rendering the results failed (exit code {code})"


def _child(
    connection: Connection, work: Work, allowance: Allowance, scratch: str, places: tuple[Path, ...]
) -> None:
    def tell(**what: Any) -> None:
        connection.send_bytes(json.dumps(what).encode())

    def ask(name: str, *given: Any) -> Any:
        tell(asks=name, given=given)
        return connection.recv()

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    tempfile.tempdir = scratch  # which is gone at the end, also where this process is killed
    _limit(allowance)
    try:
        with safe_open.restrict_to(*places), limit_errors():
            tell(result=work(ask))
    except Exception as error:
        if _is_of_memory(error):
            tell(problem=allowance.too_much)
        elif isinstance(error, InputError | EOFError):
            tell(problem=str(error))
        else:
            tell(mistake=traceback.format_exc())
    finally:
        connection.close()
        with suppress(Exception):
            sys.stdout.flush()


def _is_of_memory(error: BaseException | None) -> bool:
    """Tell whether memory ran out: what cleans up after that may fail with something else."""
    while error is not None:
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return True
        error = error.__cause__ or error.__context__
    return False


def _limit(allowance: Allowance) -> None:
    """Limit this process, where the operating system can."""
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

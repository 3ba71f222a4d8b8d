"""Parallel work on benchmarks in several processes, or on several machines.

Items are independent, and results are returned in order, so they do not depend on the number of
processes or the executor.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Self, TypeVar

from steady.errors import InputError, SteadyError
from steady.executors import ExecutorWorkers
from steady.processors import available_processors

Item = TypeVar("Item")
Result = TypeVar("Result")

START_DELAY = 1.0
"""Seconds of work in this process before others are started; about the cost of starting them."""

LARGEST_CHUNK = 16
"""Maximum number of items sent to a worker at once: a compromise between overhead and latency."""

_CHUNKS = 8  # minimum per worker, for load balancing at the end
_MOST_PROCESSES = 61 if sys.platform == "win32" else sys.maxsize  # limit of Windows
_OF_WORKERS = (
    *("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"),
    # Otherwise a worker would import from the current folder, which may contain an untrusted
    # socket.py.
    "PYTHONSAFEPATH",
)
"""Variables that are set to "1" in the environment of worker processes."""


def workers(
    jobs: int | Executor | None, *, delay: float = START_DELAY
) -> "Processes | ExecutorWorkers":
    """Return a context manager of workers.

    Parameters
    ----------
    jobs : int or concurrent.futures.Executor, optional
        Number of processes on this machine (by default that of available processors), or an
        executor, which is not shut down.
    delay : float
        Seconds of work before processes are started.

    Raises
    ------
    InputError
        If the number is below 1, or `jobs` has a different type.
    """
    if isinstance(jobs, Executor):
        return ExecutorWorkers(jobs)
    if jobs is not None and not isinstance(jobs, int):
        raise InputError(
            f"jobs is of type {type(jobs).__name__}; give a number of processes or an executor of "
            "concurrent.futures (of a Dask client: client.get_executor())"
        )
    return Processes(jobs, delay=delay)


class Processes:
    """Several processes on this machine; a context manager.

    The processes are started once the work has taken longer than starting them. They import the
    main module (so a script needs ``if __name__ == "__main__":``), use one thread each, and end
    with the ``with`` statement or with this process.

    Parameters
    ----------
    jobs : int, optional
        Number of processes; with 1, this process does all of the work. By default the number of
        available processors.
    delay : float
        Seconds of work before the processes are started.

    Raises
    ------
    InputError
        If the number is below 1.
    """

    def __init__(self, jobs: int | None, *, delay: float) -> None:
        if jobs is not None and jobs < 1:
            raise InputError(f"jobs is {jobs}; give at least 1 process")
        self._jobs = min(available_processors() if jobs is None else jobs, _MOST_PROCESSES)
        self._patience = delay
        self._executor: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None
        self._stack = ExitStack()

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield the results in the order of the items.

        Parameters
        ----------
        function : callable
            Module-level function, or a `functools.partial` of one, because it may be sent to
            another process.
        items : sequence
            Arguments of the function.
        """
        begin, done = time.monotonic(), 0
        while self._executor is None and done < len(items):
            worth = self._jobs > 1 and time.monotonic() - begin >= self._patience
            if worth and len(items) - done > 1:
                self._executor = self._start()
            else:
                yield function(items[done])
                done += 1
        if self._executor is not None and done < len(items):
            rest = items[done:]
            size = max(1, min(LARGEST_CHUNK, -(-len(rest) // (_CHUNKS * self._jobs))))
            try:
                yield from self._executor.map(function, rest, chunksize=size)
            except BrokenExecutor:
                raise SteadyError(
                    "a worker process died: give fewer --jobs if memory ran out; a script needs "
                    'its work under if __name__ == "__main__"'
                ) from None

    def _start(self) -> ProcessPoolExecutor:
        for name in _OF_WORKERS:  # read at the start of a process, and by NumPy
            self._stack.callback(_set_environment, name, os.environ.get(name))
            os.environ[name] = "1"
        # Not fork, which may deadlock in a process with threads, and is unavailable on Windows.
        context = get_context("spawn")
        theirs, self._lifeline = context.Pipe(duplex=False)
        self._stack.callback(theirs.close)
        self._stack.callback(self._lifeline.close)
        executor = _Uninterrupted(self._jobs, context, _follow, (theirs,))
        self._stack.callback(executor.shutdown)
        return executor

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is not None and self._executor is not None and self._lifeline is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._lifeline.close()
        self._stack.close()
        self._executor = None


class _Uninterrupted(ProcessPoolExecutor):
    """Executor whose processes ignore Ctrl-C; this process ends them."""

    def submit(
        self, function: Callable[..., Result], /, *arguments: Any, **named: Any
    ) -> Future[Result]:
        """Submit work, which may start a process."""
        if not hasattr(signal, "pthread_sigmask"):
            return super().submit(function, *arguments, **named)
        # A process inherits blocked signals; ignoring them in the initializer would be too late.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
        try:
            return super().submit(function, *arguments, **named)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _follow(lifeline: Connection) -> None:
    """Initialize a worker: it ignores Ctrl-C, and exits when the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait() -> None:
        try:
            lifeline.recv()
        except (EOFError, OSError):
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _set_environment(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value

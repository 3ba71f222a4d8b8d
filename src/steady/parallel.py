"""Work on many benchmarks in several processes, or on several machines.

One benchmark's work never depends on another's, and results come in the order of the items, so
any number of processes and any executor give the same results.
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

PATIENCE = 1.0
"""Seconds of work that are done in this process before others are started: what starting takes."""

LARGEST_CHUNK = 16
"""Items that are sent to a worker at once: sending takes little then, and little is under way."""

_CHUNKS = 8  # for each worker at least, so that none waits long for the last
_MOST_PROCESSES = 61 if sys.platform == "win32" else sys.maxsize  # Windows waits for no more
_OF_WORKERS = (
    *("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"),
    # A worker would import from the current folder, which may hold a stranger's socket.py.
    "PYTHONSAFEPATH",
)
"""What is "1" in the environment of the processes that are started."""


def workers(
    jobs: int | Executor | None, *, patience: float = PATIENCE
) -> "Processes | ExecutorWorkers":
    """Return what does the work, to be used in a ``with`` statement.

    Parameters
    ----------
    jobs : int or concurrent.futures.Executor, optional
        A number of processes of this machine (None: as many as it may use processors), or an
        executor, which is used and stays open.
    patience : float
        Seconds of work before processes are started.

    Raises
    ------
    InputError
        If there is to be no process at all, or `jobs` is something else.
    """
    if isinstance(jobs, Executor):
        return ExecutorWorkers(jobs)
    if jobs is not None and not isinstance(jobs, int):
        raise InputError(
            f"jobs is of type {type(jobs).__name__}; give a number of processes or an executor of "
            "concurrent.futures (of a Dask client: client.get_executor())"
        )
    return Processes(jobs, patience=patience)


class Processes:
    """Several processes of this machine, to be used in a ``with`` statement.

    They start when the work has taken longer than starting them does, read the program anew
    (so a script that uses them needs ``if __name__ == "__main__":``), work on one thread each,
    and end with the ``with`` statement or with this process, however that ends.

    Parameters
    ----------
    jobs : int, optional
        How many. With one, this process does all of the work; None: as many as it may use
        processors.
    patience : float
        Seconds of work before they are started.

    Raises
    ------
    InputError
        If there is to be no process at all.
    """

    def __init__(self, jobs: int | None, *, patience: float) -> None:
        if jobs is not None and jobs < 1:
            raise InputError(f"jobs is {jobs}; give at least 1 process")
        self._jobs = min(available_processors() if jobs is None else jobs, _MOST_PROCESSES)
        self._patience = patience
        self._executor: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None
        self._stack = ExitStack()

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield the results in the order of the items.

        Parameters
        ----------
        function : callable
            Of a module, or a `functools.partial` of one: it may be sent to another process.
        items : sequence
            Its arguments.
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
        for name in _OF_WORKERS:  # read when a new process begins, and when it loads NumPy
            self._stack.callback(_set_environment, name, os.environ.get(name))
            os.environ[name] = "1"
        # Not forked: a copy of a process with threads may hang, and Windows has no copies.
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
    """Starts processes that Ctrl-C does not reach: it is for this one to end them."""

    def submit(
        self, function: Callable[..., Result], /, *arguments: Any, **named: Any
    ) -> Future[Result]:
        """Submit work, for which a process may be started."""
        if not hasattr(signal, "pthread_sigmask"):
            return super().submit(function, *arguments, **named)
        # A process takes what is held back from its parent; the initializer would be too late.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
        try:
            return super().submit(function, *arguments, **named)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _follow(lifeline: Connection) -> None:
    """Prepare a worker: it leaves Ctrl-C to its parent, and ends when the parent lets go."""
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

"""Parallel work on benchmarks in several processes, or on several machines.

Items are independent, and results are returned in order, so they do not depend on the number of
processes or the executor.
"""

import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from textwrap import shorten
from typing import Any, Self, TypeVar

from steady.errors import InputError, SteadyError
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
    jobs, delay : int, float
        See `workers`. With 1, this process does all of the work.
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


EXECUTOR_CHUNK = 4
"""Maximum number of items sent to a worker of an executor at once."""

MAX_PENDING_CHUNKS = 64
"""Maximum number of pending chunks, which take memory until their results arrive."""

_Done = tuple[list[Result], Exception | None]
"""The results of a chunk before the first error, and that error."""


class ExecutorWorkers:
    """The workers of a user's executor; a context manager.

    The workers must have steady installed; their own environment determines the number of threads.
    The executor is not shut down. Pending work is cancelled if the ``with`` statement ends early.

    Parameters
    ----------
    executor : concurrent.futures.Executor
        Executor of threads, processes or machines.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._pending: deque[Future[_Done[Any]]] = deque()

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield the results in the order of the items; see `Processes.map`.

        Raises
        ------
        SteadyError
            If the executor fails. An exception raised by `function` is propagated unchanged.
        """
        size = len(items) // (2 * MAX_PENDING_CHUNKS)
        size = max(1, min(EXECUTOR_CHUNK, size))
        chunks = (items[first : first + size] for first in range(0, len(items), size))
        for chunk in islice(chunks, MAX_PENDING_CHUNKS):
            self._submit(function, chunk)
        while self._pending:
            results, error = self._next()
            for chunk in islice(chunks, 1):
                self._submit(function, chunk)
            yield from results
            if error is not None:
                raise error

    def _submit(self, function: Callable[[Item], Result], chunk: Sequence[Item]) -> None:
        sent = pickle.dumps(_Work(function, chunk))
        try:
            self._pending.append(self._executor.submit(pickle.loads, sent))
        except Exception as error:
            raise self._failure(error) from error

    def _next(self) -> _Done[Any]:
        """Return the results of the oldest pending chunk."""
        try:
            done = self._pending[0].result()
        except Exception as error:
            raise self._failure(error) from error
        self._pending.popleft()
        return done

    def _failure(self, error: Exception) -> SteadyError:
        message = shorten(str(error), 160, placeholder=" …") or "no message"
        return SteadyError(
            f"{_type_name(self._executor)} failed with {_type_name(error)} ({message}); each "
            "worker needs the same version of steady, and its own log may say more"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for future in self._pending:
            with suppress(Exception):  # a broken executor
                future.cancel()
        self._pending.clear()


@dataclass(frozen=True, eq=False)
class _Work:
    """A chunk of work that is executed when it is unpickled.

    So a worker can receive it without importing steady. A Dask worker that fails to import a module
    while receiving a task loses its connection, and never reports the failure.
    """

    function: Callable[[Any], Any]
    chunk: Sequence[Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return _work, (self.function, self.chunk)


def _work(function: Callable[[Item], Result], chunk: Sequence[Item]) -> _Done[Result]:
    """Execute a chunk in a worker; return exceptions, to distinguish them from the executor's."""
    results: list[Result] = []
    try:
        results.extend(map(function, chunk))
    except Exception as error:
        error.add_note(f"In a worker:\n{traceback.format_exc()}")
        return results, error
    return results, None


def _type_name(thing: object) -> str:
    kind = type(thing)
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")

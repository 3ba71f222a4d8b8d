"""Parallel work on benchmarks by a user's executor, possibly on other machines."""

import pickle
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from textwrap import shorten
from typing import Any, Self, TypeVar

from steady.errors import SteadyError

Item = TypeVar("Item")
Result = TypeVar("Result")

LARGEST_CHUNK = 4
"""Maximum number of items sent to a worker at once."""

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
        """Yield the results in the order of the items.

        Parameters
        ----------
        function : callable
            Module-level function, or a `functools.partial` of one.
        items : sequence
            Arguments of the function.

        Raises
        ------
        SteadyError
            If the executor fails. An exception raised by `function` is propagated unchanged.
        """
        size = len(items) // (2 * MAX_PENDING_CHUNKS)
        size = max(1, min(LARGEST_CHUNK, size))
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

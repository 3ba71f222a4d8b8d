"""User-facing exceptions: one sentence each, with exit code 2."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class SteadyError(Exception):
    """An error that the user can fix; the message names the place and the remedy.

    Examples
    --------
    >>> import steady
    >>> try:
    ...     steady.load("absent.json")
    ... except steady.SteadyError as error:
    ...     print(error)
    absent.json: does not exist; check the path, and run the benchmarks first
    """


class InputError(SteadyError, ValueError):
    """An invalid file or value.

    Parameters
    ----------
    problem : str
        The problem and the expected input, as one sentence.
    source : path-like, optional
        The file with the problem.
    where : str, optional
        The place in that file: ``line 12``, ``[3].primaryMetric.rawData``.

    Examples
    --------
    >>> import steady
    >>> error = steady.InputError("is empty", source="base.json")
    >>> str(error)
    'base.json: is empty'
    >>> error.source
    'base.json'
    """

    def __init__(
        self, problem: str, *, source: str | Path | None = None, where: str | None = None
    ) -> None:
        place = [str(part) for part in (source, where) if part is not None]
        super().__init__(": ".join([", ".join(place), problem]) if place else problem)
        self.problem = problem
        self.source = None if source is None else str(source)
        self.where = where


class UnknownNameError(InputError):
    """A method, metric, strategy, rule or format that does not exist.

    Examples
    --------
    >>> import steady
    >>> try:
    ...     steady.detect([1.0, 2.0], "kb-kssb")
    ... except steady.UnknownNameError as error:
    ...     print(str(error).rpartition("; ")[2])
    did you mean 'kb-kssd'?
    """


class MissingToolError(SteadyError):
    """A required program or package is not installed.

    Examples
    --------
    >>> import steady
    >>> issubclass(steady.MissingToolError, steady.SteadyError)
    True
    """


def require(condition: object, problem: str) -> None:
    """Raise an `InputError` unless `condition` is true.

    Raises
    ------
    InputError
        If the condition is false.
    """
    if not condition:
        raise InputError(problem)


_MOST_DIGITS = "integer string conversion"
"""Part of Python's message for an integer with too many digits to convert."""


@contextmanager
def limit_errors(source: str | Path | None = None) -> Iterator[None]:
    """Convert Python's errors on excessive input to `InputError`.

    Parameters
    ----------
    source : path-like, optional
        The file that is being read.

    Raises
    ------
    InputError
        If memory is exhausted, the input is nested too deeply, or a number is too large.
    """
    try:
        yield
    except MemoryError:
        problem = "needs more memory than available; give fewer benchmarks at a time"
    except RecursionError:
        problem = "is nested far deeper than any result file"
    except OverflowError:
        problem = "contains a number that is too large for calculations"
    except ValueError as error:
        if isinstance(error, SteadyError) or _MOST_DIGITS not in str(error):
            raise
        problem = "contains a whole number with thousands of digits"
    else:
        return
    raise InputError(problem, source="the input" if source is None else source)

"""The errors that users see: one sentence each, and exit code 2."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class SteadyError(Exception):
    """A mistake that the user can fix; the message says what, where, and how.

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
    """A file or a value that cannot be used.

    Parameters
    ----------
    problem : str
        What is wrong and what was expected, as one sentence.
    source : path-like, optional
        The file that holds it.
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
    """A program that is needed is not on this machine.

    Examples
    --------
    >>> import steady
    >>> issubclass(steady.MissingToolError, steady.SteadyError)
    True
    """


def require(condition: object, problem: str) -> None:
    """Raise the user's mistake unless `condition` holds.

    Raises
    ------
    InputError
        With that problem.
    """
    if not condition:
        raise InputError(problem)


_MOST_DIGITS = "integer string conversion"
"""In what Python says where a whole number has more digits than it writes or reads."""


@contextmanager
def within_bounds(source: str | Path | None = None) -> Iterator[None]:
    """Turn what Python says of input beyond all bounds into the user's mistake.

    Parameters
    ----------
    source : path-like, optional
        The file that is being read.

    Raises
    ------
    InputError
        If memory ran out, something is nested too deeply, or a number is too large.
    """
    try:
        yield
    except MemoryError:
        problem = "takes more memory than there is; give fewer benchmarks at a time"
    except RecursionError:
        problem = "is nested far deeper than any file of results"
    except OverflowError:
        problem = "holds a number that is too large to calculate with"
    except ValueError as error:
        if isinstance(error, SteadyError) or _MOST_DIGITS not in str(error):
            raise
        problem = "holds a whole number of thousands of digits"
    else:
        return
    raise InputError(problem, source="the input" if source is None else source)

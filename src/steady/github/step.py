"""What a request to GitHub is for, so that its failure can be explained."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType

from github import GithubException

_FAILURES = (GithubException, OSError, LookupError, TypeError, ValueError)
"""GitHub's, the network's, and those that the answer of something else than GitHub causes."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a request is for: ``with Step(...):`` raises a `StepError` for what goes wrong inside.

    Parameters
    ----------
    what : str
        With its article: "branch `main`".
    permission : str
        What the job's token needs for it.
    moves : bool
        Whether a branch is made or moved, which its rules may forbid.
    """

    what: str
    permission: str
    moves: bool = False

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self,
        _: type[BaseException] | None,
        error: BaseException | None,
        __: TracebackType | None,
    ) -> None:
        """Say of a failure what it was about."""
        if isinstance(error, _FAILURES):
            raise StepError(self, error) from error


class StepError(Exception):
    """A step that failed.

    Parameters
    ----------
    step : Step
        What was tried.
    cause : Exception
        What PyGithub, the network or an unexpected answer raised.
    """

    def __init__(self, step: Step, cause: Exception) -> None:
        super().__init__(step, cause)
        self.step = step
        self.cause = cause

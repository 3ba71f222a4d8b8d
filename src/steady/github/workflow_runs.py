"""The origin of a workflow run, from GitHub's API only and never from the run's own output."""

from dataclasses import dataclass
from typing import Any

from github import Github

from steady.errors import SteadyError
from steady.github.client import PAGE, get
from steady.github.context import commit, nested


@dataclass(frozen=True, slots=True)
class Run:
    """A workflow run.

    Parameters
    ----------
    number : int
        GitHub's identifier of the run.
    workflow : str
        Path of the workflow file, such as ``.github/workflows/build.yml``.
    event : str
        Name of the event that started the run.
    conclusion : str
        Conclusion such as ``success``, ``failure`` or ``cancelled``; empty while the run is in
        progress.
    head : str
        Hash of the proposed or pushed commit.
    branch, owner : str
        Source branch and the owner of its repository; empty if the repository was deleted.
    repository : int or None
        GitHub's identifier of the branch's repository; None if it was deleted.
    """

    number: int
    workflow: str
    event: str
    conclusion: str
    head: str
    branch: str
    owner: str
    repository: int | None


@dataclass(frozen=True, slots=True)
class PullRequestMatch:
    """The pull request of a run.

    Parameters
    ----------
    number : int or None
        Number of the pull request; None if it is missing or ambiguous.
    obstacle : str
        Reason why `number` is None, as a sentence without a full stop; otherwise empty.
    candidates : tuple of int
        Numbers of the pull requests if several match. All of them get the comment; otherwise anyone
        could suppress the result by opening a second pull request.
    base : str
        Hash of the target branch's commit at the last synchronization of the pull request; empty if
        GitHub does not report it.
    """

    number: int | None
    obstacle: str = ""
    candidates: tuple[int, ...] = ()
    base: str = ""


def read_run(client: Github, repository: str, number: int) -> Run:
    """Read a workflow run from GitHub.

    Raises
    ------
    GithubException, OSError
        If GitHub rejects the request or does not respond.
    SteadyError
        If the response does not describe that run.
    """
    data = get(client, f"/repos/{repository}/actions/runs/{number}")
    return run_of(data, repository, number)


def run_of(data: object, repository: str, number: int) -> Run:
    """Return the run described by a response; see `read_run`."""
    place = nested(data, "repository", "full_name")
    head = commit(nested(data, "head_sha"))
    if (
        nested(data, "id") != number
        or not isinstance(place, str)
        or place.casefold() != repository.casefold()
        or not head
    ):
        raise SteadyError(
            f"GitHub's answer does not describe run {number} of {repository}; run the job again"
        )
    identifier = nested(data, "head_repository", "id")
    return Run(
        number,
        _text(nested(data, "path")).partition("@")[0],
        _text(nested(data, "event")),
        _text(nested(data, "conclusion")),
        head,
        _text(nested(data, "head_branch")),
        _text(nested(data, "head_repository", "owner", "login")),
        identifier if type(identifier) is int else None,
    )


def pull_request_of(client: Github, repository: str, run: Run) -> PullRequestMatch:
    """Find the open pull request whose newest commit was measured by a run.

    The event does not list pull requests from forks. So the open pull requests from the run's
    branch are listed, and filtered by the run's commit and repository.

    Raises
    ------
    GithubException, OSError
        If GitHub rejects the request or does not respond.
    SteadyError
        If the response is not a list.
    """
    if not (run.branch and run.owner and run.repository is not None):
        return PullRequestMatch(None, "the repository of the commit no longer exists")
    head = f"{run.owner}:{run.branch}"
    rows = get(client, f"/repos/{repository}/pulls", state="open", head=head, per_page=PAGE)
    return match_of(rows, repository, run)


def match_of(rows: object, repository: str, run: Run) -> PullRequestMatch:
    """Choose among the listed pull requests; see `pull_request_of`."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        # For example a proxy's error page. Treated as an empty list, it would suppress the comment.
        raise SteadyError(
            f"GitHub's answer does not list pull requests of {repository}; run the job again"
        )
    from_branch = [row for row in rows if _is_of(row, repository, run)]
    measured = [row for row in from_branch if commit(nested(row, "head", "sha")) == run.head]
    numbers = sorted({row["number"] for row in measured})
    if len(numbers) == 1:
        return PullRequestMatch(numbers[0], base=commit(nested(measured[0], "base", "sha")))
    this, several = f"commit {run.head[:12]}", " and ".join(map(str, numbers))
    if numbers:
        why = f"{this} is the newest commit of pull requests {several}"
        unknown = "and the run does not record which of them it measured"
        return PullRequestMatch(None, f"{why}, {unknown}", tuple(numbers))
    if from_branch:
        return PullRequestMatch(
            None, f"the pull request has newer commits: {this} is no longer its newest commit"
        )
    return PullRequestMatch(None, f"no open pull request has {this} as its newest commit")


def _is_of(row: Any, repository: str, run: Run) -> bool:
    """Return whether a pull request goes from the run's branch to our repository."""
    target = nested(row, "base", "repo", "full_name")
    number = nested(row, "number")
    return (
        type(number) is int
        and number > 0
        and nested(row, "state") == "open"
        and nested(row, "head", "repo", "id") == run.repository
        and nested(row, "head", "ref") == run.branch
        and isinstance(target, str)
        and target.casefold() == repository.casefold()
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""

"""The origin of a workflow's run: what GitHub says of it, never what the run says of itself."""

from dataclasses import dataclass
from typing import Any

from github import Github

from steady.errors import SteadyError
from steady.github.client import PAGE, get
from steady.github.context import at, commit


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a workflow.

    Parameters
    ----------
    number : int
        GitHub's identifier of it.
    workflow : str
        The workflow's file, as ``.github/workflows/build.yml``.
    event : str
        What started it.
    conclusion : str
        ``success``, ``failure``, ``cancelled``, ...; empty while it runs.
    head : str
        The commit that was proposed or pushed.
    branch, owner : str
        The branch that it came from, and to whom that branch belongs; empty where the
        repository is gone.
    repository : int or None
        GitHub's identifier of the branch's repository; None where that is gone.
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
class Match:
    """The pull request of a run.

    Parameters
    ----------
    number : int or None
        Which one; None where there is none for sure.
    obstacle : str
        Why there is none, as a sentence without its full stop; empty where there is one.
    rivals : tuple of int
        The pull requests that it may be, where there are several. All of them get the comment:
        otherwise whoever opens a second one could hide the result.
    base : str
        Full hash of the target branch's commit when the pull request was last brought up to date;
        empty where GitHub does not say it.
    """

    number: int | None
    obstacle: str = ""
    rivals: tuple[int, ...] = ()
    base: str = ""


def read_run(client: Github, repository: str, number: int) -> Run:
    """Ask GitHub for a run of a workflow.

    Raises
    ------
    GithubException, OSError
        If GitHub refuses or does not answer.
    SteadyError
        If the answer is not about that run.
    """
    data = get(client, f"/repos/{repository}/actions/runs/{number}")
    return run_of(data, repository, number)


def run_of(data: object, repository: str, number: int) -> Run:
    """Return the run that GitHub's answer describes; see `read_run`."""
    place = at(data, "repository", "full_name")
    head = commit(at(data, "head_sha"))
    if (
        at(data, "id") != number
        or not isinstance(place, str)
        or place.casefold() != repository.casefold()
        or not head
    ):
        raise SteadyError(
            f"GitHub's answer does not describe run {number} of {repository}; run the job again"
        )
    identifier = at(data, "head_repository", "id")
    return Run(
        number,
        _text(at(data, "path")).partition("@")[0],
        _text(at(data, "event")),
        _text(at(data, "conclusion")),
        head,
        _text(at(data, "head_branch")),
        _text(at(data, "head_repository", "owner", "login")),
        identifier if type(identifier) is int else None,
    )


def pull_request_of(client: Github, repository: str, run: Run) -> Match:
    """Find the open pull request whose newest commit is the one that a run measured.

    What the event says of pull requests is empty for those from forks. So the open pull requests
    from the run's branch are listed, and counted only if commit and repository are the run's.

    Raises
    ------
    GithubException, OSError
        If GitHub refuses or does not answer.
    SteadyError
        If the answer is not a list.
    """
    if not (run.branch and run.owner and run.repository is not None):
        return Match(None, "the repository that the commit came from is gone")
    head = f"{run.owner}:{run.branch}"
    rows = get(client, f"/repos/{repository}/pulls", state="open", head=head, per_page=PAGE)
    return match_of(rows, repository, run)


def match_of(rows: object, repository: str, run: Run) -> Match:
    """Choose among the pull requests that GitHub listed; see `pull_request_of`."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        # A proxy's page, for instance: read as an empty list, it would mean silence.
        raise SteadyError(
            f"GitHub's answer does not list pull requests of {repository}; run the job again"
        )
    from_branch = [row for row in rows if _is_of(row, repository, run)]
    measured = [row for row in from_branch if commit(at(row, "head", "sha")) == run.head]
    numbers = sorted({row["number"] for row in measured})
    if len(numbers) == 1:
        return Match(numbers[0], base=commit(at(measured[0], "base", "sha")))
    this, several = f"commit {run.head[:12]}", " and ".join(map(str, numbers))
    if numbers:
        why = f"{this} is the newest of pull requests {several}"
        unknown = "and a run does not say which of them it measured"
        return Match(None, f"{why}, {unknown}", tuple(numbers))
    if from_branch:
        return Match(None, f"the pull request has newer commits: {this} is no longer its newest")
    return Match(None, f"no open pull request has {this} as its newest")


def _is_of(row: Any, repository: str, run: Run) -> bool:
    """Tell whether a pull request comes from the run's branch and goes to our repository."""
    target = at(row, "base", "repo", "full_name")
    number = at(row, "number")
    return (
        type(number) is int
        and number > 0
        and at(row, "state") == "open"
        and at(row, "head", "repo", "id") == run.repository
        and at(row, "head", "ref") == run.branch
        and isinstance(target, str)
        and target.casefold() == repository.casefold()
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""

"""The newest artifact of a name that runs on the default branch left, and no stranger's.

The workflow of a pull request can upload artifacts under any name, and from a fork too. So GitHub
is asked of which run an artifact is, and only those of the repository's own branch count.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from github import Github

from steady.errors import SteadyError
from steady.github.artifacts import Artifact, listed
from steady.github.client import PAGE, get
from steady.github.context import at
from steady.github.origin import Run, read_run

MOST_PAGES = 10
"""Of 100 artifacts; anybody who opens pull requests can leave some."""

MOST_RUNS = 20
"""How many runs of the default branch are looked at, if no event that counts started them."""


@dataclass(frozen=True, slots=True)
class Home:
    """A repository, as far as an artifact has to fit it.

    Parameters
    ----------
    number : int
        GitHub's identifier of it.
    branch : str
        Its default branch.
    """

    number: int
    branch: str


@dataclass(frozen=True, slots=True)
class Left:
    """An artifact and the run that left it."""

    artifact: Artifact
    run: Run


def read_home(client: Github, repository: str) -> Home:
    """Ask GitHub for a repository's identifier and default branch.

    Raises
    ------
    GithubException, OSError
        If GitHub refuses or does not answer.
    SteadyError
        If the answer does not tell them.
    """
    data = get(client, f"/repos/{repository}")
    number, branch = at(data, "id"), at(data, "default_branch")
    if type(number) is not int or not isinstance(branch, str) or not branch:
        raise SteadyError(f"GitHub's answer does not describe {repository}; run the job again")
    return Home(number, branch)


def find_left(
    client: Github, repository: str, home: Home, name: str, events: Collection[str]
) -> Left | None:
    """Return the newest artifact called `name` that a run on the default branch left.

    Parameters
    ----------
    client, repository, home
        Where to look.
    name : str
        Of the artifact.
    events : collection of str
        Those whose runs count. A comment, for instance, starts runs on the default branch too.

    Returns
    -------
    Left or None
        None where there is none that has not expired.

    Raises
    ------
    GithubException, OSError
        If GitHub refuses or does not answer.
    SteadyError
        If there are too many of that name that do not count.
    """
    asked = 0
    # GitHub lists the newest first, and takes no other order.
    for page in range(1, MOST_PAGES + 1):
        path = f"/repos/{repository}/actions/artifacts"
        data = get(client, path, name=name, per_page=PAGE, page=page)
        for artifact, number in candidates_of(data, home, name):
            run = read_run(client, repository, number)
            if run.event in events and (run.repository, run.branch) == (home.number, home.branch):
                return Left(artifact, run)
            asked += 1
            if asked == MOST_RUNS:
                raise _hidden(home, name)
        if len(data["artifacts"]) < PAGE:
            return None
    raise _hidden(home, name)


def candidates_of(data: object, home: Home, name: str) -> list[tuple[Artifact, int]]:
    """Choose among the artifacts that GitHub listed, the newest first, each with its run."""
    own = (home.number, home.number, home.branch)
    keys = ("repository_id", "head_repository_id", "head_branch")
    candidates = [
        (artifact, origin["id"])
        for artifact, origin in listed(data, name)
        if not artifact.expired
        and type(at(origin, "id")) is int
        and tuple(at(origin, key) for key in keys) == own
    ]
    return sorted(candidates, key=lambda pair: pair[0].number, reverse=True)


def _hidden(home: Home, name: str) -> SteadyError:
    return SteadyError(
        f"there are many artifacts called {name!r}, and none of those that were looked at comes "
        f"from a push to `{home.branch}`, a schedule or a dispatch; delete those that do not, or "
        "keep the history under another name"
    )

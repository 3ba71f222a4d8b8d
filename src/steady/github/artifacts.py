"""The artifacts that a workflow's run left: found by name, downloaded within a limit.

The workflow of a pull request can upload artifacts under any name, and from a fork too. So GitHub
is asked of which run an artifact is, and of a branch only its own runs count.

PyGithub downloads nothing whose redirect leaves GitHub's own hosts, and artifacts lie elsewhere;
so requests does it, and the token stays with the API.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from github import Github, GithubException

from steady.errors import InputError, SteadyError
from steady.github.client import PAGE, TIMEOUT_SECONDS, get
from steady.github.context import at, commit
from steady.github.origin import Run, read_run

MOST_PAGES = 10
"""Of 100 artifacts; anybody who opens pull requests can leave some."""

MOST_RUNS = 20
"""How many runs of the default branch are looked at, if no event that counts started them."""

_BLOCK = 2**16
_REDIRECTS = 3
_MOVED = (301, 302, 303, 307, 308)
_GONE = 410


@dataclass(frozen=True, slots=True)
class Artifact:
    """An artifact of a run.

    Parameters
    ----------
    number : int
        GitHub's identifier of it.
    name : str
        As the workflow named it.
    size : int
        Bytes, as GitHub says.
    expired : bool
        Whether GitHub has thrown it away.
    """

    number: int
    name: str
    size: int
    expired: bool


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


class ExpiredError(SteadyError):
    """An artifact that GitHub has thrown away."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"artifact {name!r} has expired: GitHub keeps artifacts for a limited time; run the "
            "workflow that measures again"
        )


def find_artifact(client: Github, repository: str, run: Run, name: str) -> Artifact | None:
    """Return the newest artifact called `name` that a run left; None if it left none.

    A run that was repeated may have left several.

    Raises
    ------
    GithubException, OSError
        If GitHub refuses or does not answer.
    """
    path = f"/repos/{repository}/actions/runs/{run.number}/artifacts"
    return newest_of(get(client, path, name=name, per_page=PAGE), run, name)


def newest_of(data: object, run: Run, name: str) -> Artifact | None:
    """Choose among the artifacts that GitHub listed; see `find_artifact`."""
    of_the_run = [
        artifact
        for artifact, origin in listed(data, name)
        if at(origin, "id") == run.number and commit(at(origin, "head_sha")) == run.head
    ]
    return max(of_the_run, key=lambda artifact: artifact.number, default=None)


def listed(data: object, name: str) -> list[tuple[Artifact, Any]]:
    """Return the artifacts called `name` in GitHub's list, each with what it says of its run.

    Raises
    ------
    SteadyError
        If it is not a list, such as a proxy's page: then nobody knows that there is none.
    """
    rows = at(data, "artifacts")
    if not isinstance(rows, list):
        raise SteadyError("GitHub's answer lists no artifacts; run the job again")
    return [
        (
            Artifact(row["id"], name, row["size_in_bytes"], at(row, "expired") is not False),
            at(row, "workflow_run"),
        )
        for row in rows
        if at(row, "name") == name
        and type(at(row, "id")) is int
        and type(at(row, "size_in_bytes")) is int
    ]


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
) -> tuple[Artifact, Run] | None:
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
    tuple of (Artifact, Run) or None
        It, and the run that left it; None where there is none that has not expired.

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
                return artifact, run
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


def download(artifact: Artifact, repository: str, token: str, api_url: str, limit: int) -> bytes:
    """Download an artifact's archive.

    Parameters
    ----------
    artifact, repository
        Which artifact of which repository.
    token, api_url : str
        For GitHub's API; the place to which it redirects does not get the token.
    limit : int
        Bytes beyond which reading stops.

    Raises
    ------
    ExpiredError
        If GitHub has thrown it away.
    InputError
        If it holds more than `limit` bytes.
    SteadyError
        If the redirects lead nowhere, or to an address that is not as safe as the API's.
    GithubException, OSError
        If GitHub refuses or does not answer.
    """
    if artifact.expired:
        raise ExpiredError(artifact.name)
    if artifact.size > limit:
        raise _too_large(artifact, limit)
    url = f"{api_url}/repos/{repository}/actions/artifacts/{artifact.number}/zip"
    scheme, problem = urlsplit(url).scheme, "in a circle"
    secret = {"Authorization": f"Bearer {token}"}
    with requests.Session() as session:
        for _ in range(1 + _REDIRECTS):
            with _get(session, url, secret) as answer:
                if answer.status_code not in _MOVED:
                    _check(answer, artifact, of_api=bool(secret))
                    return _body(answer, artifact, limit)
                url = urljoin(url, answer.headers.get("Location", ""))
            if urlsplit(url).scheme not in ("https", scheme):
                problem = "to an address that is not https; nothing was downloaded"
                break
            secret = {}
    raise SteadyError(f"GitHub's API redirects artifact {artifact.name!r} {problem}")


def _get(session: requests.Session, url: str, secret: dict[str, str]) -> requests.Response:
    return session.get(
        url,
        auth=lambda request: request,  # what a `.netrc` holds is not sent
        headers={"User-Agent": "steady-action", "Accept-Encoding": "identity", **secret},
        timeout=TIMEOUT_SECONDS,
        allow_redirects=False,
        stream=True,
    )


def _check(answer: requests.Response, artifact: Artifact, *, of_api: bool) -> None:
    status = answer.status_code
    if status == requests.codes.ok:
        return
    if status == _GONE:
        raise ExpiredError(artifact.name)
    if not of_api and status < requests.codes.server_error:
        raise SteadyError(
            f"the place to which GitHub's API redirects artifact {artifact.name!r} answered "
            f"{status}; run the job again"
        )
    start = next(answer.iter_content(_BLOCK), b"")
    headers = {name.lower(): value for name, value in answer.headers.items()}
    data = None
    with suppress(ValueError, RecursionError):
        data = json.loads(start)
    # As PyGithub hands over what is not JSON, such as a proxy's page.
    raise GithubException(status, data or {"data": start.decode(errors="replace")}, headers)


def _body(answer: requests.Response, artifact: Artifact, limit: int) -> bytes:
    if answer.headers.get("Content-Encoding", "identity") != "identity":
        # requests would unpack it, to whatever size.
        raise SteadyError(f"artifact {artifact.name!r} came in an encoding that was not asked for")
    content = bytearray()
    for block in answer.iter_content(_BLOCK):
        content += block
        if len(content) > limit:
            raise _too_large(artifact, limit)
    return bytes(content)


def _too_large(artifact: Artifact, limit: int) -> InputError:
    return InputError(
        f"holds more than {limit / 2**20:g} MiB, which is the most that is downloaded",
        source=f"artifact {artifact.name!r}",
    )

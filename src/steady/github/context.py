"""The event that started this run, as GitHub's runner describes it in the environment."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steady import door
from steady.errors import InputError
from steady.patterns import COMMIT, SERVER

_LARGEST_EVENT = 64 * 2**20
"""Bytes; GitHub's own limit is less than half of it."""

WORKFLOW_RUN = "workflow_run"
PUSH = "push"
SCHEDULE = "schedule"
ISSUE_COMMENT = "issue_comment"
PULL_REQUEST_TARGET = "pull_request_target"
PULL_REQUEST_EVENTS = ("pull_request", PULL_REQUEST_TARGET)
DEFAULT_API_URL = "https://api.github.com"

_REPOSITORY = re.compile(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+")
_REF = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._/-]{0,99}")


@dataclass(frozen=True, slots=True)
class Context:
    """The place where the result of this run belongs: repository, commit, pull request.

    Parameters
    ----------
    event : str
        Name of the event: ``pull_request``, ``push``, ``schedule``, ...; empty outside GitHub.
    repository : str
        ``owner/name`` of the repository whose workflow runs; empty outside GitHub.
    api_url : str
        Address of the REST API, GitHub Enterprise Server's included.
    pull_request : int, optional
        Its number, where the event is one of a pull request, or a comment on one.
    fork : bool
        Whether the pull request comes from another repository, so that the token can only read.
    head : str
        Commit that was proposed or pushed; empty where the event does not say. A comment on a
        pull request does not.
    finished_run : int, optional
        GitHub's identifier of the run whose end is the event, where it is ``workflow_run``.
    branch : str
        Branch that the run is on; empty where it is on something else.
    default_branch : str
        Default branch of the repository; empty where the event does not say. A scheduled run is
        always on it.
    server : str
        Address of GitHub's pages; empty where it is not known.
    run_url : str
        Page of this run, where its summary is read; empty outside GitHub.
    pages_url : str
        Folder of steady's pages, in the version that runs; empty where that is not known.
    problem : str
        What is wrong with the event's description; empty where nothing is.
    """

    event: str = ""
    repository: str = ""
    api_url: str = DEFAULT_API_URL
    pull_request: int | None = None
    fork: bool = False
    head: str = ""
    finished_run: int | None = None
    branch: str = ""
    default_branch: str = ""
    server: str = ""
    run_url: str = ""
    pages_url: str = ""
    problem: str = ""


def read_context(environ: Mapping[str, str]) -> Context:
    """Read the event that started this run.

    Parameters
    ----------
    environ : mapping of str to str
        The environment that GitHub's runner sets.

    Returns
    -------
    Context
        With its `problem` set, instead of an error, where the event cannot be read: a result
        without a pull request is still a result.
    """
    api_url = environ.get("GITHUB_API_URL") or DEFAULT_API_URL
    here = Context(
        environ.get("GITHUB_EVENT_NAME", ""),
        environ.get("GITHUB_REPOSITORY", ""),
        api_url.rstrip("/"),
        head=commit(environ.get("GITHUB_SHA")),
        branch=_branch(environ.get("GITHUB_REF", "")),
    )
    try:
        _check_place(here)
        here = replace(
            here, server=_server(environ), run_url=_run_url(environ), pages_url=_pages_url(environ)
        )
        return _of_event(here, environ.get("GITHUB_EVENT_PATH", ""))
    except InputError as error:
        return replace(here, problem=str(error))


def _branch(ref: str) -> str:
    return ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else ""


def _of_event(here: Context, path: str) -> Context:
    """Add what the description of the event says."""
    if here.event == SCHEDULE:
        return replace(here, default_branch=here.branch)
    if here.event not in (WORKFLOW_RUN, ISSUE_COMMENT, *PULL_REQUEST_EVENTS):
        with suppress(InputError):  # then the default branch is not known without asking
            return _with_default_branch(here, _payload(path))
        return here
    payload = _payload(path)
    if here.event == WORKFLOW_RUN:
        # All else about it is better asked of GitHub.
        number = _number(payload, "workflow_run", "id")
        if number is None:
            raise InputError("the event does not name a run of a workflow")
        return replace(here, finished_run=number)
    if here.event == ISSUE_COMMENT:
        number = _number(payload, "issue", "number")
        if number is None or at(payload, "issue", "pull_request") is None:
            return _with_default_branch(here, payload)
        return replace(here, pull_request=number, head="")
    number = _number(payload, "pull_request", "number")
    if number is None:
        raise InputError("the event does not name a pull request")
    # A fork that was deleted since leaves `null` for its repository.
    base = at(payload, "pull_request", "base", "repo", "full_name")
    head = at(payload, "pull_request", "head", "repo", "full_name")
    proposed = commit(at(payload, "pull_request", "head", "sha"))
    return replace(here, pull_request=number, fork=head != base, head=proposed)


def _with_default_branch(here: Context, payload: dict[str, Any]) -> Context:
    name = at(payload, "repository", "default_branch")
    return replace(here, default_branch=name if isinstance(name, str) else "")


def _number(payload: dict[str, Any], *keys: str) -> int | None:
    """Return a number as GitHub gives them out; None where there is none."""
    number = at(payload, *keys)
    return number if type(number) is int and number > 0 else None


def _server(environ: Mapping[str, str]) -> str:
    address = environ.get("GITHUB_SERVER_URL", "")
    return address if SERVER.fullmatch(address) else ""


def _run_url(environ: Mapping[str, str]) -> str:
    """Return the address of this run's page; empty where it cannot be told for sure."""
    server, run = _server(environ), environ.get("GITHUB_RUN_ID", "")
    if not (server and run.isdecimal()):
        return ""
    return f"{server}/{environ['GITHUB_REPOSITORY']}/actions/runs/{run}"


def _pages_url(environ: Mapping[str, str]) -> str:
    """Return where the pages of the action that runs can be read; empty for a local action."""
    names = ("GITHUB_ACTION_REPOSITORY", "GITHUB_ACTION_REF")
    server, (action, ref) = _server(environ), (environ.get(name, "") for name in names)
    if not (server and _REPOSITORY.fullmatch(action)):
        return ""
    return f"{server}/{action}/blob/{ref if _REF.fullmatch(ref) else 'HEAD'}/docs"


def commit(value: object) -> str:
    """Return `value` if it is the hash of a commit, and nothing otherwise."""
    return value if isinstance(value, str) and COMMIT.fullmatch(value) else ""


def _check_place(context: Context) -> None:
    if not context.event:
        raise InputError("GITHUB_EVENT_NAME is not set, so this is not a run of GitHub Actions")
    if not _REPOSITORY.fullmatch(context.repository):
        raise InputError(f"GITHUB_REPOSITORY is {context.repository!r}, not owner/name")
    if not context.api_url.startswith(("https://", "http://")):
        raise InputError(f"GITHUB_API_URL is {context.api_url!r}, not an http address")


def _payload(path: str) -> dict[str, Any]:
    if not path:
        raise InputError("GITHUB_EVENT_PATH is not set, so the event is not known")
    try:
        payload = json.loads(door.content(Path(path), _LARGEST_EVENT))
    except OSError as error:
        raise InputError(f"the event cannot be read ({error.strerror})", source=path) from None
    except (ValueError, RecursionError):
        raise InputError("the event is not JSON", source=path) from None
    if not isinstance(payload, dict):
        raise InputError("the event is not a JSON object", source=path)
    return payload


def at(value: Any, *keys: str) -> Any:
    """Return what stands at the end of `keys`; None where the way there is interrupted."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value

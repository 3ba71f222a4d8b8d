"""Read the event that started this run from the environment of GitHub's runner."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steady import safe_open
from steady.errors import InputError
from steady.patterns import COMMIT, SERVER

_LARGEST_EVENT = 64 * 2**20
"""Maximum size in bytes; GitHub's own limit is less than half of it."""

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
    """The repository, commit and pull request of this run.

    Parameters
    ----------
    event : str
        Name of the event, such as ``pull_request`` or ``push``; empty outside GitHub Actions.
    repository : str
        ``owner/name`` of the repository whose workflow runs; empty outside GitHub Actions.
    api_url : str
        Address of the REST API of GitHub or GitHub Enterprise Server.
    pull_request : int, optional
        Number of the pull request, if the event concerns one or a comment on one.
    fork : bool
        Whether the pull request comes from another repository, so that the token is read-only.
    head : str
        Hash of the proposed or pushed commit; empty if the event does not contain it, as for a
        comment on a pull request.
    finished_run : int, optional
        GitHub's identifier of the run that finished, if the event is ``workflow_run``.
    branch : str
        Branch of the run; empty for a tag or a merge ref.
    default_branch : str
        Default branch of the repository; empty if the event does not contain it. Scheduled runs
        always use the default branch.
    server : str
        Address of GitHub's website; empty if unknown.
    run_url : str
        Address of this run's page, which shows its summary; empty outside GitHub Actions.
    pages_url : str
        Address of the documentation folder of the running version; empty if unknown.
    problem : str
        Reason why the event cannot be read; empty if it can.
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
        Environment variables set by GitHub's runner.

    Returns
    -------
    Context
        The context. If the event cannot be read, `problem` is set and no exception is raised,
        because results are useful without a pull request too.
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
    """Return the context completed with the event's payload."""
    if here.event == SCHEDULE:
        return replace(here, default_branch=here.branch)
    if here.event not in (WORKFLOW_RUN, ISSUE_COMMENT, *PULL_REQUEST_EVENTS):
        with suppress(InputError):  # the default branch stays unknown
            return _with_default_branch(here, _payload(path))
        return here
    payload = _payload(path)
    if here.event == WORKFLOW_RUN:
        # Everything else is read from the API, which is more reliable.
        number = _number(payload, "workflow_run", "id")
        if number is None:
            raise InputError("the event does not name a run of a workflow")
        return replace(here, finished_run=number)
    if here.event == ISSUE_COMMENT:
        number = _number(payload, "issue", "number")
        if number is None or nested(payload, "issue", "pull_request") is None:
            return _with_default_branch(here, payload)
        return replace(here, pull_request=number, head="")
    number = _number(payload, "pull_request", "number")
    if number is None:
        raise InputError("the event does not name a pull request")
    # The repository is `null` if the fork was deleted in the meantime.
    base = nested(payload, "pull_request", "base", "repo", "full_name")
    head = nested(payload, "pull_request", "head", "repo", "full_name")
    proposed = commit(nested(payload, "pull_request", "head", "sha"))
    return replace(here, pull_request=number, fork=head != base, head=proposed)


def _with_default_branch(here: Context, payload: dict[str, Any]) -> Context:
    name = nested(payload, "repository", "default_branch")
    return replace(here, default_branch=name if isinstance(name, str) else "")


def _number(payload: dict[str, Any], *keys: str) -> int | None:
    """Return a positive integer from the payload, or None."""
    number = nested(payload, *keys)
    return number if type(number) is int and number > 0 else None


def _server(environ: Mapping[str, str]) -> str:
    address = environ.get("GITHUB_SERVER_URL", "")
    return address if SERVER.fullmatch(address) else ""


def _run_url(environ: Mapping[str, str]) -> str:
    """Return the address of this run's page; empty if it cannot be determined."""
    server, run = _server(environ), environ.get("GITHUB_RUN_ID", "")
    if not (server and run.isdecimal()):
        return ""
    return f"{server}/{environ['GITHUB_REPOSITORY']}/actions/runs/{run}"


def _pages_url(environ: Mapping[str, str]) -> str:
    """Return the address of the running action's documentation; empty for a local action."""
    names = ("GITHUB_ACTION_REPOSITORY", "GITHUB_ACTION_REF")
    server, (action, ref) = _server(environ), (environ.get(name, "") for name in names)
    if not (server and _REPOSITORY.fullmatch(action)):
        return ""
    return f"{server}/{action}/blob/{ref if _REF.fullmatch(ref) else 'HEAD'}/docs"


def commit(value: object) -> str:
    """Return `value` if it is a commit hash, and an empty string otherwise."""
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
        raise InputError("GITHUB_EVENT_PATH is not set, so the event is unknown")
    try:
        payload = json.loads(safe_open.read_untrusted(Path(path), _LARGEST_EVENT))
    except OSError as error:
        raise InputError(f"the event cannot be read ({error.strerror})", source=path) from None
    except (ValueError, RecursionError):
        raise InputError("the event is not JSON", source=path) from None
    if not isinstance(payload, dict):
        raise InputError("the event is not a JSON object", source=path)
    return payload


def nested(value: Any, *keys: str) -> Any:
    """Return the value at a path of keys in nested objects, or None if a key is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value

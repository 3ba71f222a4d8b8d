"""The stand-in's state, its routes, and the types of its handlers."""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from description import EDITIONS, example

REPOSITORY = "octo/benchmarks"
BOT = "github-actions[bot]"
_THREAD = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
NOW = "2026-11-21T12:00:00Z"

Answer = tuple[int, Any, dict[str, str]]
"""Status, body (JSON; bytes as they are; None for none) and headers."""

Handler = Callable[["StandIn", "Call"], Answer]
Part = TypeVar("Part")

ROUTES: dict[tuple[str, str], Handler] = {}
"""Handlers by method in capitals and path template of GitHub's description."""


@dataclass(frozen=True)
class Request:
    """A client's request; `path` is relative to the API's address."""

    method: str
    path: str
    body: Any
    token: str


@dataclass(frozen=True)
class Call:
    """A parsed request for its handler.

    Attributes
    ----------
    path : mapping of str to str
        Values of the names in braces: ``{"owner": "octo", "repo": "benchmarks", ...}``.
    query : mapping of str to str
        Query parameters.
    """

    request: Request
    path: Mapping[str, str]
    query: Mapping[str, str]

    @property
    def body(self) -> Any:
        """Body parsed as JSON."""
        return self.request.body


@dataclass
class Fault:
    """An injected answer.

    With `after`, the request is executed first, which the client cannot see. Status 0 breaks the
    connection, 200 is a proxy's page; a message that begins with ``<`` is a page, too.
    `standin_server` has more: answers that never come, or break off.
    """

    method: str
    path: str
    status: int
    times: int = 1
    message: str = "planted"
    headers: dict[str, str] = field(default_factory=dict)
    after: bool = False


@dataclass
class StandIn:
    """The state of the server, for setup and inspection.

    Attributes
    ----------
    viewer : str, optional
        Owner of the token; None if neither GraphQL nor REST reveal it.
    read_only : bool
        Whether writes are rejected, as for a pull request from a fork.
    pull_requests : set of int
        Existing pull requests.
    complaints : list of str
        Violations of GitHub's description, raised by `github`.
    url : str
        Address of the API, including Enterprise Server's path.
    roles : dict of str to str
        By login: ``admin``, ``maintain``, ``write``, ``triage``, ``read``, ``none``; all others
        have ``read``.
    unknown : set of str
        Deleted logins.
    days : dict of str to list of str
        Dates of changes of the default branch's files, by path, newest first: ``2026-05-31``.
    """

    viewer: str | None = BOT
    graphql: bool = True
    read_only: bool = False
    pull_requests: set[int] = field(default_factory=lambda: {7})
    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    url: str = ""
    edition: str = EDITIONS[0]
    roles: dict[str, str] = field(default_factory=lambda: {"ada": "write"})
    unknown: set[str] = field(default_factory=set)
    days: dict[str, list[str]] = field(default_factory=dict)
    created: int = 0
    closing: threading.Event = field(default_factory=threading.Event)
    _parts: dict[type, Any] = field(default_factory=dict)

    def part(self, kind: type[Part]) -> Part:
        """Return this server's object of type `kind`, created on first use."""
        held: Part = self._parts.setdefault(kind, kind())
        return held

    def add_comment(self, body: str, login: str = "reader", *, number: int = 7) -> dict[str, Any]:
        """Store a comment as if `login` had written it."""
        self.created += 1
        identifier = 1000 + self.created
        comment: dict[str, Any] = {
            **example(_THREAD, "GET", 200)[0],
            "id": identifier,
            "body": body,
            "url": f"{self.url}/repos/{REPOSITORY}/issues/comments/{identifier}",
            "issue_url": f"{self.url}/repos/{REPOSITORY}/issues/{number}",
            "user": user(login),
        }
        self.comments.append(comment)
        return comment

    def fail(self, method: str, path: str, status: int, **how: Any) -> None:
        """Answer the next requests that match with a `Fault`."""
        self.faults.append(Fault(method, path, status, **how))

    def sent(self, method: str, path: str = "") -> list[Request]:
        """Return the recorded requests of a method whose path matches."""
        return [r for r in self.requests if r.method == method and re.search(path, r.path)]

    def bodies(self, login: str = BOT) -> list[str]:
        """Return the bodies of the comments that `login` wrote."""
        return [c["body"] for c in self.comments if (c["user"] or {}).get("login") == login]

    def fault_for(self, method: str, path: str) -> Fault | None:
        """Remove and return the matching fault, if any."""
        for fault in self.faults:
            if fault.times and fault.method == method and re.search(fault.path, path):
                fault.times -= 1
                return fault
        return None


def route(method: str, template: str) -> Callable[[Handler], Handler]:
    """Register the decorated function as a handler; see `standin`."""

    def enter(handler: Handler) -> Handler:
        if ROUTES.setdefault((method, template), handler) is not handler:
            raise ValueError(f"{method} {template} has two handlers")
        return handler

    return enter


def refusal(status: int, message: str) -> Answer:
    """Return an error in GitHub's format."""
    body = {"message": message, "documentation_url": "https://docs.github.com/rest"}
    return status, {**body, "status": str(status)}, {}


def paged(state: StandIn, call: Call, rows: list[Any], key: str = "") -> Answer:
    """Return the requested page of `rows`, under `key` with their count if given."""
    size, page = int(call.query.get("per_page", "30")), int(call.query.get("page", "1"))
    headers = {}
    if page * size < len(rows):
        more = {**call.query, "per_page": str(size), "page": str(page + 1)}
        link = "&".join(f"{name}={value}" for name, value in more.items())
        headers["Link"] = f'<{state.url}{call.request.path}?{link}>; rel="next"'
    shown = rows[(page - 1) * size : page * size]
    return 200, {"total_count": len(rows), key: shown} if key else shown, headers


def user(login: str) -> dict[str, Any]:
    """Return a user or bot in GitHub's full format."""
    [comment] = example(_THREAD, "GET", 200)
    shown: dict[str, Any] = comment["user"]
    kind = "Bot" if login.endswith("[bot]") else "User"
    return shown | {"login": login, "id": sum(login.encode()), "type": kind}

"""A local stand-in for GitHub's API: a real server with real state, faults on order.

It keeps comments, pages them, knows who asks, and records every request, so that tests exercise
PyGithub and its retries instead of a mock of them. Shapes and messages follow GitHub's published
REST description.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

REPOSITORY = "octo/benchmarks"
BOT = "github-actions[bot]"


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    method: str
    path: str
    body: Any
    token: str


@dataclass
class Fault:
    """An answer that stands in for the right one."""

    method: str
    path: str
    status: int
    times: int
    message: str
    headers: dict[str, str]
    after: bool


@dataclass
class StandIn:
    """The state of the server, to set up and to look at.

    Attributes
    ----------
    viewer : str, optional
        Who the token belongs to; None: neither GraphQL nor REST tell.
    read_only : bool
        Whether writing is refused, as for a pull request from a fork.
    pull_requests : set of int
        Those that exist.
    """

    viewer: str | None = BOT
    graphql: bool = True
    read_only: bool = False
    pull_requests: set[int] = field(default_factory=lambda: {7})
    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    url: str = ""
    created: int = 0

    def add_comment(self, body: str, login: str = "reader", *, number: int = 7) -> dict[str, Any]:
        """Store a comment as if `login` had written it."""
        self.created += 1
        comment = {
            "id": 1000 + self.created,
            "body": body,
            "url": f"{self.url}/repos/{REPOSITORY}/issues/comments/{1000 + self.created}",
            "html_url": f"https://github.test/{REPOSITORY}/pull/{number}#c{self.created}",
            "issue": number,
            "user": {"login": login, "type": "Bot" if login.endswith("[bot]") else "User"},
        }
        self.comments.append(comment)
        return comment

    def fail(
        self,
        method: str,
        path: str,
        status: int,
        *,
        times: int = 1,
        message: str = "planted",
        headers: dict[str, str] | None = None,
        after: bool = False,
    ) -> None:
        """Answer the next `times` requests that match with `status`.

        With `after` the request is carried out first: the client cannot tell.
        """
        self.faults.append(Fault(method, path, status, times, message, headers or {}, after))

    def sent(self, method: str, path: str = "") -> list[Request]:
        """Return the recorded requests of a method whose path matches."""
        return [r for r in self.requests if r.method == method and re.search(path, r.path)]

    def bodies(self, login: str = BOT) -> list[str]:
        """Return the bodies of the comments that `login` wrote."""
        return [c["body"] for c in self.comments if c["user"]["login"] == login]

    def fault_for(self, method: str, path: str) -> Fault | None:
        """Take the planted fault that matches, if there is one."""
        for fault in self.faults:
            if fault.times and fault.method == method and re.search(fault.path, path):
                fault.times -= 1
                return fault
        return None

    def answer(self, request: Request, query: dict[str, list[str]]) -> Answer:
        """Carry a request out."""
        if request.path == "/graphql":
            return self._graphql()
        if request.path == "/user":
            return self._user()
        if self.read_only and request.method != "GET":
            return _refusal(403, "Resource not accessible by integration")
        if match := re.fullmatch(rf"/repos/{REPOSITORY}/issues/(\d+)/comments", request.path):
            return self._thread(int(match[1]), request, query)
        if match := re.fullmatch(rf"/repos/{REPOSITORY}/issues/comments/(\d+)", request.path):
            return self._comment(int(match[1]), request)
        return _refusal(404, "Not Found")

    def _graphql(self) -> Answer:
        if self.viewer is None or not self.graphql:
            return _refusal(404, "Not Found")
        return 200, {"data": {"viewer": {"login": self.viewer}}}, {}

    def _user(self) -> Answer:
        if self.viewer is None or self.viewer.endswith("[bot]"):
            return _refusal(403, "Resource not accessible by integration")
        return 200, {"login": self.viewer, "type": "User"}, {}

    def _thread(self, number: int, request: Request, query: dict[str, list[str]]) -> Answer:
        if number not in self.pull_requests:
            return _refusal(404, "Not Found")
        if request.method == "POST":
            if len(request.body["body"]) > 65_536:
                return _refusal(422, "Body is too long (maximum is 65536 characters)")
            return 201, self.add_comment(request.body["body"], self.viewer or BOT), {}
        here = [c for c in self.comments if c["issue"] == number]
        size, page = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
        headers = {}
        if page * size < len(here):
            link = f"{self.url}{request.path}?per_page={size}&page={page + 1}"
            headers["Link"] = f'<{link}>; rel="next"'
        return 200, here[(page - 1) * size : page * size], headers

    def _comment(self, identifier: int, request: Request) -> Answer:
        found = [c for c in self.comments if c["id"] == identifier]
        if not found:
            return _refusal(404, "Not Found")
        if request.method == "DELETE":
            self.comments.remove(found[0])
            return 204, None, {}
        found[0]["body"] = request.body["body"]
        return 200, found[0], {}


Answer = tuple[int, Any, dict[str, str]]


@contextmanager
def github() -> Iterator[StandIn]:
    """Run a stand-in on a free port of this machine."""
    state = StandIn()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(state))
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _refusal(status: int, message: str) -> Answer:
    return status, {"message": message}, {}


def _handler(state: StandIn) -> type[BaseHTTPRequestHandler]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            data = self.rfile.read(length)
            url = urlsplit(self.path)
            token = self.headers.get("Authorization", "").removeprefix("token ")
            body = json.loads(data) if data else None
            request = Request(self.command, url.path, body, token.removeprefix("Bearer "))
            with lock:
                state.requests.append(request)
                fault = state.fault_for(request.method, request.path)
                if fault is None:
                    self._send(*state.answer(request, parse_qs(url.query)))
                    return
                if fault.after:
                    state.answer(request, parse_qs(url.query))
                if fault.status == 200:
                    # Not GitHub, but something on the way that answers for it.
                    self._send(200, "<html>a proxy's page</html>", fault.headers)
                elif fault.status:
                    self._send(fault.status, {"message": fault.message}, fault.headers)
                else:
                    # Status 0: the connection breaks without an answer.
                    self.close_connection = True
                    self.connection.close()

        do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815

        def _send(self, status: int, body: Any, headers: dict[str, str]) -> None:
            data = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler

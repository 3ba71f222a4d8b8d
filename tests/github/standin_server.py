"""The stand-in's server, with injected faults and validation of every exchange."""

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from description import EDITIONS, Exchange, complaints_about_reply, complaints_about_request
from github import Github
from standin_state import ROUTES, Answer, Call, Fault, Request, StandIn, refusal


@contextmanager
def github(*, enterprise: bool = False) -> Iterator[StandIn]:
    """Run a stand-in on a free port of this machine.

    Parameters
    ----------
    enterprise : bool
        Whether it is GitHub Enterprise Server, whose API has a path prefix.

    Raises
    ------
    AssertionError
        At the end, if a request or a reply violated GitHub's description.
    """
    state = StandIn(edition=EDITIONS[1] if enterprise else EDITIONS[0])
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Server, state, threading.Lock()))
    host = f"http://127.0.0.1:{server.server_address[1]}"
    state.url = f"{host}/api/v3" if enterprise else host
    # The description is downloaded before the first request, so that no client waits.
    complaints_about_request(Exchange("GET", "/user", (), (), b""), state.edition)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        state.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
    assert not state.complaints, "\n".join(state.complaints)


def _find(method: str, path: str) -> tuple[str, Mapping[str, str]] | None:
    """Return the template of `path` and the values in its braces; refs may contain slashes."""
    for known, template in ROUTES:
        if known == method and (match := _pattern(template).fullmatch(path)):
            return template, {name: unquote(value) for name, value in match.groupdict().items()}
    return None


def _pattern(template: str) -> re.Pattern[str]:
    wide = re.sub(r"\{(ref|path)\}", r"(?P<\1>.+)", template)
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", wide))


def _carry_out(state: StandIn, request: Request, query: Mapping[str, str], data: bytes) -> Answer:
    """Answer a request, and validate both by GitHub's description."""
    if request.path == "/graphql":
        return ROUTES["POST", "/graphql"](state, Call(request, {}, query))
    operation = _find(request.method, request.path)
    if operation is None:
        state.complaints.append(f"no route for {request.method} {request.path}")
        return refusal(404, "Not Found")
    template, path = operation
    exchange = Exchange(request.method, template, tuple(path.items()), tuple(query.items()), data)
    state.complaints += complaints_about_request(exchange, state.edition)
    if state.read_only and request.method != "GET":
        answer = refusal(403, "Resource not accessible by integration")
    else:
        answer = ROUTES[request.method, template](state, Call(request, path, query))
    status, body, _ = answer
    # Replace the test's own address, so that equal replies are validated once.
    reply = _encoded(body).replace(state.url.encode(), b"https://api.github.test")
    state.complaints += complaints_about_reply(exchange, status, reply, state.edition)
    return answer


def _encoded(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    return b"" if body is None else json.dumps(body).encode()


def impatient(client: Github, seconds: float) -> Github:
    """Allow waits below one second, which PyGithub does not support."""
    client.requester._Requester__timeout = seconds  # type: ignore[attr-defined]
    return client


NOT_DESCRIBED = ("null", "[]", "{}", "7", '"text"', "[null]", "[{}]")
"""Messages of faults that replace the whole answer by unexpected JSON."""

HANG, CUT = "hang", "cut"
"""Messages of faults: no answer while the stand-in runs, and a truncated answer."""


class _Server(BaseHTTPRequestHandler):
    """Handler of one connection, which answers from the state."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __init__(self, state: StandIn, lock: threading.Lock, *details: Any) -> None:
        self._state = state
        self._lock = lock
        super().__init__(*details)

    def log_message(self, *_: Any) -> None:
        """Suppress logging."""

    def _serve(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urlsplit(self.path)
        token = self.headers.get("Authorization", "").removeprefix("token ")
        state = self._state
        path = _below(state, url.path)
        body = json.loads(data) if data else None
        request = Request(self.command, path, body, token.removeprefix("Bearer "))
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        with self._lock:
            state.requests.append(request)
            fault = state.fault_for(request.method, request.path)
            if fault is None:
                self._send(*_carry_out(state, request, query, data))
                return
            if fault.after:
                _carry_out(state, request, query, data)
            if fault.message != HANG:
                self._fail(fault)
                return
        state.closing.wait()
        self.close_connection = True

    def _fail(self, fault: Fault) -> None:
        html = {"Content-Type": "text/html", **fault.headers}
        if fault.message == CUT:
            self.close_connection = True
            self._send(fault.status, b'{"id": ', {"Content-Length": "1000"})
        elif fault.message in NOT_DESCRIBED:
            self._send(fault.status, fault.message.encode(), fault.headers)
        elif fault.status == 200:
            # Simulates a proxy's answer.
            self._send(200, b"<html>a proxy's page</html>", html)
        elif fault.message.startswith("<"):
            self._send(fault.status, fault.message.encode(), html)
        elif fault.status:
            _, refused, _ = refusal(fault.status, fault.message)
            self._send(fault.status, refused, fault.headers)
        else:
            # Status 0: the connection breaks without an answer.
            self.close_connection = True
            self.connection.close()

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve  # noqa: N815

    def _send(self, status: int, body: Any, headers: dict[str, str]) -> None:
        data = _encoded(body)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Type" not in headers:
            self.send_header("Content-Type", "application/json; charset=utf-8")
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _below(state: StandIn, path: str) -> str:
    """Return the path relative to the API's address; Enterprise Server has GraphQL beside REST."""
    base = urlsplit(state.url).path
    if base and path == "/api/graphql":
        return "/graphql"
    if base and not path.startswith(f"{base}/"):
        state.complaints.append(f"{path} is not below {state.url}")
    return path.removeprefix(base)

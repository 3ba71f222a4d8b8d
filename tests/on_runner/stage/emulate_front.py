"""What stands before emulate: it passes requests on, and adds the runs and artifacts of Actions.

emulate has no way to bring a run or an artifact to it, and cannot hand out an archive. Whether a
token may see them, emulate says: it is asked for its own list first.
"""

import io
import json
import re
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

_RUN = re.compile(r"/repos/([^/]+/[^/]+)/actions/runs/(\d+)(/artifacts)?")
_ARTIFACTS = re.compile(r"/repos/([^/]+/[^/]+)/actions/artifacts(?:/(\d+)/zip)?")
_NOT_PASSED_ON = {"connection", "content-length", "transfer-encoding", "keep-alive"}


@dataclass(frozen=True)
class Seen:
    """A request, and how it was answered."""

    token: str
    method: str
    path: str
    status: int


@dataclass
class Front:
    """The address that clients know.

    Attributes
    ----------
    emulate : str
        Host and port of emulate.
    runs : dict
        Runs of workflows by their numbers, as GitHub shows them.
    artifacts : list
        Folders with what a run left: what GitHub shows, and the folder.
    merges : dict
        Merges of pull requests, by the paths of these; emulate merges nothing beforehand.
    """

    url: str = ""
    emulate: str = ""
    runs: dict[int, dict[str, Any]] = field(default_factory=dict)
    artifacts: list[tuple[dict[str, Any], Path]] = field(default_factory=list)
    merges: dict[str, str] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)

    def keep(self, run: dict[str, Any], name: str, folder: Path) -> None:
        """Let a run have left an artifact."""
        number = 11 + len(self.artifacts)
        origin = {"id": run["id"], "head_sha": run["head_sha"], "head_branch": run["head_branch"]}
        origin |= {"repository_id": run["repository"]["id"]}
        origin |= {"head_repository_id": run["head_repository"]["id"]}
        shown = {"id": number, "name": name, "expired": False, "workflow_run": origin}
        shown |= {"size_in_bytes": 1000, "created_at": run["created_at"]}
        self.runs[run["id"]] = run
        self.artifacts.append((shown, folder))

    def answer(self, path: str) -> Any:
        """Return what GitHub says of runs and artifacts; an archive's bytes."""
        place, _, text = path.partition("?")
        name = parse_qs(text).get("name", [""])[0]
        if match := _RUN.fullmatch(place):
            number = int(match[2])
            rows = [a for a, _ in self.artifacts if a["workflow_run"]["id"] == number]
            return self._listed(rows, name) if match[3] else self.runs.get(number)
        if (match := _ARTIFACTS.fullmatch(place)) and match[2]:
            folders = [folder for a, folder in self.artifacts if a["id"] == int(match[2])]
            return _packed(folders[0]) if folders else None
        rows = [artifact for artifact, _ in reversed(self.artifacts)]
        return self._listed(rows, name)

    @staticmethod
    def _listed(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
        rows = [row for row in rows if name in ("", row["name"])]
        return {"total_count": len(rows), "artifacts": rows}


def _packed(folder: Path) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    return stream.getvalue()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    front: Front

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        place = urlsplit(self.path).path
        added = self.command == "GET" and (_RUN.fullmatch(place) or _ARTIFACTS.fullmatch(place))
        asked = f"/repos/{added[1]}/actions/runs" if added else self.path
        status, headers, content = self._passed_on(asked, body)
        if added and status == 200:
            known = self.front.answer(self.path)
            status = 200 if known is not None else 404
            content = known if isinstance(known, bytes) else json.dumps(known).encode()
        if status == 200 and place in self.front.merges:
            merged = {**json.loads(content), "merge_commit_sha": self.front.merges[place]}
            content = json.dumps(merged).encode()
        words = self.headers.get("Authorization", "").split()
        token = words[-1] if words else ""
        self.front.seen.append(Seen(token, self.command, self.path, status))
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in _NOT_PASSED_ON:
                self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _passed_on(self, path: str, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = HTTPConnection(self.front.emulate, timeout=60)
        try:
            headers = {name: value for name, value in self.headers.items() if name != "Host"}
            connection.request(self.command, path, body, headers | {"Accept-Encoding": "identity"})
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve  # noqa: N815


@contextmanager
def serving(front: Front) -> Iterator[None]:
    """Serve on a free port of this machine, which becomes the front's address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"front": front}))
    front.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

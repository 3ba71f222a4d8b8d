"""A bare Git repository as on GitHub, and a user's clone of it."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from steady.history import HistoryEntry, Remote
from steady.history.entry import Object
from steady.history.git_store import GitStore
from steady.model import Suite

COMMITS = [f"{number:040x}" for number in range(10)]

_NUMBERS = count()

GIT_ENVIRON = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "somebody",
    "GIT_AUTHOR_EMAIL": "somebody@example.org",
    "GIT_COMMITTER_NAME": "somebody",
    "GIT_COMMITTER_EMAIL": "somebody@example.org",
}


def run_git(folder: Path, *arguments: str) -> str:
    """Run Git like a user, and return its output."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=GIT_ENVIRON, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@dataclass(frozen=True)
class Repository:
    """A bare repository as on GitHub, and a user's clone of it."""

    bare: Path
    clone: Path

    @property
    def url(self) -> str:
        """Its URL; for a path, Git would copy whole files."""
        return self.bare.as_uri()

    @property
    def remote(self) -> Remote:
        """The remote of a store."""
        return Remote(self.url, (), GIT_ENVIRON)

    def git(self, *arguments: str) -> str:
        """Run Git in the clone."""
        return run_git(self.clone, *arguments)

    def commit(self, message: str = "change") -> str:
        """Create a unique commit in the clone, and return its hash."""
        self.git("commit", "--quiet", "--allow-empty", "-m", f"{message} {next(_NUMBERS)}")
        return self.git("rev-parse", "HEAD")

    def branch_git(self, *arguments: str) -> str:
        """Run Git in the bare repository."""
        return run_git(self.bare, *arguments)

    def store(self, name: str = "scratch", remote: Remote | None = None, **more: Any) -> GitStore:
        """Open a store that never sleeps, with a separate scratch folder."""
        scratch = self.bare.parent / name
        scratch.mkdir(exist_ok=True)
        clocks = {"now": lambda: 1.7e9, "sleep": lambda _: None, **more}
        return GitStore(remote or self.remote, "steady-data", scratch, **clocks)

    def files(self) -> list[str]:
        """Return the files of the branch."""
        return self.branch_git("ls-tree", "-r", "--name-only", "steady-data").splitlines()

    def lay(self, files: Mapping[str, bytes]) -> None:
        """Commit files to the branch directly."""
        if self.branch_git("for-each-ref", "refs/heads/steady-data"):
            self.git("fetch", "--quiet", "origin", "steady-data")
            self.git("checkout", "--quiet", "--detach", "FETCH_HEAD")
        else:
            self.git("checkout", "--quiet", "--orphan", "steady-data")
        lay(self.clone, files)
        self.git("add", "--all")
        self.commit("a hand was in it")
        self.git("push", "--quiet", "origin", "HEAD:refs/heads/steady-data")


def lay(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def make_suite(seed: int = 0, benchmarks: int = 3) -> Suite:
    """Return a small suite of random measurements."""
    random = np.random.default_rng(seed)
    names = [f"org.example.Bench.b{number}" for number in range(benchmarks)]
    measurements = {name: random.normal(100.0, 1.0, (2, 5)) for name in names}
    return Suite.of(measurements, unit="ns/op", iteration_seconds=0.1)


def make_entry(
    number: int = 0, suite: str = "core", size: int = 100, *, commit: str = "", **more: Any
) -> HistoryEntry:
    """Return an entry with missing objects."""
    return HistoryEntry(
        suite=suite,
        commit=commit or f"{number:040x}",
        run=f"run-{number}",
        time=1_700_000_000 + number,
        results=Object(f"{number:064x}", size),
        **more,
    )


class _GitOverHttp(BaseHTTPRequestHandler):
    """Git's own server for HTTP, behind a token."""

    root: Path
    header: str
    seen: list[str]

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers["Content-Length"])))

    def _serve(self, body: bytes) -> None:
        authorization = self.headers.get("Authorization", "")
        self.seen.append(authorization)
        if authorization != self.header:
            self.send_response(403)
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        environ = {
            **GIT_ENVIRON,
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "CONTENT_LENGTH": str(len(body)),
            "REMOTE_USER": "x-access-token",
        }
        done = subprocess.run(
            ["git", "http-backend"], env=environ, input=body, capture_output=True, check=True
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((v for k, v in fields if k == "Status"), "200")
        self.send_response(int(status.split()[0]))
        for key, value in fields:
            if key != "Status":
                self.send_header(key, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Suppress logging."""


@contextmanager
def git_server(root: Path, header: str) -> Iterator[tuple[str, list[str]]]:
    """Serve the repositories below `root` to requests with `header`."""
    handler = type("Handler", (_GitOverHttp,), {"root": root, "header": header, "seen": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler.seen  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def fake_git(folder: Path, script: str) -> dict[str, str]:
    """Return an environment in which ``git push`` is `script`, which may call the real `$GIT`."""
    folder.mkdir()
    program = folder / "git"
    program.write_text(
        f'#!/bin/sh\nGIT={shutil.which("git")}\n[ "$1" = push ] || exec $GIT "$@"\n{script}\n'
    )
    program.chmod(0o755)
    return {**GIT_ENVIRON, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}

"""A GitHub on this machine: emulate, with an organisation, people, and an app like Actions' own.

The app's tokens are what a job gets: each with the rights that a workflow's `permissions` name.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from emulate_front import Front, serving

OWNER = "octo"
MAINTAINER, STRANGER = "ana", "stranger"
_APP, _INSTALLATION = 15368, 100
_RIGHTS = ("actions", "contents", "issues", "pull_requests")
_START_SECONDS = 60.0


@dataclass(frozen=True)
class Server:
    """Emulate and what stands before it."""

    front: Front
    key: str

    def ask(self, method: str, path: str, content: Any = None, *, token: str = MAINTAINER) -> Any:
        """Send a request, the maintainer's if not said otherwise, and return the answer."""
        headers = {"Authorization": f"Bearer {token}"}
        answer = requests.request(
            method, f"{self.front.url}{path}", json=content, headers=headers, timeout=60
        )
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def token(self, permissions: Mapping[str, str]) -> str:
        """Return a job's token with these rights, written as a workflow writes them."""
        rights = {name.replace("-", "_"): level for name, level in permissions.items()}
        now = int(time.time())
        claims = {"iat": now - 60, "exp": now + 300, "iss": str(_APP)}
        signed = jwt.encode(claims, self.key, algorithm="RS256")
        path = f"/app/installations/{_INSTALLATION}/access_tokens"
        token: str = self.ask("POST", path, {"permissions": rights}, token=signed)["token"]
        return token

    def repository(self, name: str) -> Hosted:
        """Make an empty repository of the organisation."""
        made = self.ask("POST", f"/orgs/{OWNER}/repos", {"name": name})
        return Hosted(self, made["full_name"])


@dataclass(frozen=True)
class Hosted:
    """A repository on the server."""

    server: Server
    name: str

    @property
    def owner(self) -> str:
        """Whose it is."""
        return self.name.partition("/")[0]

    def ask(self, method: str, path: str, content: Any = None, *, token: str = MAINTAINER) -> Any:
        """Send a request about this repository."""
        return self.server.ask(method, f"/repos/{self.name}{path}", content, token=token)

    def push(self, clone: Path, commit: str, branch: str, *, token: str = MAINTAINER) -> None:
        """Bring a commit, and let a branch point to it."""
        self.bring(clone, commit, token=token)
        try:
            made = {"ref": f"refs/heads/{branch}", "sha": commit}
            self.ask("POST", "/git/refs", made, token=token)
        except requests.HTTPError:
            moved = {"sha": commit, "force": True}
            self.ask("PATCH", f"/git/refs/heads/{branch}", moved, token=token)

    def bring(self, clone: Path, commit: str, *, token: str = MAINTAINER) -> None:
        """Bring a commit with all its history."""
        for sha in _git(clone, "rev-list", "--reverse", "--topo-order", commit).split():
            self._bring_one(clone, sha, token)

    def _bring_one(self, clone: Path, sha: str, token: str) -> None:
        entries = []
        for line in _git(clone, "ls-tree", "-r", "-z", sha).split("\0")[:-1]:
            about, _, path = line.partition("\t")
            mode, kind, blob = about.split()
            content = subprocess.check_output(["git", "-C", str(clone), "cat-file", kind, blob])
            encoded = base64.b64encode(content).decode()
            self.ask("POST", "/git/blobs", {"content": encoded, "encoding": "base64"}, token=token)
            entries.append({"path": path, "mode": mode, "type": kind, "sha": blob})
        tree = self.ask("POST", "/git/trees", {"tree": entries}, token=token)["sha"]
        about = _git(clone, "log", "-1", "--format=%an%n%ae%n%aI%n%cn%n%ce%n%cI%n%P%n%B", sha)
        name, mail, when, by, by_mail, then, parents, *message = about.split("\n")
        commit = {
            "message": "\n".join(message).strip("\n"),
            "tree": tree,
            "parents": parents.split(),
            "author": {"name": name, "email": mail, "date": when},
            "committer": {"name": by, "email": by_mail, "date": then},
        }
        made = self.ask("POST", "/git/commits", commit, token=token)["sha"]
        assert made == sha, "the server's Git is not Git"

    def pull_request(self, head: str, *, by: str = MAINTAINER) -> dict[str, Any]:
        """Open one to the main branch."""
        content = {"title": "Faster", "head": head, "base": "main", "body": ""}
        opened: dict[str, Any] = self.ask("POST", "/pulls", content, token=by)
        return opened

    def comments(self, number: int) -> list[dict[str, Any]]:
        """Return the comments on a pull request."""
        listed: list[dict[str, Any]] = self.ask("GET", f"/issues/{number}/comments")
        return listed


def _git(clone: Path, *arguments: str) -> str:
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@contextmanager
def emulate(folder: Path) -> Iterator[Server]:
    """Start emulate, and what stands before it."""
    key = _new_key()
    front = Front()
    with serving(front):
        command = [str(shutil.which("emulate")), "start", "--service", "github"]
        port = _free_port()
        front.emulate = f"localhost:{port}"
        seed = folder / "seed.json"
        seed.write_text(json.dumps(_seed(key)))
        command += ["--port", str(port), "--seed", str(seed), "--base-url", front.url]
        with (folder / "emulate.log").open("w") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
            try:
                _wait(front, process)
                yield Server(front, key)
            finally:
                process.terminate()
                process.wait()


def _seed(key: str) -> dict[str, Any]:
    """Return who and what is there at the start; a person's token is the person's name."""
    people = (MAINTAINER, STRANGER)
    app = {
        "app_id": _APP,
        "slug": "github-actions",
        "name": "GitHub Actions",
        "private_key": key,
        "permissions": dict.fromkeys(_RIGHTS, "write"),
        "installations": [{"installation_id": _INSTALLATION, "account": OWNER}],
    }
    return {
        "tokens": {name: {"login": name, "scopes": ["repo"]} for name in people},
        "github": {
            "users": [{"login": name} for name in people],
            "orgs": [{"login": OWNER, "members": [{"login": MAINTAINER, "role": "admin"}]}],
            "apps": [app],
        },
    }


def _new_key() -> str:
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()


def _free_port() -> int:
    import socket

    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port


def _wait(front: Front, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "emulate ended: see emulate.log"
        try:
            requests.get(f"http://{front.emulate}/", timeout=5)
        except requests.ConnectionError:
            time.sleep(0.2)
        else:
            return
    raise TimeoutError("emulate did not begin to answer")

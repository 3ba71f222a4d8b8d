"""The stand-in's Git data and pull requests: a real Git repository behind the API."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import zlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from description import example
from standin_state import BOT, NOW, REPOSITORY, Answer, Call, StandIn, refusal, route, user

_REPOSITORY = "/repos/{owner}/{repo}"
_PULLS = f"{_REPOSITORY}/pulls"
_COMMITS = f"{_REPOSITORY}/git/commits"

_SHOWN: dict[tuple[str, ...], str] = {}
"""Cache of Git objects by hash, which never change."""


@dataclass
class GitRepository:
    """A bare repository at `at`, for setup and inspection.

    Attributes
    ----------
    rules : dict of str to (int, str)
        Status and message for rejected creation or update of a branch.
    pulls : list
        All pull requests, in GitHub's format.
    """

    folder: Path = Path()
    rules: dict[str, tuple[int, str]] = field(default_factory=dict)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    default_branch: str = "main"

    def at(self, folder: Path) -> GitRepository:
        """Create the repository without a commit."""
        self.folder = folder
        command = ["git", "init", "--quiet", "--bare", "--template=", str(folder)]
        subprocess.run(command, check=True)
        return self

    def begun(self, folder: Path) -> GitRepository:
        """Create the repository with one commit on branch ``main``."""
        self.folder = shutil.copytree(Path(_begun().name, "repository.git"), folder)
        self.pulls.clear()
        return self

    def git(self, *arguments: str, data: bytes = b"", **environment: str) -> str:
        """Run Git, and return its output without the trailing newline."""
        variables = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, **environment}
        command = ["git", "-C", str(self.folder), *arguments]
        done = subprocess.run(command, input=data, capture_output=True, env=variables, check=True)
        return done.stdout.decode().removesuffix("\n")

    def show(self, *arguments: str) -> str:
        """Return an object by its hash."""
        if arguments not in _SHOWN:
            _SHOWN[arguments] = self.git(*arguments)
        return _SHOWN[arguments]

    def tree(self, base: str | None, entries: list[dict[str, Any]]) -> str:
        """Write a tree from entries in the format of GitHub's API."""
        index = str(self.folder / "steady-index")
        Path(index).unlink(missing_ok=True)
        if base is not None:
            self.git("read-tree", base, GIT_INDEX_FILE=index)
        lines = []
        for entry in entries:
            sha = self.blob(entry["content"].encode()) if "content" in entry else entry["sha"]
            mode, sha = ("0", "0" * 40) if sha is None else (entry["mode"], sha)
            lines.append(f"{mode} {sha}\t{entry['path']}\n")
        data = "".join(lines).encode()
        self.git("update-index", "--index-info", data=data, GIT_INDEX_FILE=index)
        return self.git("write-tree", GIT_INDEX_FILE=index)

    def blob(self, content: bytes) -> str:
        """Store a blob directly, because Git would take a process for each."""
        data = b"blob %d\0%b" % (len(content), content)
        sha = hashlib.sha1(data).hexdigest()
        path = self.folder / "objects" / sha[:2] / sha[2:]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(zlib.compress(data))
        return sha

    def commit_tree(self, tree: str, parents: list[str], message: str, name: str) -> str:
        """Write a commit."""
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", name), ("EMAIL", "somebody@github.test"), ("DATE", NOW))
        }
        options = [option for parent in parents for option in ("-p", parent)]
        return self.git("commit-tree", tree, *options, data=message.encode(), **who)

    def push(
        self,
        branch: str,
        files: dict[str, str | None],
        message: str = "work\n",
        merge: str | None = None,
    ) -> str:
        """Commit some files to a branch as another user; None deletes a file."""
        tip = self.tip(branch)
        entries = [
            {"path": path, "mode": "100644"}
            | ({"sha": None} if content is None else {"content": content})
            for path, content in files.items()
        ]
        parents = [sha for sha in (tip, merge) if sha]
        tree = self.tree(tip, entries)
        sha = self.commit_tree(tree, parents, message, "Ada")
        self.git("update-ref", f"refs/heads/{branch}", sha)
        return sha

    def tip(self, branch: str) -> str | None:
        """Return the newest commit of a branch."""
        return self.tips().get(branch)

    def tips(self) -> dict[str, str]:
        """Return the commits of all branches by name, from unpacked refs."""
        heads = self.folder / "refs" / "heads"
        files = sorted(path for path in heads.rglob("*") if path.is_file())
        return {path.relative_to(heads).as_posix(): path.read_text().strip() for path in files}

    def files(self, branch: str) -> dict[str, str]:
        """Return the contents of a branch's files by path."""
        paths = self.git("ls-tree", "-r", "--name-only", f"refs/heads/{branch}").split("\n")
        return {path: self.git("show", f"refs/heads/{branch}:{path}") for path in paths}

    def message(self, revision: str) -> str:
        """Return a commit's message."""
        return self.git("log", "-1", "--format=%B", revision)


@cache
def _begun() -> TemporaryDirectory[str]:
    """Return a folder with a repository, to be copied."""
    folder = TemporaryDirectory()
    repository = GitRepository().at(Path(folder.name, "repository.git"))
    repository.push("main", {"README.md": "hello\n", "src/A.java": "class A {}\n"})
    return folder


def _of(state: StandIn) -> GitRepository:
    return state.part(GitRepository)


@route("GET", _REPOSITORY)
def read_repository(state: StandIn, call: Call) -> Answer:
    """Return the repository."""
    if f"{call.path['owner']}/{call.path['repo']}" != REPOSITORY:
        return refusal(404, "Not Found")
    shown = example(_REPOSITORY, "GET", 200) | {
        "full_name": REPOSITORY,
        "default_branch": _of(state).default_branch,
        "html_url": f"https://github.test/{REPOSITORY}",
        # GitHub's example violates its description, here and below.
        "language": None,
    }
    for name in ("parent", "source", "template_repository"):
        del shown[name]
    return 200, shown, {}


@route("GET", f"{_REPOSITORY}/git/ref/{{ref}}")
def read_ref(state: StandIn, call: Call) -> Answer:
    """Return the ref of a branch."""
    tips = _of(state).tips()
    if not tips:
        return refusal(409, "Git Repository is empty.")
    sha = tips.get(call.path["ref"].removeprefix("heads/"))
    return (200, _ref(call.path["ref"], sha), {}) if sha else refusal(404, "Not Found")


@route("POST", f"{_REPOSITORY}/git/refs")
def create_ref(state: StandIn, call: Call) -> Answer:
    """Create a branch."""
    git, ref, sha = _of(state), call.body["ref"], call.body["sha"]
    branch = ref.removeprefix("refs/heads/")
    if git.tip(branch):
        return _invalid("Reference already exists")
    if branch in git.rules:
        return _protected(*git.rules[branch])
    git.git("update-ref", ref, sha)
    return 201, _ref(f"heads/{branch}", sha), {}


@route("PATCH", f"{_REPOSITORY}/git/refs/{{ref}}")
def move_ref(state: StandIn, call: Call) -> Answer:
    """Update a branch, subject to its rules."""
    git, sha = _of(state), call.body["sha"]
    branch = call.path["ref"].removeprefix("heads/")
    tip = git.tip(branch)
    if tip is None:
        return _invalid("Reference does not exist")
    if branch in git.rules:
        return _protected(*git.rules[branch])
    if not call.body.get("force") and git.git("merge-base", tip, sha) != tip:
        return _invalid("Update is not a fast forward")
    git.git("update-ref", f"refs/heads/{branch}", sha)
    return 200, _ref(call.path["ref"], sha), {}


@route("GET", f"{_COMMITS}/{{commit_sha}}")
def read_commit(state: StandIn, call: Call) -> Answer:
    """Return a commit."""
    return 200, _commit(state, call.path["commit_sha"]), {}


@route("POST", _COMMITS)
def create_commit(state: StandIn, call: Call) -> Answer:
    """Create a commit by the token's owner."""
    body = call.body
    sha = _of(state).commit_tree(body["tree"], body["parents"], body["message"], BOT)
    return 201, _commit(state, sha), {}


@route("GET", f"{_REPOSITORY}/git/trees/{{tree_sha}}")
def read_tree(state: StandIn, call: Call) -> Answer:
    """Return one tree."""
    return 200, _tree(state, call.path["tree_sha"]), {}


@route("POST", f"{_REPOSITORY}/git/trees")
def create_tree(state: StandIn, call: Call) -> Answer:
    """Create a tree."""
    sha = _of(state).tree(call.body.get("base_tree"), call.body["tree"])
    return 201, _tree(state, sha), {}


@route("POST", f"{_REPOSITORY}/git/blobs")
def create_blob(state: StandIn, call: Call) -> Answer:
    """Create a blob."""
    sha = _of(state).blob(base64.b64decode(call.body["content"]))
    return 201, {"url": f"{state.url}/repos/{REPOSITORY}/git/blobs/{sha}", "sha": sha}, {}


@route("GET", f"{_REPOSITORY}/git/blobs/{{file_sha}}")
def read_blob(state: StandIn, call: Call) -> Answer:
    """Return a blob, in lines of Base64 like GitHub."""
    git, sha = _of(state), call.path["file_sha"]
    content = git.show("cat-file", "blob", sha).encode()
    shown = example(f"{_REPOSITORY}/git/blobs/{{file_sha}}", "GET", 200)
    encoded = base64.encodebytes(content).decode()
    size = len(content)
    return 200, {**shown, "sha": sha, "content": encoded, "encoding": "base64", "size": size}, {}


@route("GET", f"{_REPOSITORY}/compare/{{basehead}}")
def compare(state: StandIn, call: Call) -> Answer:
    """Compare two revisions."""
    git = _of(state)
    base, head = (git.tip(name) or name for name in call.path["basehead"].split("..."))
    meeting = git.git("merge-base", base, head)
    statuses = {(True, True): "identical", (True, False): "ahead", (False, True): "behind"}
    status = statuses.get((meeting == base, meeting == head), "diverged")
    shown = example(f"{_REPOSITORY}/compare/{{basehead}}", "GET", 200)
    return 200, {**shown, "status": status}, {}


@route("GET", _PULLS)
def list_pulls(state: StandIn, call: Call) -> Answer:
    """List the requested pull requests."""
    rows = [
        pull
        for pull in _of(state).pulls
        if pull["state"] == call.query.get("state", "open")
        and call.query.get("head", pull["head"]["label"]) == pull["head"]["label"]
        and call.query.get("base", pull["base"]["ref"]) == pull["base"]["ref"]
    ]
    [simple] = example(_PULLS, "GET", 200)
    shown = [{name: pull.get(name, value) for name, value in simple.items()} for pull in rows]
    return 200, shown, {}


@route("POST", _PULLS)
def create_pull(state: StandIn, call: Call) -> Answer:
    """Open a pull request."""
    git, body = _of(state), call.body
    label = f"{call.path['owner']}:{body['head']}"
    here = [(p["head"]["label"], p["base"]["ref"]) for p in git.pulls if p["state"] == "open"]
    if (label, body["base"]) in here:
        status, refused, headers = _invalid("Validation Failed")
        problem = {"resource": "PullRequest", "code": "custom"}
        problem["message"] = f"A pull request already exists for {label}."
        return status, {**refused, "errors": [problem]}, headers
    number = 100 + len(git.pulls)
    pull = example(_PULLS, "POST", 201)
    pull["head"] |= {"label": label, "ref": body["head"], "sha": git.tip(body["head"])}
    pull["base"] |= {"ref": body["base"], "sha": git.tip(body["base"])}
    pull |= {
        "number": number,
        "state": "open",
        "title": body["title"],
        "body": body["body"],
        "html_url": f"https://github.test/{REPOSITORY}/pull/{number}",
        "user": user(state.viewer or BOT),
        "requested_teams": [],
    }
    git.pulls.append(pull)
    return 201, pull, {}


@route("PATCH", f"{_PULLS}/{{pull_number}}")
def edit_pull(state: StandIn, call: Call) -> Answer:
    """Change a pull request's title or description."""
    [pull] = [p for p in _of(state).pulls if p["number"] == int(call.path["pull_number"])]
    pull.update({name: call.body[name] for name in ("title", "body") if name in call.body})
    return 200, pull, {}


def _protected(status: int, message: str) -> Answer:
    return _invalid(message) if status == 422 else refusal(status, message)


def _invalid(message: str) -> Answer:
    status, body, headers = refusal(422, message)
    return status, {name: value for name, value in body.items() if name != "status"}, headers


def _ref(ref: str, sha: str) -> dict[str, Any]:
    shown: dict[str, Any] = example(f"{_REPOSITORY}/git/ref/{{ref}}", "GET", 200)
    return {**shown, "ref": f"refs/{ref}", "object": {**shown["object"], "sha": sha}}


def _commit(state: StandIn, sha: str) -> dict[str, Any]:
    shown = _of(state).show("log", "-1", "--format=%T%n%P%n%B", sha)
    tree, parents, message = shown.split("\n", 2)
    address = f"{state.url}/repos/{REPOSITORY}/git"
    urls = dict.fromkeys(("url", "html_url"), f"{address}/commits/{sha}")
    return {
        **example(f"{_COMMITS}/{{commit_sha}}", "GET", 200),
        **urls,
        "sha": sha,
        "message": message,
        "tree": {"sha": tree, "url": f"{address}/trees/{tree}"},
        "parents": [{"sha": parent} | urls for parent in parents.split()],
    }


def _tree(state: StandIn, sha: str) -> dict[str, Any]:
    lines = _of(state).show("ls-tree", "-z", sha).split("\0")
    entries = []
    for line in filter(None, lines):
        (mode, kind, child), path = line.split("\t")[0].split(" "), line.split("\t")[1]
        address = f"{state.url}/repos/{REPOSITORY}/git/{kind}s/{child}"
        entry = {"path": path, "mode": mode, "type": kind, "sha": child, "url": address}
        entries.append(entry | ({"size": 1} if kind == "blob" else {}))
    address = f"{state.url}/repos/{REPOSITORY}/git/trees/{sha}"
    return {"sha": sha, "url": address, "truncated": False, "tree": entries}

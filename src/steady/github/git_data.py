"""Read and write branches, trees and commits through GitHub's Git data API.

No `git` program, work tree or user configuration is involved, so the job's checkout stays unchanged
and no hook runs.
"""

import base64
import hashlib
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import quote

from github import Github, GithubException

from steady.github.client import Step, address, rows

FILE_MODE = "100644"
"""Git's mode of a regular file."""

EXECUTABLE_MODE = "100755"
"""Git's mode of an executable file."""

_INLINE_BYTES = 200_000
"""Text up to this size is sent inline with the tree; larger or binary content takes a separate
request."""

_PROPOSING = Step("the pull request", "pull-requests: write")


@dataclass(frozen=True, slots=True)
class Commit:
    """A Git commit.

    Parameters
    ----------
    sha, tree : str
        Hashes of the commit and of its tree.
    parents : tuple of str
        Hashes of the parents; the first is the previous tip of its branch.
    message : str
        Full commit message.
    """

    sha: str
    tree: str
    parents: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """An entry of a Git tree.

    Parameters
    ----------
    sha : str
        Hash of the entry's blob or tree.
    mode : str
        Git file mode: ``100644``, ``100755``, ``040000``, ...
    """

    sha: str
    mode: str

    @property
    def is_file(self) -> bool:
        """Whether the entry is a file or a symbolic link."""
        return self.mode.startswith("1")


@dataclass(frozen=True, slots=True)
class PullRequest:
    """An open pull request.

    Parameters
    ----------
    number : int
        Number of the pull request.
    url : str
        Address of its page.
    body : str
        Description, with Unix line ends.
    """

    number: int
    url: str
    body: str


class GitData:
    """Git data of one repository; every failed request raises a `StepError`.

    Parameters
    ----------
    client : Github
        Client from `steady.github.connect`.
    repository : str
        ``owner/name``.
    """

    def __init__(self, client: Github, repository: str) -> None:
        self._client = client
        self.repository = repository
        self._trees: dict[str, Mapping[str, TreeEntry]] = {}

    def default_branch(self) -> str:
        """Return the name of the repository's default branch."""
        with Step("the repository", "contents: read"):
            return str(self._mapping("GET", "")["default_branch"])

    def tip(self, branch: str) -> Commit | None:
        """Return the newest commit of a branch, or None if the branch does not exist."""
        with Step(f"branch `{branch}`", "contents: read"):
            try:
                ref = self._mapping("GET", f"/git/ref/{_in_path(f'heads/{branch}')}")
            except GithubException as error:
                if error.status != 404:
                    raise
                return None
            return self.commit(ref["object"]["sha"])

    def commit(self, sha: str) -> Commit:
        """Return a commit by its hash."""
        with Step(f"commit {sha}", "contents: read"):
            return _commit(self._mapping("GET", f"/git/commits/{sha}"))

    def contains(self, branch: str, sha: str) -> bool:
        """Return whether a commit is in the history of a branch."""
        with Step(f"branch `{branch}`", "contents: read"):
            compared = self._mapping("GET", f"/compare/{_in_path(branch)}...{sha}")
            return compared["status"] in ("behind", "identical")

    def files(self, tree: str, paths: Iterable[str]) -> dict[str, TreeEntry]:
        """Return the entries of `paths` that exist as files or links in a tree."""
        entries = ((p, self._folder_of(p, tree).get(p.rpartition("/")[2])) for p in paths)
        return {path: entry for path, entry in entries if entry is not None and entry.is_file}

    def matching(self, tree: str, pattern: str) -> list[str]:
        """Return the files and links that match a path with wildcards in its last component."""
        folder, slash, names = pattern.rpartition("/")
        entries = self._folder_of(pattern, tree).items()
        return [f"{folder}{slash}{n}" for n, e in entries if e.is_file and fnmatchcase(n, names)]

    def content(self, sha: str) -> bytes:
        """Return the content of a blob by its hash."""
        with Step("the branch's files", "contents: read"):
            return base64.b64decode(self._mapping("GET", f"/git/blobs/{sha}")["content"])

    def write_tree(
        self,
        base: str,
        files: Mapping[str, bytes],
        removed: Iterable[str],
        programs: Collection[str] = (),
    ) -> str:
        """Create a tree from another tree by replacing and deleting files.

        Parameters
        ----------
        base : str
            Hash of the other tree.
        files : mapping of str to bytes
            Files to add or replace: content by path.
        removed : iterable of str
            Paths of files in `base` to delete.
        programs : collection of str
            Paths in `files` that are executable.

        Returns
        -------
        str
            Hash of the new tree.
        """
        with Step("the files", "contents: write"):
            entries: list[dict[str, Any]] = [
                {
                    "path": path,
                    "mode": EXECUTABLE_MODE if path in programs else FILE_MODE,
                    "type": "blob",
                    **self._content(content),
                }
                for path, content in files.items()
            ]
            entries += [
                {"path": path, "mode": FILE_MODE, "type": "blob", "sha": None} for path in removed
            ]
            written = self._mapping("POST", "/git/trees", {"base_tree": base, "tree": entries})
            return str(written["sha"])

    def write_commit(self, message: str, tree: str, parents: Iterable[str]) -> str:
        """Create a commit that is not on any branch yet, and return its hash.

        Without an explicit author, GitHub uses the token's owner, and signs the commit if the owner
        is an app.
        """
        content = {"message": message, "tree": tree, "parents": list(parents)}
        with Step("the commit", "contents: write"):
            written = self._mapping("POST", "/git/commits", content)
            return str(written["sha"])

    def create_branch(self, branch: str, sha: str) -> None:
        """Create a branch at a commit; GitHub rejects it if the branch exists."""
        with Step(f"branch `{branch}`", "contents: write", moves=True):
            self._mapping("POST", "/git/refs", {"ref": f"refs/heads/{branch}", "sha": sha})

    def move_branch(self, branch: str, sha: str) -> None:
        """Fast-forward a branch to a commit.

        GitHub rejects the update if the commit does not descend from the branch's tip, also if the
        tip has moved in the meantime.
        """
        path = f"/git/refs/{_in_path(f'heads/{branch}')}"
        with Step(f"branch `{branch}`", "contents: write", moves=True):
            self._mapping("PATCH", path, {"sha": sha, "force": False})

    def open_pull_request(self, branch: str, base: str) -> PullRequest | None:
        """Return the open pull request from one branch of this repository to another."""
        owner = self.repository.partition("/")[0]
        query = {"state": "open", "head": f"{owner}:{branch}", "base": base}
        with _PROPOSING:
            listed = rows(self._client, f"/repos/{self.repository}/pulls", **query)
            # A server that does not support the filter returns all pull requests.
            return next((_pull_request(p) for p in listed if p["head"]["ref"] == branch), None)

    def create_pull_request(self, branch: str, base: str, title: str, body: str) -> PullRequest:
        """Open a pull request from one branch to another."""
        content = {"title": title, "head": branch, "base": base, "body": body}
        with _PROPOSING:
            return _pull_request(self._mapping("POST", "/pulls", content))

    def edit_pull_request(self, number: int, body: str) -> None:
        """Replace the description of a pull request."""
        with _PROPOSING:
            self._mapping("PATCH", f"/pulls/{number}", {"body": body})

    def _folder_of(self, path: str, tree: str) -> Mapping[str, TreeEntry]:
        """Return the entries of the folder that contains `path`; empty if it does not exist."""
        entries = self._tree(tree)
        for folder in path.split("/")[:-1]:
            entry = entries.get(folder)
            if entry is None or entry.mode != "040000":
                return {}
            entries = self._tree(entry.sha)
        return entries

    def _tree(self, sha: str) -> Mapping[str, TreeEntry]:
        if sha not in self._trees:
            with Step("the branch's files", "contents: read"):
                listed = self._mapping("GET", f"/git/trees/{sha}")["tree"]
                self._trees[sha] = {e["path"]: TreeEntry(e["sha"], e["mode"]) for e in listed}
        return self._trees[sha]

    def _content(self, content: bytes) -> dict[str, str]:
        if len(content) <= _INLINE_BYTES and b"\0" not in content:
            with suppress(UnicodeDecodeError):
                return {"content": content.decode()}
        encoded = base64.b64encode(content).decode()
        blob = self._mapping("POST", "/git/blobs", {"content": encoded, "encoding": "base64"})
        return {"sha": str(blob["sha"])}

    def _mapping(self, method: str, path: str, content: Any = None) -> Mapping[str, Any]:
        _, answer = self._client.requester.requestJsonAndCheck(
            method, f"/repos/{self.repository}{path}", input=content
        )
        if not isinstance(answer, dict):
            raise TypeError(f"expected an object, got {type(answer).__name__}")
        return answer


def blob_sha(content: bytes) -> str:
    """Return Git's blob hash of a file's content.

    >>> blob_sha(b"")
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    # Git uses SHA-1 as an identifier; security does not depend on it here.
    return hashlib.sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest()


def _commit(data: Mapping[str, Any]) -> Commit:
    parents = tuple(str(parent["sha"]) for parent in data["parents"])
    return Commit(str(data["sha"]), str(data["tree"]["sha"]), parents, str(data["message"]))


def _pull_request(data: Mapping[str, Any]) -> PullRequest:
    body = str(data["body"] or "").replace("\r\n", "\n")
    return PullRequest(int(data["number"]), address(data["html_url"]), body)


def _in_path(name: str) -> str:
    return quote(name, safe="")

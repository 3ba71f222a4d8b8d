"""Run Git with argument lists, a timeout, and without unsafe user configuration."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from steady.errors import InputError, MissingToolError

Pushed = Literal["done", "overtaken", "unreachable", "refused"]

_OVERTAKEN = re.compile(
    r"stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref|"
    r"reference already exists|incorrect old value|failed to lock|cannot update ref|"
    r"is at [0-9a-f]+ but expected|unable to resolve reference"
)
_UNREACHABLE = re.compile(
    r"could not resolve host|couldn't connect|connection (?:timed out|reset|refused)|"
    r"timed out|returned error: (?:429|5\d\d)|hung up unexpectedly|early eof|took longer than|"
    r"rpc failed|internal server error|unexpected disconnect",
    re.IGNORECASE,
)
_NO_RIGHT = re.compile(
    r"returned error: (?:401|403)|permission to .{0,300}? denied|"
    r"write access .{0,300}? not granted|authentication failed|"
    r"could not read username|permission denied|terminal prompts disabled",
    re.IGNORECASE,
)
_PROTECTED = re.compile(
    r"protected branch|GH006|GH013|rule violations|hook declined|cannot force-push|"
    r"denying non-fast",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"repository .{0,300}?not found|does not appear to be a git repo", re.IGNORECASE
)
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


def outcome_of_push(code: int, printed: str, message: str) -> Pushed:
    """Classify the outcome of a push.

    Parameters
    ----------
    code : int
        Exit code of ``git push --porcelain``.
    printed, message : str
        Its standard output and standard error.

    Returns
    -------
    {"done", "overtaken", "unreachable", "refused"}
        ``overtaken``: someone else pushed in between. ``unreachable``: it is unknown whether the
        push succeeded. Both may be retried.
    """
    if code == 0:
        return "done"
    lines = [line for line in printed.splitlines() if line.startswith("!")]
    complaints = f"{' '.join(lines)} {message}"
    if _PROTECTED.search(complaints) or _NO_RIGHT.search(complaints):
        return "refused"
    if _OVERTAKEN.search(complaints):
        return "overtaken"
    return "unreachable" if _UNREACHABLE.search(complaints) else "refused"


def is_unreachable(message: str) -> bool:
    """Return whether a failed fetch may succeed on a retry."""
    return bool(_UNREACHABLE.search(message)) and not _NO_RIGHT.search(message)


def rejection(branch: str, url: str, message: str) -> InputError:
    """Return the error for a push that the remote rejected."""
    if _PROTECTED.search(message):
        problem = (
            f"the remote rejects pushes to branch {branch} ({quote(message)}); remove its "
            "protection rule and allow force pushes, or choose another branch: the history is "
            "rewritten to stay small"
        )
        return InputError(problem, source=quote(url))
    return _failure("pushed", branch, url, message, "contents: write")


class UnreadableError(InputError):
    """Raised if a history cannot be fetched, so that its content is unknown."""


def fetch_failure(branch: str, url: str, message: str) -> UnreadableError:
    """Return the error for a failed fetch."""
    return UnreadableError(str(_failure("fetched", branch, url, message, "contents: read")))


def quote(message: str) -> str:
    """Return Git's message on one line, shortened, without credentials in addresses."""
    lines = [line.removeprefix("remote: ").strip() for line in message.splitlines()]
    text = " ".join(line for line in lines if line and not line.startswith("hint:"))
    text = "".join(c if c.isprintable() else "?" for c in _CREDENTIALS.sub("", text))
    return text if len(text) <= 300 else text[:299] + "…"


def _failure(what: str, branch: str, url: str, message: str, permission: str) -> InputError:
    if _NO_RIGHT.search(message):
        remedy = f"on GitHub, add `permissions: {permission}` to the job; elsewhere, log in first"
    elif _ABSENT.search(message):
        remedy = f"check the address, and on GitHub add `permissions: {permission}` to the job"
    else:
        remedy = "if the address is right, try again"
    return InputError(
        f"branch {branch} cannot be {what} ({quote(message)}); {remedy}", source=quote(url)
    )


TIMEOUT_SECONDS = 300.0

NO_CODE = -1
"""Replaces the exit code of a command that timed out or could not start."""

_REPOSITORY_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_DIR", "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE", "GIT_TRACE", "GIT_TRACE_CURL", "GIT_CURL_VERBOSE", "GIT_WORK_TREE",
)  # fmt: skip
"""Variables, set by a Git hook or a user, that would redirect Git to another repository or write a
token to the log."""

_GIT_SETTINGS = {
    "core.hooksPath": os.devnull,
    "gc.auto": "0",
    "maintenance.auto": "false",
    "push.gpgSign": "false",
    "push.recurseSubmodules": "no",
    "advice.detachedHead": "false",
}

_CLONE_SETTINGS = r"^(http\..*|credential\..*|url\..*|core\.sshcommand)$"
"""Configuration keys by which a clone reaches its remote; `actions/checkout` stores its token
there."""


class GitError(Exception):
    """Raised if a Git command fails.

    Parameters
    ----------
    message : str
        Git's error message.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class Remote:
    """A remote repository.

    Parameters
    ----------
    url : str
        Address or path, without a password.
    config : tuple of (str, str)
        Git configuration for reaching it; it may contain secrets, so it is never put into an
        argument list or a message.
    environ : mapping of str to str
        Environment variables of Git.
    """

    url: str
    config: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def with_token(cls, url: str, server: str, token: str, environ: Mapping[str, str]) -> Remote:
        """Return a GitHub repository, accessed with a token and no user configuration.

        Parameters
        ----------
        url, server : str
            Addresses of the repository and of its server; only this server receives the token.
        token : str
            The token; empty for anonymous access.
        environ : mapping of str to str
            Environment of this process; only proxies, certificates and the search path are used.
        """
        kept = {name: v for name, v in environ.items() if name.upper() in _KEPT_VARIABLES}
        login = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        header = (f"http.{server}/.extraheader", f"AUTHORIZATION: basic {login}")
        isolated = {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": os.devnull,
        }
        return cls(url, (header,) if token else (), {**kept, **isolated})

    @classmethod
    def of_clone(cls, clone: Path, name: str, environ: Mapping[str, str]) -> Remote:
        """Return a remote of the user's clone, with the clone's configuration.

        Parameters
        ----------
        clone : Path
            A folder in the clone.
        name : str
            Name of the remote, or an address.
        environ : mapping of str to str
            The user's environment, so that credential helpers and agents work.

        Raises
        ------
        InputError
            If there is no clone, or no such remote.
        """
        git = Git(clone, Remote("", (), environ))
        try:
            git.run("rev-parse", "--git-dir")
        except GitError:
            problem = "is not a clone of a Git repository"
            remedy = "run this in one, or name a folder as --store"
            raise InputError(f"{problem}; {remedy}", source=clone) from None
        url = name
        if "/" not in name and ":" not in name:
            code, printed, _ = git.attempt("remote", "get-url", "--push", "--", name)
            if code != 0:
                problem = f"the clone does not have a remote {name!r}; name one by --remote"
                raise InputError(problem, source=clone)
            url = printed.decode(errors="replace").strip()
        if ":" not in url:
            url = str((clone / url).resolve())
        # Git prints nothing if no such key is configured.
        query = ("config", "--local", "--includes", "-z", "--get-regexp", _CLONE_SETTINGS)
        listed = git.attempt(*query)[1].decode(errors="replace")
        pairs = (item.partition("\n")[::2] for item in listed.split("\0") if item)
        return cls(url, tuple(pairs), environ)


_KEPT_VARIABLES = {
    "PATH", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP",
}  # fmt: skip


class Git:
    """Git in one repository.

    Parameters
    ----------
    folder : Path
        The repository, or a folder in its work tree.
    remote : Remote
        The remote to access, with its configuration.
    """

    def __init__(self, folder: Path, remote: Remote) -> None:
        self._folder = folder
        self._environ = _environment(remote)
        program = shutil.which("git", path=self._environ.get("PATH"))
        if program is None:
            raise MissingToolError("git is not installed; a history in a branch needs it")
        self._program = program

    @classmethod
    def init_bare(cls, folder: Path, remote: Remote) -> Git:
        """Create an empty bare repository in a folder, with the remote as its origin."""
        git = cls(folder, remote)
        git.run("init", "--quiet", "--bare", "--template=", ".")
        git.run("remote", "add", "--", "origin", remote.url)
        return git

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run a command and return its output.

        Raises
        ------
        GitError
            If it failed, or took longer than `TIMEOUT_SECONDS`.
        """
        code, printed, message = self.attempt(*arguments, stdin=stdin)
        if code != 0:
            raise GitError(message)
        return printed

    def attempt(self, *arguments: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
        """Run a command and return its exit code, standard output and error messages.

        If it takes longer than `TIMEOUT_SECONDS` or cannot start, the code is `NO_CODE`, and the
        message gives the reason.
        """
        try:
            done = subprocess.run(  # noqa: S603 - no shell; user input follows the end of options
                [self._program, *arguments],
                cwd=self._folder,
                env=self._environ,
                input=stdin,
                capture_output=True,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return NO_CODE, b"", f"git {arguments[0]} took longer than {TIMEOUT_SECONDS:.0f} s"
        except OSError as error:
            return NO_CODE, b"", f"git cannot run in {self._folder} ({error.strerror})"
        return done.returncode, done.stdout, done.stderr.decode(errors="replace").strip()

    def text(self, *arguments: str, strip: bool = True) -> str:
        """Run a command and return its output as text."""
        printed = self.run(*arguments).decode(errors="replace")
        return printed.strip() if strip else printed


def is_branch_name(name: str) -> bool:
    """Return whether `name` is a valid branch name (git-check-ref-format)."""
    forbidden = ("..", "//", "@{", "\\", " ", "~", "^", ":", "?", "*", "[")
    parts = name.split("/")
    return (
        0 < len(name) <= 200
        and name.isprintable()
        and name != "@"
        and not name.startswith("-")
        and not name.endswith((".", "/"))
        and not any(text in name for text in forbidden)
        and not any(not p or p.startswith(".") or p.endswith(".lock") for p in parts)
    )


def _environment(remote: Remote) -> dict[str, str]:
    """Return Git's environment variables, including the configuration."""
    environ = {k: v for k, v in remote.environ.items() if k not in _REPOSITORY_VARIABLES}
    counted = environ.get("GIT_CONFIG_COUNT", "")
    first = int(counted) if counted.isdecimal() else 0
    pairs = [*_GIT_SETTINGS.items(), *remote.config]
    for number, (key, value) in enumerate(pairs, first):
        environ[f"GIT_CONFIG_KEY_{number}"] = key
        environ[f"GIT_CONFIG_VALUE_{number}"] = value
    return {
        **environ,
        "GIT_CONFIG_COUNT": str(first + len(pairs)),
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
        "LANGUAGE": "C",
    }

"""The history in an artifact: fetched into a folder here, and uploaded again by the next step.

A container can read artifacts and not upload them: for that, GitHub's runner gives a token to its
own actions alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from steady.action.committing import EVENTS
from steady.action.log import Log
from steady.action.task import Connect
from steady.errors import InputError, SteadyError
from steady.files import write_bytes
from steady.github import Context, explain
from steady.github.archive import Limits, WantedNames, read_named
from steady.github.artifacts import download
from steady.github.branch_artifact import Home, find_left, read_home
from steady.history.objects import ENTRY_PATH, OBJECT_PATH
from steady.readers.fields import quoted

FOLDER = "steady-history"
"""Where the next step finds it. `actions/upload-artifact` passes over what begins with a dot."""

LIMITS = Limits(archive=192 * 2**20, entry=128 * 2**20, total=192 * 2**20)
"""Retention keeps 50 MiB, but never drops the newest run of a suite."""

MOST_FILES = 20_000

T = TypeVar("T")


def is_of_history(path: str) -> bool:
    """Tell whether a history has a file of that name, relative to its folder."""
    return bool(ENTRY_PATH.fullmatch(path) or OBJECT_PATH.fullmatch(path))


_NAMES = WantedNames(
    is_of_history, MOST_FILES, "entries/xx/….json and objects/xx/….gz of a history"
)


@dataclass(frozen=True, slots=True)
class ArtifactHistory:
    """A history in the artifacts of a repository.

    Parameters
    ----------
    name : str
        Of the artifact.
    context : Context
        The repository, and the run that asks.
    token : str
        The job's.
    connect, log, sleep
        The effects.
    """

    name: str
    context: Context
    token: str = field(repr=False)
    connect: Connect
    log: Log
    sleep: Callable[[float], None] = time.sleep

    def __str__(self) -> str:
        """Return what messages call it."""
        return f"artifact {self.name!r}"

    def why_not_kept(self) -> str:
        """Say why no later run would read what this one uploads; empty: they will.

        Raises
        ------
        SteadyError
            If GitHub does not tell its default branch.
        """
        context = self.context
        if context.event not in EVENTS:
            return (
                f"the event `{context.event}` may speak for a proposal, so only artifacts of runs "
                f"by {', '.join(EVENTS[:-1])} or {EVENTS[-1]} are a history"
            )
        branch = self._home().branch
        if context.branch != branch:
            here = f"`{context.branch}`" if context.branch else "no branch"
            return f"this run is on {here}, and only artifacts of `{branch}` are a history"
        return ""

    def fetch(self, folder: Path) -> None:
        """Write the newest artifact's files into a folder, beside those that are there.

        Two histories never have different files of one name, so that nothing is lost: neither
        what an earlier step of this job recorded, nor what others uploaded.

        Raises
        ------
        InputError
            If artifact or folder hold anything else, or too much.
        SteadyError
            If GitHub refuses or does not answer.
        """
        _check_folder(folder)
        home, repository = self._home(), self.context.repository
        client = self.connect(self.token, self.context.api_url)
        left = self._ask(lambda: find_left(client, repository, home, self.name, EVENTS))
        if left is None:
            self.log.say(f"history: there is no {self} of branch {home.branch} yet")
            return
        artifact, run, api_url = left.artifact, left.run, self.context.api_url
        archive = self._ask(
            lambda: download(
                artifact, repository, self.token, api_url, LIMITS.archive, sleep=self.sleep
            )
        )
        for path, content in read_named(archive, _NAMES, str(self), LIMITS).items():
            write_bytes(folder / path, content)
        self.log.say(f"history: {self} of run {run.number}, commit {run.head[:12]}")

    def _home(self) -> Home:
        context = self.context
        if context.problem:
            raise InputError(context.problem)
        if not self.token:
            raise InputError(
                "input `history`: an artifact needs a token: leave `token` out, or give one"
            )
        client = self.connect(self.token, context.api_url)
        return self._ask(lambda: read_home(client, context.repository))

    def _ask(self, question: Callable[[], T]) -> T:
        try:
            return question()
        except SteadyError:
            raise
        except Exception as error:
            # Whatever the API answers, a proxy's page included. A fork's token can read.
            told = explain(
                error,
                replace(self.context, fork=False),
                permission="actions: read",
                what="artifacts",
                missing="artifacts",
            )
            raise SteadyError(f"the history in {self} cannot be read: {told}") from None


def _check_folder(folder: Path) -> None:
    """Raise the user's mistake where a folder holds what is no history: it would be uploaded."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_dir() or is_of_history(name)):
            raise InputError(
                f"holds {quoted(name)}, which is no file of a history; delete that folder first",
                source=folder,
            )

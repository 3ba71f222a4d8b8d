"""The history in an artifact: fetched into a folder here, and uploaded again by the next step.

A container can read artifacts and not upload them: for that, GitHub's runner gives a token to its
own actions alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, TypeVar

from github import Github

from steady.action.committing import EVENTS
from steady.action.task import Task
from steady.errors import InputError, SteadyError
from steady.files import write_bytes
from steady.github.archive import Limits, WantedNames, read_named
from steady.github.artifacts import download
from steady.github.branch_artifact import Home, find_left, read_home
from steady.history import UnreadableError
from steady.history.entry import ENTRY_PATH, OBJECT_PATH
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
    task : Task
        The run that asks, and its repository.
    """

    name: str
    task: Task

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
        context = self.task.context
        if context.event not in EVENTS:
            return (
                f"the event `{context.event}` may belong to a proposal, so only artifacts of runs "
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
        UnreadableError
            If GitHub refuses or does not answer.
        """
        _check_folder(folder)
        task = self.task
        home, repository = self._home(), task.context.repository
        left = self._ask(lambda client: find_left(client, repository, home, self.name, EVENTS))
        if left is None:
            task.log.say(f"history: branch {home.branch} has no {self} yet")
            return
        artifact, run, api_url = left.artifact, left.run, task.context.api_url
        token = task.inputs.token
        archive = self._ask(
            lambda _: download(artifact, repository, token, api_url, LIMITS.archive)
        )
        for path, content in read_named(archive, _NAMES, str(self), LIMITS).items():
            write_bytes(folder / path, content)
        task.log.say(f"history: {self} of run {run.number}, commit {run.head[:12]}")

    def _home(self) -> Home:
        context = self.task.context
        if context.problem:
            raise InputError(context.problem)
        if not self.task.inputs.token:
            raise InputError(
                "input `history`: an artifact needs a token: leave `token` out, or give one"
            )
        return self._ask(lambda client: read_home(client, context.repository))

    def _ask(self, question: Callable[[Github], T]) -> T:
        def cannot(reason: str) -> NoReturn:
            raise UnreadableError(f"the history in {self} cannot be read: {reason}")

        # A fork's token can read.
        task = replace(self.task, context=replace(self.task.context, fork=False))
        try:
            return task.ask_github(
                question, cannot, permission="actions: read", what="artifacts", missing="artifacts"
            )
        except SteadyError as error:
            raise UnreadableError(str(error)) from None


def _check_folder(folder: Path) -> None:
    """Refuse a folder that holds anything but a history: all of it would be uploaded."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_dir() or is_of_history(name)):
            raise InputError(
                f"holds {quoted(name)}, which is not a file of a history; delete that folder first",
                source=folder,
            )

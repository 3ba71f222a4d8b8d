"""The history as a job reaches it: what was measured, for which branch, and what is kept."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from steady.action.artifact_history import FOLDER, ArtifactHistory
from steady.action.log import Log
from steady.action.settings import ActionInputs
from steady.action.task import Task
from steady.action.workspace import Workspace
from steady.errors import InputError
from steady.github import Context
from steady.history import (
    Fingerprint,
    Place,
    Remote,
    Store,
    alike,
    find_baseline,
    load_run,
    open_past,
    open_store,
)
from steady.history.entry import COMMIT
from steady.history.files import FileStore
from steady.history.folder import Folder
from steady.model import Suite

DEFAULT_SERVER = "https://github.com"

_SERVER = re.compile(r"https?://[A-Za-z0-9.:-]+")


@dataclass(frozen=True, slots=True)
class Job:
    """What the history has to know of a job.

    Parameters
    ----------
    commit : str
        Full hash of the commit that the workspace has checked out; else the one that the event
        is about.
    base : str, optional
        Branch that the pull request is for; None where there is none.
    run : str
        GitHub's number of the run, and the attempt.
    remote : Remote
        The repository, reached by the job's token; its address is empty where it is not known.
    folder : Path
        The workspace.
    log : Log
        What the history holds and cannot be used is said there.
    artifact : ArtifactHistory, optional
        The history, where it is in an artifact.
    """

    commit: str
    base: str | None
    run: str
    remote: Remote
    folder: Path
    log: Log
    artifact: ArtifactHistory | None = None

    @property
    def place(self) -> Place:
        """Where addresses are read."""
        return Place(self.folder, self.remote)

    def require_repository(self) -> None:
        """Raise the user's mistake where there is no repository to ask."""
        if not self.remote.url:
            raise InputError(
                "input `history`: which repository is meant is not known, for this is no run of "
                "GitHub's"
            )


def job_of(task: Task) -> Job:
    """Read what GitHub's runner says of this job.

    Raises
    ------
    InputError
        If it does not say which commit was measured.
    """
    environ, inputs = task.environ, task.inputs
    commit = _checked_out(task.workspace.root) or environ.get("GITHUB_SHA", "")
    if not COMMIT.fullmatch(commit):
        raise InputError(
            "which commit was measured is not known: check the repository out into the workspace, "
            "or run on GitHub, which sets GITHUB_SHA"
        )
    base = environ.get("GITHUB_BASE_REF", "")
    artifact = None
    if inputs.history_artifact is not None:
        artifact = ArtifactHistory(
            inputs.history_artifact,
            task.context,
            inputs.token,
            task.connect,
            task.log,
            task.sleep,
        )
    return Job(
        commit,
        f"refs/heads/{base}" if base else None,
        _run(environ),
        _remote(environ, inputs, task.context),
        task.workspace.root,
        task.log,
        artifact,
    )


@contextmanager
def history_of(job: Job, settings: ActionInputs, workspace: Workspace) -> Iterator[Store]:
    """Open the history that input `history` names; a folder is in the workspace.

    What is recorded in an artifact is left in `artifact_history.FOLDER` for the next step.

    Raises
    ------
    InputError
        If it cannot be used.
    """
    with _opened(job, settings, workspace) as store:
        yield store
        for told in store.passed_over:
            job.log.annotate("warning", f"{told}.")


@contextmanager
def _opened(job: Job, settings: ActionInputs, workspace: Workspace) -> Iterator[Store]:
    if job.artifact is not None:
        job.require_repository()
        with _in_artifact(job.artifact, settings, workspace) as store:
            yield store
        return
    url = settings.history or ""
    folder = None if url.startswith("git:") else workspace.folder(url, "history")
    if folder is None:
        job.require_repository()
    with open_store(url if folder is None else str(folder.resolve()), job.place) as store:
        yield store
    if folder is not None and folder.is_dir():
        workspace.hand_over(folder)


@contextmanager
def _in_artifact(
    artifact: ArtifactHistory, settings: ActionInputs, workspace: Workspace
) -> Iterator[Store]:
    if settings.mode == "record":
        folder = workspace.folder(FOLDER, "history")
        artifact.fetch(folder)
        yield _store(folder, FOLDER)
        workspace.hand_over(folder)
        return
    with tempfile.TemporaryDirectory(prefix="steady-history-") as scratch:
        artifact.fetch(Path(scratch))
        yield _store(Path(scratch), str(artifact))


def _store(folder: Path, name: str) -> Store:
    store = FileStore(Folder(folder))
    store.name = name
    return store


@dataclass(frozen=True, slots=True)
class Kept:
    """What the history has to compare with.

    Parameters
    ----------
    suite : Suite
        The baseline's results; without benchmarks where there is none.
    sentence : str
        Which commit it is of, and how far away, or why there is none; plain text.
    earlier : tuple of Suite
        The newest runs on the same surroundings, of commits that the target branch has: they
        tell how much runs differ.
    """

    suite: Suite
    sentence: str
    earlier: tuple[Suite, ...] = ()


def baseline_of(job: Job, head: Suite, settings: ActionInputs, workspace: Workspace) -> Kept:
    """Get the results of the merge base, or of its nearest ancestor that has some.

    Raises
    ------
    SteadyError
        If history or repository cannot be read.
    """
    job.require_repository()
    with (
        open_past(job.commit, job.base, job.place) as past,
        history_of(job, settings, workspace) as store,
    ):
        found = find_baseline(
            store,
            settings.key,
            past.head,
            past.base,
            past.ancestry,
            fingerprint=Fingerprint.of(head),
            require_same=settings.environment == "require-same",
        )
        if found.chosen is None:
            return Kept(Suite(()), found.sentence)
        # The baseline first: looking at the store again may find it rewritten.
        baseline = load_run(store, found.chosen.entry).suite
        earlier = alike(
            store, settings.key, Fingerprint.of(head), among=past.shared(), but=past.head
        )
        return Kept(baseline, found.sentence, earlier)


def earlier_of(
    job: Job, head: Suite, settings: ActionInputs, workspace: Workspace
) -> tuple[Suite, ...]:
    """Get the newest runs on head's surroundings, where base was measured in this job.

    Raises
    ------
    SteadyError
        If history or repository cannot be read.
    """
    job.require_repository()
    with (
        open_past(job.commit, job.base, job.place) as past,
        history_of(job, settings, workspace) as store,
    ):
        return alike(store, settings.key, Fingerprint.of(head), among=past.shared(), but=past.head)


def _checked_out(root: Path) -> str:
    """Return the commit that actions/checkout left without a branch; empty where there is none."""
    try:
        with (root / ".git" / "HEAD").open("rb") as file:
            text = file.read(100).decode("ascii", "replace").strip()
    except OSError:
        return ""
    return text if COMMIT.fullmatch(text) else ""


def _run(environ: Mapping[str, str]) -> str:
    run, attempt = environ.get("GITHUB_RUN_ID", ""), environ.get("GITHUB_RUN_ATTEMPT", "")
    return f"{run}-{attempt}" if run.isdecimal() and attempt.isdecimal() else ""


def _remote(environ: Mapping[str, str], settings: ActionInputs, context: Context) -> Remote:
    server = environ.get("GITHUB_SERVER_URL") or DEFAULT_SERVER
    if context.problem or not context.repository or not _SERVER.fullmatch(server):
        return Remote("")
    return Remote.with_token(f"{server}/{context.repository}.git", server, settings.token, environ)

"""The history as a job reaches it: what was measured, for which branch, and what is kept."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from steady.action.artifact_history import FOLDER, ArtifactHistory
from steady.action.task import Task
from steady.errors import InputError
from steady.history import (
    Fingerprint,
    Past,
    Place,
    Remote,
    Store,
    alike,
    find_baseline,
    load_run,
    open_past,
    open_store,
)
from steady.history.files import FileStore
from steady.history.folder import Folder
from steady.model import Suite
from steady.patterns import COMMIT, SERVER

DEFAULT_SERVER = "https://github.com"


@dataclass(frozen=True, slots=True)
class Job:
    """What the history has to know of a job.

    Parameters
    ----------
    task : Task
        What was asked for. What the history holds and cannot be used is said in its log.
    commit : str
        Full hash of the commit that the workspace has checked out; else the one that the event
        is about.
    base : str, optional
        Branch that the pull request is for; None where there is none.
    run : str
        GitHub's number of the run, and the attempt.
    remote : Remote
        The repository, reached by the job's token; its address is empty where it is not known.
    artifact : ArtifactHistory, optional
        The history, where it is in an artifact.
    """

    task: Task
    commit: str
    base: str | None
    run: str
    remote: Remote
    artifact: ArtifactHistory | None = None

    @property
    def place(self) -> Place:
        """Where addresses are read."""
        return Place(self.task.workspace.root, self.remote)

    def require_repository(self) -> None:
        """Raise the user's mistake where there is no repository to ask."""
        if not self.remote.url:
            raise InputError(
                "input `history`: the repository is not known, because this is not a run of "
                "GitHub Actions"
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
        artifact = ArtifactHistory(inputs.history_artifact, task)
    return Job(
        task,
        commit,
        f"refs/heads/{base}" if base else None,
        _run(environ),
        _remote(task),
        artifact,
    )


@contextmanager
def history_of(job: Job) -> Iterator[Store]:
    """Open the history that input `history` names; a folder is in the workspace.

    What is recorded in an artifact is left in `artifact_history.FOLDER` for the next step.

    Raises
    ------
    InputError
        If it cannot be used.
    """
    with _opened(job) as store:
        yield store
        for problem in store.passed_over:
            job.task.log.annotate("warning", f"{problem}.")


@contextmanager
def _opened(job: Job) -> Iterator[Store]:
    if job.artifact is not None:
        job.require_repository()
        with _in_artifact(job.artifact) as store:
            yield store
        return
    workspace, url = job.task.workspace, job.task.inputs.history or ""
    folder = None if url.startswith("git:") else workspace.folder(url, "history")
    if folder is None:
        job.require_repository()
    with open_store(url if folder is None else str(folder.resolve()), job.place) as store:
        yield store
    if folder is not None and folder.is_dir():
        workspace.hand_over(folder)


@contextmanager
def _in_artifact(artifact: ArtifactHistory) -> Iterator[Store]:
    task = artifact.task
    if task.inputs.mode == "record":
        folder = task.workspace.folder(FOLDER, "history")
        artifact.fetch(folder)
        yield _store(folder, FOLDER)
        task.workspace.hand_over(folder)
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


def baseline_of(job: Job, head: Suite) -> Kept:
    """Get the results of the merge base, or of its nearest ancestor that has some.

    Raises
    ------
    SteadyError
        If history or repository cannot be read.
    """
    inputs, here = job.task.inputs, Fingerprint.of(head)
    with _past_of(job) as (past, store):
        baseline = find_baseline(
            store,
            inputs.key,
            past.head,
            past.base,
            past.ancestry,
            fingerprint=here,
            require_same=inputs.environment == "require-same",
        )
        if baseline.chosen is None:
            return Kept(Suite(()), baseline.sentence)
        # The baseline first: looking at the store again may find it rewritten.
        suite = load_run(store, baseline.chosen.entry).suite
        earlier = alike(store, inputs.key, here, among=past.shared(), but=past.head)
        return Kept(suite, baseline.sentence, earlier)


def earlier_of(job: Job, head: Suite) -> tuple[Suite, ...]:
    """Get the newest runs on head's surroundings, where base was measured in this job.

    Raises
    ------
    SteadyError
        If history or repository cannot be read.
    """
    with _past_of(job) as (past, store):
        key, here = job.task.inputs.key, Fingerprint.of(head)
        return alike(store, key, here, among=past.shared(), but=past.head)


@contextmanager
def _past_of(job: Job) -> Iterator[tuple[Past, Store]]:
    """Open what came before the job's commit, and the history."""
    job.require_repository()
    with open_past(job.commit, job.base, job.place) as past, history_of(job) as store:
        yield past, store


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


def _remote(task: Task) -> Remote:
    environ, context = task.environ, task.context
    server = environ.get("GITHUB_SERVER_URL") or DEFAULT_SERVER
    if context.problem or not context.repository or not SERVER.fullmatch(server):
        return Remote("")
    url = f"{server}/{context.repository}.git"
    return Remote.with_token(url, server, task.inputs.token, environ)

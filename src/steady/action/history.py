"""The history as a job reaches it: what was measured, for which branch, and what is kept.

A history in an artifact is fetched into a folder, and uploaded again by the next step: a container
can read artifacts and not upload them. For that, GitHub's runner gives a token to its own actions
alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn, TypeVar

from github import Github

from steady import door, history
from steady.action.committing import EVENTS
from steady.action.task import Task
from steady.errors import InputError, SteadyError
from steady.files import write_bytes
from steady.github.archive import Limits, WantedNames, read_named
from steady.github.artifacts import Home, download, find_left, read_home
from steady.history.entry import is_of_history
from steady.model import Suite
from steady.patterns import COMMIT, SERVER
from steady.readers.fields import quoted

DEFAULT_SERVER = "https://github.com"

FOLDER = "steady-history"
"""Where the next step finds it. `actions/upload-artifact` passes over what begins with a dot."""

LIMITS = Limits(archive=192 * 2**20, entry=128 * 2**20, total=192 * 2**20)
"""Retention keeps 50 MiB, but never drops the newest run of a suite."""

MOST_FILES = 20_000

_NAMES = WantedNames(
    is_of_history, MOST_FILES, "entries/xx/….json and objects/xx/….gz of a history"
)

T = TypeVar("T")


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
        history.UnreadableError
            If GitHub refuses or does not answer.
        """
        _check_folder(folder)
        task = self.task
        home, repository = self._home(), task.context.repository
        left = self._ask(lambda client: find_left(client, repository, home, self.name, EVENTS))
        if left is None:
            task.log.say(f"history: branch {home.branch} has no {self} yet")
            return
        artifact, run = left
        token, api_url = task.inputs.token, task.context.api_url
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
            raise history.UnreadableError(f"the history in {self} cannot be read: {reason}")

        # A fork's token can read.
        task = replace(self.task, context=replace(self.task.context, fork=False))
        try:
            return task.ask_github(
                question, cannot, permission="actions: read", what="artifacts", missing="artifacts"
            )
        except SteadyError as error:
            raise history.UnreadableError(str(error)) from None


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
    place : history.Place
        Where addresses are read: the workspace, and the repository, reached by the job's token;
        its address is empty where it is not known.
    artifact : ArtifactHistory, optional
        The history, where it is in an artifact.
    """

    task: Task
    commit: str
    base: str | None
    run: str
    place: history.Place
    artifact: ArtifactHistory | None = None

    def require_repository(self) -> None:
        """Raise InputError if the repository is not known."""
        if not (isinstance(remote := self.place.remote, str) or remote.url):
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
    branch, name = environ.get("GITHUB_BASE_REF"), inputs.history_artifact
    base = f"refs/heads/{branch}" if branch else None
    artifact = None if name is None else ArtifactHistory(name, task)
    place = history.Place(task.workspace.root, _remote(task))
    return Job(task, commit, base, _run(environ), place, artifact)


@contextmanager
def history_of(job: Job) -> Iterator[history.Store]:
    """Open the history that input `history` names; a folder is in the workspace.

    What is recorded in an artifact is left in `FOLDER` for the next step.

    Raises
    ------
    InputError
        If it cannot be used.
    """
    task, workspace, artifact = job.task, job.task.workspace, job.artifact
    url = task.inputs.history or ""
    with tempfile.TemporaryDirectory(prefix="steady-history-") as scratch:
        kept, name = None, None
        if artifact is not None:
            job.require_repository()
            recording = task.inputs.mode == "record"
            kept = workspace.folder(FOLDER, "history") if recording else None
            name = FOLDER if recording else str(artifact)
            artifact.fetch(kept or Path(scratch))
            url = str((kept or Path(scratch)).resolve())
        elif url.startswith("git:"):
            job.require_repository()
        else:
            kept = workspace.folder(url, "history")
            url = str(kept.resolve())
        with door.also_in(Path(scratch)), history.open_store(url, job.place) as store:
            store.name = name or store.name
            yield store
        if kept is not None and kept.is_dir():
            workspace.hand_over(kept)
    for problem in store.passed_over:
        task.log.annotate("warning", f"{problem}.")


@dataclass(frozen=True, slots=True)
class Kept:
    """What the history has to compare with.

    Parameters
    ----------
    suite : Suite
        The baseline's results; without benchmarks where there is none.
    sentence : str
        Which commit it is of, and how far away, or why there is none; plain text. Empty where the
        job measured base itself.
    earlier : tuple of Suite
        The newest runs on the same surroundings, of commits that the target branch has: they
        tell how much runs differ.
    commit : str
        Full hash of the baseline's commit; empty where there is no baseline.
    """

    suite: Suite = field(default_factory=lambda: Suite(()))
    sentence: str = ""
    earlier: tuple[Suite, ...] = ()
    commit: str = ""


def kept_for(job: Job, head: Suite) -> Kept:
    """Get what the history has to compare head with.

    Where the job did not measure base itself, that is also the results of the merge base, or of
    its nearest ancestor that has some.

    Raises
    ------
    SteadyError
        If history or repository cannot be read.
    """
    inputs, here, kept = job.task.inputs, history.Fingerprint.of(head), Kept()
    job.require_repository()
    with history.open_past(job.commit, job.base, job.place) as past, history_of(job) as store:
        if not inputs.base:
            same = inputs.environment == "require-same"
            baseline = history.find_baseline(
                store, inputs.key, past, fingerprint=here, require_same=same
            )
            if baseline.chosen is None:
                return Kept(sentence=baseline.sentence)
            # The baseline first: looking at the store again may find it rewritten.
            entry = baseline.chosen.entry
            kept = Kept(history.load_run(store, entry), baseline.sentence, commit=entry.commit)
        earlier = history.alike(store, inputs.key, here, among=past.shared(), but=past.head)
        return replace(kept, earlier=earlier)


def _checked_out(root: Path) -> str:
    """Return the commit that actions/checkout left without a branch; empty where there is none."""
    try:
        text = door.content(root / ".git" / "HEAD", 100).decode("ascii", "replace").strip()
    except OSError:
        return ""
    return text if COMMIT.fullmatch(text) else ""


def _run(environ: Mapping[str, str]) -> str:
    run, attempt = environ.get("GITHUB_RUN_ID", ""), environ.get("GITHUB_RUN_ATTEMPT", "")
    return f"{run}-{attempt}" if run.isdecimal() and attempt.isdecimal() else ""


def _remote(task: Task) -> history.Remote:
    environ, context = task.environ, task.context
    server = environ.get("GITHUB_SERVER_URL") or DEFAULT_SERVER
    if context.problem or not context.repository or not SERVER.fullmatch(server):
        return history.Remote("")
    url = f"{server}/{context.repository}.git"
    return history.Remote.with_token(url, server, task.inputs.token, environ)


def _check_folder(folder: Path) -> None:
    """Refuse a folder that holds anything but a history: all of it would be uploaded."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_dir() or is_of_history(name)):
            raise InputError(
                f"holds {quoted(name)}, which is not a file of a history; delete that folder first",
                source=folder,
            )

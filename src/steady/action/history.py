"""The history as a job reaches it: what was measured, for which branch, and what is kept."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from steady import history, safe_open
from steady.action.task import Task
from steady.errors import InputError
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
    place : history.Place
        Where addresses are read: the workspace, and the repository, reached by the job's token;
        its address is empty where it is not known.
    """

    task: Task
    commit: str
    base: str | None
    run: str
    place: history.Place

    def require_repository(self) -> None:
        """Raise InputError if the repository is not known."""
        if not (isinstance(remote := self.place.remote, str) or remote.url):
            raise InputError(
                "input `history`: the repository is unknown, because this is not a GitHub "
                "Actions run"
            )


def job_of(task: Task) -> Job:
    """Read what GitHub's runner says of this job.

    Raises
    ------
    InputError
        If it does not say which commit was measured.
    """
    environ = task.environ
    commit = _checked_out(task.workspace.root) or environ.get("GITHUB_SHA", "")
    if not COMMIT.fullmatch(commit):
        raise InputError(
            "the measured commit is unknown: check the repository out into the workspace, or "
            "run on GitHub, which sets GITHUB_SHA"
        )
    branch = environ.get("GITHUB_BASE_REF")
    base = f"refs/heads/{branch}" if branch else None
    place = history.Place(task.workspace.root, _remote(task))
    return Job(task, commit, base, _run(environ), place)


@contextmanager
def history_of(job: Job) -> Iterator[history.Store]:
    """Open the history that input `history` names; a folder is in the workspace.

    Raises
    ------
    InputError
        If it cannot be used.
    """
    task, kept = job.task, None
    url = task.inputs.history or ""
    if url.startswith("git:"):
        job.require_repository()
    else:
        kept = task.workspace.folder(url, "history")
        url = str(kept.resolve())
    with history.open_store(url, job.place) as store:
        yield store
    if kept is not None and kept.is_dir():
        task.workspace.hand_over(kept)
    for problem in store.skipped:
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


def kept_for(job: Job, here: history.Fingerprint) -> Kept:
    """Get what the history has to compare head with, which was measured on surroundings `here`.

    Where the job did not measure base itself, that is also the results of the merge base, or of
    its nearest ancestor that has some.

    Raises
    ------
    SteadyError
        If history or repository cannot be read.
    """
    inputs, kept = job.task.inputs, Kept()
    job.require_repository()
    with history.open_ancestry(job.commit, job.base, job.place) as past, history_of(job) as store:
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
        earlier = history.runs_in_same_environment(
            store, inputs.key, here, among=past.shared(), exclude=past.head
        )
        return replace(kept, earlier=earlier)


def _checked_out(root: Path) -> str:
    """Return the commit that actions/checkout left without a branch; empty where there is none."""
    try:
        text = (
            safe_open.read_untrusted(root / ".git" / "HEAD", 100).decode("ascii", "replace").strip()
        )
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

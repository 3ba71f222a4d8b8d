"""The history of results in a job: mode ``record``, and the baseline of a comparison."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from steady import history, safe_open
from steady.action.outcome import ModeResult
from steady.action.runner import Log
from steady.action.task import Task, find_plan
from steady.errors import InputError
from steady.github import Context
from steady.github.context import PUSH, SCHEDULE, WORKFLOW_RUN
from steady.model import Suite
from steady.patterns import COMMIT, SERVER
from steady.readers import load
from steady.report.ci import Severity
from steady.text.numbers import count

DEFAULT_SERVER = "https://github.com"


@dataclass(frozen=True, slots=True)
class Job:
    """The properties of a job that the history needs.

    Parameters
    ----------
    task : Task
        Task of the job. Unusable files of the history are reported in its log.
    commit : str
        Full hash of the checked-out commit, or else of the event's commit.
    base : str, optional
        Target branch of the pull request; None if there is no pull request.
    run : str
        Run id and attempt.
    place : history.Place
        Workspace and repository in which addresses are resolved, with the job's token. The
        repository's address is empty if unknown.
    """

    task: Task
    commit: str
    base: str | None
    run: str
    place: history.Place

    def require_repository(self) -> None:
        """Raise InputError if the repository is unknown."""
        if not (isinstance(remote := self.place.remote, str) or remote.url):
            raise InputError(
                "input `history`: the repository is unknown, because this is not a GitHub "
                "Actions run"
            )


def job_of(task: Task) -> Job:
    """Return the job's data from the environment of GitHub's runner.

    Raises
    ------
    InputError
        If the measured commit is unknown.
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
def open_history(job: Job) -> Iterator[history.Store]:
    """Open the history given by input `history`; a folder must be in the workspace.

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
class HistoryData:
    """The baseline and historical data from the history.

    Parameters
    ----------
    suite : Suite
        Results of the baseline; without benchmarks if there is none.
    sentence : str
        Commit and distance of the baseline, or the reason why there is none, as plain text. Empty
        if the job measured base itself.
    earlier : tuple of Suite
        The newest runs in the same environment, for commits of the target branch, from which the
        variation between runs is estimated.
    commit : str
        Full hash of the baseline's commit; empty if there is no baseline.
    """

    suite: Suite = field(default_factory=lambda: Suite(()))
    sentence: str = ""
    earlier: tuple[Suite, ...] = ()
    commit: str = ""


def history_data(job: Job, here: history.Fingerprint) -> HistoryData:
    """Return the baseline and earlier runs for head, which was measured in environment `here`.

    If the job did not measure base itself, the baseline is the results of the merge base, or of its
    nearest ancestor with results.

    Raises
    ------
    SteadyError
        If history or repository cannot be read.
    """
    inputs, kept = job.task.inputs, HistoryData()
    job.require_repository()
    with history.open_ancestry(job.commit, job.base, job.place) as past, open_history(job) as store:
        if not inputs.base:
            same = inputs.environment == "require-same"
            baseline = history.find_baseline(
                store, inputs.key, past, fingerprint=here, require_same=same
            )
            if baseline.chosen is None:
                return HistoryData(sentence=baseline.sentence)
            # Read the baseline first, because the store can be rewritten in the meantime.
            entry = baseline.chosen.entry
            kept = HistoryData(
                history.load_run(store, entry), baseline.sentence, commit=entry.commit
            )
        earlier = history.runs_in_same_environment(
            store, inputs.key, here, among=past.shared(), exclude=past.head
        )
        return replace(kept, earlier=earlier)


def _checked_out(root: Path) -> str:
    """Return the detached commit from actions/checkout; empty if there is none."""
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


_ASK = "if this job cannot have run untrusted code, set `record-on: anything`"


def record_mode(task: Task) -> ModeResult:
    """Store the results, unless their commit may be untrusted.

    Parameters
    ----------
    task : Task
        Task of the job, with the commit of the results.

    Returns
    -------
    ModeResult
        Result without a comment.

    Raises
    ------
    SteadyError
        If a path does not exist or lies outside the workspace, a file is invalid, or the history
        cannot be written.
    """
    inputs, workspace, context, log = task.inputs, task.workspace, task.context, task.log
    if context.event == WORKFLOW_RUN:
        raise InputError(
            f"mode `record` cannot determine the measured commit in a job on `{WORKFLOW_RUN}`; "
            "record in the measuring workflow"
        )
    files = workspace.files(inputs.results, "results")
    if context.fork:
        return _nothing("the pull request comes from a fork", log)
    _, plan = find_plan(task)
    suite = load([str(file) for file in files])
    log.say(f"results: {count(len(suite), 'benchmark')} from {', '.join(map(str, files))}")
    job = job_of(task)
    if inputs.record_on == "default-branch":
        if context.problem:
            job.require_repository()
        if reason := _why_not_recorded(context, job.commit):
            return _nothing(f"{reason}; {_ASK}", log, "warning")
    with open_history(job) as store:
        update = history.record(store, inputs.key, job.commit, suite, run=job.run, plan=plan)
        headline = _headline(update, inputs.key, job.commit, store.name)
    return ModeResult(headline, {}, f"{headline}\n")


def _why_not_recorded(context: Context, commit: str) -> str:
    """Return why these results need ``record-on: anything``; empty if they do not.

    Recorded results determine the estimated variation between runs, and so later verdicts. A job
    triggered by a comment, a merge queue or manually can have measured untrusted code.
    """
    if context.event not in (PUSH, SCHEDULE):
        return f"the event `{context.event or 'unknown'}` may belong to a pull request"
    if not context.branch or context.branch != context.default_branch:
        here = f"`{context.branch}`" if context.branch else "no branch"
        home = f"`{context.default_branch}`" if context.default_branch else "not known"
        return f"this run is on {here}, and the default branch is {home}"
    if commit != context.head:
        return (
            f"commit {commit[:12]} is checked out, but the event belongs to commit "
            f"{context.head[:12] or 'unknown'}"
        )
    return ""


def _nothing(reason: str, log: Log, level: Severity = "notice") -> ModeResult:
    log.annotate(level, f"Nothing is recorded: {reason}.")
    return ModeResult("nothing recorded", {}, "")


def _headline(update: history.Update, key: str, commit: str, name: str) -> str:
    if update.added is None:
        return f"this run of suite {key} is already in {name}"
    dropped = f"; {len(update.dropped)} old runs removed" if update.dropped else ""
    return f"recorded suite {key} at commit {commit} in {name}{dropped}"

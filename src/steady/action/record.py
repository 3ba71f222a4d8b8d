"""Mode ``record``: store the results of this commit as a baseline for later ones."""

from steady.action.history import history_of, job_of
from steady.action.outcome import ModeResult
from steady.action.runner import Log
from steady.action.task import Task, find_plan
from steady.errors import InputError
from steady.github import Context
from steady.github.context import PUSH, SCHEDULE, WORKFLOW_RUN
from steady.history import Update, record
from steady.readers import load
from steady.report.ci import Severity
from steady.text.numbers import count

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
        if reason := _reason_to_require_request(context, job.commit):
            return _nothing(f"{reason}; {_ASK}", log, "warning")
    with history_of(job) as store:
        update = record(store, inputs.key, job.commit, suite, run=job.run, plan=plan)
        headline = _headline(update, inputs.key, job.commit, store.name)
    return ModeResult(headline, {}, f"{headline}\n")


def _reason_to_require_request(context: Context, commit: str) -> str:
    """Return why these results are recorded only on request; empty if they always are.

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


def _headline(update: Update, key: str, commit: str, name: str) -> str:
    if update.added is None:
        return f"this run of suite {key} is already in {name}"
    dropped = f"; {len(update.dropped)} old runs removed" if update.dropped else ""
    return f"recorded suite {key} at commit {commit} in {name}{dropped}"

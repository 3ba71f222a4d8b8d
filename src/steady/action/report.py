"""Mode ``report``: report another workflow's measurements, from a job with write permissions.

The measuring run executed untrusted code, so none of its output is trusted. This job asks GitHub
which pull request the run belongs to, reads the plan from its own workspace, and computes the
verdict itself. The output of the run is read by `steady.action.measured_elsewhere`, in a sandboxed
process.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

from github import Github

from steady.action.confined import Ask
from steady.action.inputs import ActionInputs
from steady.action.measured_elsewhere import source_note, suites_of
from steady.action.outcome import ModeResult
from steady.action.suite_report import SuiteReport, plain_result
from steady.action.task import Task, find_plan, find_settings, handlers
from steady.engine.narrowing import narrowed
from steady.errors import InputError, SteadyError
from steady.github import Context
from steady.github.artifacts import LIMITS, download, find_artifact
from steady.github.context import WORKFLOW_RUN
from steady.github.workflow_runs import Run, pull_request_of, read_run
from steady.report.comment import marker
from steady.text.escape import plain

_NOTHING_MEASURED = {
    "": "run {run} was restarted, and will be reported when it finishes",
    "skipped": "run {run} was skipped, so it has no measurements",
    "action_required": "run {run} is waiting for a maintainer's approval",
}


def report_mode(task: Task) -> ModeResult:
    """Compare the measurements of the run that has just finished.

    Parameters
    ----------
    task : Task
        Task of the job, with its event.

    Returns
    -------
    ModeResult
        Result with its pull request, or the reason why nothing is posted.

    Raises
    ------
    SteadyError
        If inputs, event or plan are invalid, or GitHub does not respond.
    """
    inputs, context, log = task.inputs, task.context, task.log
    number = _finished_run(context)
    if not inputs.token:
        raise InputError(
            "mode `report` needs a token, but `token` is empty: remove the input "
            "to use the default, or set it"
        )
    task.workspace.folder(inputs.out, "out")
    path, plan = find_plan(task)
    settings = find_settings(task)

    def cannot(reason: str) -> NoReturn:
        raise SteadyError(f"run {number} cannot be reported: {reason}")

    name, repository = f"run {number}", context.repository
    left = {"permission": "actions: read", "what": f"the artifacts of {name}", "missing": name}
    listed = {"what": "to pull requests", "missing": "pull requests"}
    run = task.ask_github(lambda client: read_run(client, repository, number), cannot, **left)
    if obstacle := _obstacle(run, inputs):
        return _nothing(inputs, obstacle)
    match = task.ask_github(
        lambda client: pull_request_of(client, repository, run), cannot, **listed
    )
    if match.number is None and not match.candidates:
        return _nothing(inputs, match.obstacle)
    first, *others = match.candidates or (match.number,)
    here = replace(context, pull_request=first, head=run.head)
    task = replace(task, context=here)
    report = SuiteReport.of(task, path, plan, settings)
    note = _note(context, run)
    if match.candidates:
        result = report.not_compared(match.obstacle, note)
        return replace(result, context=here, also=tuple(others))
    log.say(f"run {number} measured commit {run.head} of pull request {first}")
    try:
        archive = task.ask_github(lambda client: _archive(client, task, run), cannot, **left)
        work = partial(_compare, archive=archive, report=report, note=note, base=match.base)
        result = report.confined(task, work, handlers(task, path))
    except InputError as error:
        result = report.not_compared(str(error), note)
    return replace(result, context=here)


def _compare(
    ask: Ask, *, archive: bytes, report: SuiteReport, note: str, base: str
) -> Mapping[str, Any]:
    """Read, compare and render.

    Requests that need the job's permissions are sent to the parent process.
    """
    suites = suites_of(archive, f"artifact `{report.inputs.artifact}`")
    sides = zip(("base", "head"), suites, strict=True)
    log = [f"{side}: {len(s)} benchmarks, {len(s.failures)} failures" for side, s in sides]
    asked = narrowed(report.inputs.only, *suites, report.plan, log.append, believed=False)
    result = report.compared(asked, ask, note=note, base_commit=base)
    return plain_result(result, log)


def _finished_run(context: Context) -> int:
    if context.problem:
        raise InputError(context.problem)
    if context.finished_run is None:
        raise InputError(
            f"mode `report` requires a workflow on `{WORKFLOW_RUN}`, but this one runs on "
            f"`{context.event}`"
        )
    return context.finished_run


def _obstacle(run: Run, inputs: ActionInputs) -> str:
    """Return why there is nothing to report, or an empty string.

    Raises
    ------
    InputError
        If the run belongs to a different workflow.
    """
    expected = f".github/workflows/{inputs.workflow}"
    if run.workflow != expected:
        raise InputError(
            f"run {run.number} belongs to workflow {run.workflow!r}, not to {expected!r}: set "
            "input `workflow` and `on: workflow_run` to the measuring workflow"
        )
    if run.event != "pull_request":
        return f"run {run.number} was triggered by `{run.event}`, not by a pull request"
    return _NOTHING_MEASURED.get(run.conclusion, "").format(run=run.number)


def _archive(client: Github, task: Task, run: Run) -> bytes:
    """Return the artifact's archive.

    Raises
    ------
    InputError
        If the run uploaded no artifact, or an unusable one.
    """
    if run.conclusion != "success":
        raise InputError(f"the measuring run ended with `{run.conclusion}`; see its log")
    context, inputs = task.context, task.inputs
    artifact = find_artifact(client, context.repository, run, inputs.artifact)
    if artifact is None:
        raise InputError(f"the measuring run uploaded no artifact `{inputs.artifact}`")
    return download(artifact, context.repository, inputs.token, context.api_url, LIMITS.archive)


def _nothing(inputs: ActionInputs, reason: str) -> ModeResult:
    headline, summary = f"nothing to report: {reason}", f"**Nothing to report:** {plain(reason)}.\n"
    return ModeResult(headline, {}, summary, marker(inputs.key), no_comment=reason)


def _note(context: Context, run: Run) -> str:
    """Return the source of the results, as Markdown."""
    name = f"run {run.number}"
    if context.run_url:
        name = f"[{name}]({context.run_url.rpartition('/')[0]}/{run.number})"
    return source_note(name)

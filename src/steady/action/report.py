"""Mode ``report``: what another workflow's run measured, judged and told by a job with rights.

The run that measured ran a stranger's code, so that nothing it left is believed: not which pull
request it belongs to, which GitHub is asked; not what was to be run, which the plan of this
workspace says; and no verdict, which is made here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import date
from functools import partial
from typing import Any, TypeVar

from github import Github

from steady.action.compare import Judged, check_name, judged, outcome_of, title_of
from steady.action.confined import Ask, Confine, in_a_child
from steady.action.delivery import Connect
from steady.action.log import Log
from steady.action.measured import suites_of
from steady.action.outcome import ModeResult
from steady.action.planned import Planned, find_plan
from steady.action.said import Said, find_said
from steady.action.settings import ActionInputs
from steady.action.sticky import sticky
from steady.action.workspace import Workspace
from steady.errors import InputError, SteadyError
from steady.files import write_text
from steady.github import Context, explain
from steady.github.archive import LIMITS
from steady.github.artifacts import download, find_artifact
from steady.github.checks import Check
from steady.github.context import WORKFLOW_RUN
from steady.github.origin import Match, Run, pull_request_of, read_run
from steady.report.escape import plain
from steady.report.markdown import marker
from steady.report.wording import HEADLINES

_NOTHING_MEASURED = {
    "": "run {run} has been started again, and reports when it ends",
    "skipped": "run {run} was skipped, so that nothing was to be measured",
    "action_required": "run {run} waits until a maintainer approves it",
}

T = TypeVar("T")


def report_mode(
    settings: ActionInputs,
    workspace: Workspace,
    context: Context,
    log: Log,
    *,
    connect: Connect,
    today: date,
    sleep: Callable[[float], None] = time.sleep,
    confine: Confine = in_a_child,
) -> ModeResult:
    """Compare what the run that has just ended measured.

    Parameters
    ----------
    settings, workspace, context, log
        As in `steady.action.compare.compare_mode`.
    connect, today, sleep
        The effects.
    confine : callable
        Does what touches a stranger's data, within limits; see `steady.action.confined`.

    Returns
    -------
    ModeResult
        With the pull request it belongs to, or why nothing is posted.

    Raises
    ------
    SteadyError
        If settings, event or plan cannot be used, or GitHub does not answer.
    """
    number = _finished_run(context)
    if not settings.token:
        raise InputError("mode `report` needs a token: leave `token` out, or give one")
    workspace.folder(settings.out, "out")
    plan = find_plan(settings, workspace, context, log, connect)
    said = find_said(settings, workspace, log, connect=connect, today=today)
    client = connect(settings.token, context.api_url)
    ask = _Asking(context, number)

    run = ask(lambda: read_run(client, context.repository, number))
    obstacle = _obstacle(run, settings)
    if not obstacle:
        match = ask.for_pull_requests(lambda: pull_request_of(client, context.repository, run))
        obstacle = match.obstacle
        if match.rivals:
            return _ambiguous(settings, workspace, context, plan, run, match)
    if obstacle:
        return _nothing(settings, workspace, obstacle)
    here = replace(context, pull_request=match.number, head=run.head)
    log.say(f"run {number} measured commit {run.head} of pull request {match.number}")
    note = _note(context, run)
    try:
        archive = ask(lambda: _archive(client, settings, context, run, sleep))
        work = partial(
            _judge,
            archive=archive,
            planned=replace(plan, committed=_nobody),
            said=replace(said, accepts=_nobody),
            settings=replace(settings, token=""),
            workspace=workspace,
            context=here,
            note=note,
        )
        found = confine(work, {"accepts": lambda: said.accepts(here), "planned on": plan.committed})
        for line in found["log"]:
            log.say(line)
        outcome = outcome_of(Judged.of(found["judged"]), plan, settings, workspace, here)
    except InputError as error:
        outcome = _unmeasured(settings, workspace, here, plan, str(error), note)
    return replace(outcome, context=here)


def _nobody(*_: object) -> Any:
    """Stand for what only the job itself may ask."""
    raise RuntimeError("the process without rights asked GitHub")


def _judge(
    ask: Ask,
    *,
    archive: bytes,
    planned: Planned,
    said: Said,
    settings: ActionInputs,
    workspace: Workspace,
    context: Context,
    note: str,
) -> dict[str, Any]:
    """Read, compare and render, and ask for what only the job itself may find out."""
    base, head = suites_of(archive, f"artifact `{settings.artifact}`")
    told = judged(
        base,
        head,
        replace(planned, committed=lambda: ask("planned on")),
        replace(said, accepts=lambda _: ask("accepts")),
        settings,
        workspace,
        context,
        note=note,
    )
    sides = (("base", base), ("head", head))
    log = [f"{side}: {len(s)} benchmarks, {len(s.failures)} failures" for side, s in sides]
    return {"log": log, "judged": asdict(told)}


def _finished_run(context: Context) -> int:
    if context.problem:
        raise InputError(context.problem)
    if context.finished_run is None:
        raise InputError(
            f"mode `report` belongs into a workflow on `{WORKFLOW_RUN}`, and this one runs on "
            f"`{context.event}`"
        )
    return context.finished_run


def _obstacle(run: Run, settings: ActionInputs) -> str:
    """Say why there is nothing to report; empty: there is something.

    Raises
    ------
    InputError
        If the run is of another workflow.
    """
    expected = f".github/workflows/{settings.workflow}"
    if run.workflow != expected:
        raise InputError(
            f"run {run.number} is one of {run.workflow!r}, not of {expected!r}: name the workflow "
            "that measures in input `workflow` and under `on: workflow_run`"
        )
    if run.event != "pull_request":
        return f"run {run.number} was started by `{run.event}`, not by a pull request"
    return _NOTHING_MEASURED.get(run.conclusion, "").format(run=run.number)


def _archive(
    client: Github,
    settings: ActionInputs,
    context: Context,
    run: Run,
    sleep: Callable[[float], None],
) -> bytes:
    """Return the artifact's archive.

    Raises
    ------
    InputError
        If the run left none, or none to be used.
    """
    if run.conclusion != "success":
        raise InputError(f"the run that measures ended with `{run.conclusion}`; its log says why")
    artifact = find_artifact(client, context.repository, run, settings.artifact)
    if artifact is None:
        raise InputError(f"the run that measures left no artifact `{settings.artifact}`")
    return download(
        artifact,
        context.repository,
        settings.token,
        context.api_url,
        LIMITS.archive,
        sleep=sleep,
    )


class _Asking:
    """Asks GitHub, and says in one sentence what went wrong."""

    def __init__(self, context: Context, number: int) -> None:
        self._context = context
        self._run = f"run {number}"

    def __call__(self, question: Callable[[], T]) -> T:
        what = f"what {self._run} left"
        return self._ask(question, "actions: read", what, self._run)

    def for_pull_requests(self, question: Callable[[], T]) -> T:
        return self._ask(question, "pull-requests: write", "to pull requests", "pull requests")

    def _ask(self, question: Callable[[], T], permission: str, what: str, missing: str) -> T:
        try:
            return question()
        except SteadyError:
            raise
        except Exception as error:
            # Whatever the API answers, a proxy's page included.
            told = explain(error, self._context, permission=permission, what=what, missing=missing)
            raise SteadyError(f"{self._run} cannot be reported: {told}") from None


def _nothing(settings: ActionInputs, workspace: Workspace, reason: str) -> ModeResult:
    found = marker(settings.key)
    return ModeResult(
        headline=f"nothing to report: {reason}",
        outputs={},
        summary=f"**Nothing to report:** {plain(reason)}.\n",
        marker=found,
        comment=sticky(found, plain(reason)),
        comment_file=workspace.folder(settings.out, "out") / "comment.md",
        no_comment=reason,
    )


def _ambiguous(
    settings: ActionInputs,
    workspace: Workspace,
    context: Context,
    planned: Planned,
    run: Run,
    match: Match,
) -> ModeResult:
    """Return the outcome where several pull requests may be meant: incomplete on each of them."""
    first, *others = match.rivals
    here = replace(context, pull_request=first, head=run.head)
    note = _note(context, run)
    outcome = _unmeasured(settings, workspace, here, planned, match.obstacle, note)
    return replace(outcome, context=here, also=tuple(others))


def _unmeasured(
    settings: ActionInputs,
    workspace: Workspace,
    context: Context,
    planned: Planned,
    reason: str,
    note: str,
) -> ModeResult:
    """Return the outcome of a run that left nothing to compare: incomplete, never green."""
    out = workspace.folder(settings.out, "out")
    text = (
        f"### {plain(title_of(settings))}: {HEADLINES['incomplete']}\n\n"
        f"**Nothing was compared:** {plain(reason, limit=1000)}.\n\n"
        f"> [!WARNING]\n> No result is no good result.\n\n{note}\n"
    )
    found = marker(settings.key)
    written = write_text(out / "comment.md", f"{found}\n{text}")
    workspace.hand_over(out)
    expected = 0 if planned.plan is None else len(planned.plan)
    failures = ("incomplete",) if "incomplete" in settings.fail_on else ()
    check = Check(
        check_name(settings), "failure" if failures else "neutral", HEADLINES["incomplete"], text
    )
    return ModeResult(
        headline=f"verdict: incomplete ({reason})",
        outputs={
            "verdict": "incomplete",
            **dict.fromkeys(
                ("regressions", "improvements", "unchanged", "unclear", "acknowledged"), "0"
            ),
            "missing": str(expected),
            "plan": "" if planned.path is None else workspace.relative(planned.path),
            "seconds-saved": "",
            "report": "",
        },
        summary=text,
        marker=found,
        comment=sticky(
            found,
            text,
            verdict="incomplete",
            commit=context.head,
            when=settings.comment,
            when_resolved=settings.when_resolved,
        ),
        comment_file=written,
        failures=failures,
        check=check if settings.check else None,
    )


def _note(context: Context, run: Run) -> str:
    """Say whose numbers these are, as Markdown."""
    name = f"run {run.number}"
    if context.run_url:
        name = f"[{name}]({context.run_url.rpartition('/')[0]}/{run.number})"
    return (
        f"<sub>Measured by {name}, which runs the pull request's own code and can say anything; "
        "compared by a job that runs none of it.</sub>"
    )

"""What the workspace and GitHub tell beside the results: the plan, its age, settings, acceptances.

The verdict stands without an answer of GitHub, and then the job's log says why there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from github import Github

from steady.action.inputs import DEFAULT_PLAN
from steady.action.task import Task
from steady.github.accepts import Accepts, find_accepts
from steady.optimize import Plan, read_plan
from steady.settings import DEFAULT_SETTINGS, RepoSettings, read_settings

ACCEPTS, PLANNED_ON = "accepts", "planned on"
"""The questions."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan and where it stands; both None where there is none.

    Parameters
    ----------
    path : Path, optional
        Its file.
    plan : Plan, optional
        What it says.
    """

    path: Path | None = None
    plan: Plan | None = None


def find_plan(task: Task) -> Planned:
    """Read the plan.

    Raises
    ------
    InputError
        If there is none where the workflow says, or it cannot be used.
    """
    name = task.inputs.plan
    if name is None and not task.workspace.has(DEFAULT_PLAN):
        return Planned()
    path = task.workspace.file(name or DEFAULT_PLAN, "plan")
    return Planned(path, read_plan(path))


def find_settings(task: Task) -> RepoSettings | None:
    """Read the settings file; None where there is none.

    Raises
    ------
    InputError
        If there is none where the workflow says, or it cannot be used.
    """
    name = task.inputs.settings
    if name is None and not task.workspace.has(DEFAULT_SETTINGS):
        return None
    settings = read_settings(task.workspace.file(name or DEFAULT_SETTINGS, "settings"))
    task.log.say(f"settings: {settings.source}")
    return settings


def answers(task: Task, plan: Path | None) -> Mapping[str, Callable[[], Any]]:
    """Return who answers the questions, for a pull request and the plan's file."""
    return {ACCEPTS: lambda: _accepts(task), PLANNED_ON: lambda: _planned_on(task, plan)}


def _accepts(task: Task) -> Accepts:
    """Return what the pull request's comments accept; nothing where they cannot be read."""
    context, number, log = task.context, task.context.pull_request, task.log
    if number is None or context.problem or not task.inputs.token:
        return Accepts()

    def nothing(reason: str) -> Accepts:
        log.annotate("notice", f"steady did not look for `/steady accept`: {reason}.")
        return Accepts()

    accepts = task.ask_github(
        lambda client: find_accepts(client, context.repository, number),
        nothing,
        permission="pull-requests: read",
        what="the comments",
    )
    for entry in accepts.entries:
        log.say(f"accepted by {entry.author}: {entry.pattern}")
    for login in accepts.others:
        log.say(f"a `/steady accept` by {login} does not count: {login} may not push here")
    return accepts


def _planned_on(task: Task, plan: Path | None) -> date | None:
    """Return the day of a file's last commit on the default branch; None where nobody knows.

    The checkout of a job has no past, as a rule.
    """
    if plan is None or task.context.problem or not task.inputs.token:
        return None
    name = plan.resolve().relative_to(task.workspace.checkout(plan)).as_posix()

    def ask(client: Github) -> date | None:
        commits = client.get_repo(task.context.repository).get_commits(path=name)
        return next((one.commit.committer.date.date() for one in commits), None)

    return task.ask_github(
        ask,
        lambda reason: task.log.say(f"the age of the plan is not known: {reason}"),
        permission="contents: read",
        what="the plan's commits",
    )

"""What a comparison may ask GitHub: what comments accept, and how old the plan is.

Either answer can be missing. The verdict stands without it, and the job's log says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from github import Github

from steady.action.task import Task
from steady.github.accepts import Accepts, find_accepts

ACCEPTS, PLANNED_ON = "accepts", "planned on"
"""The questions."""


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

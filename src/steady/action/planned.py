"""The plan that a run was to follow: where it stands, and how old it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from steady.action.log import Log
from steady.action.settings import DEFAULT_PLAN, ActionInputs
from steady.action.task import Connect
from steady.action.workspace import Workspace
from steady.github import Context, explain
from steady.optimize import Plan, read_plan


def _unknown() -> None:
    """Stand for a day that nobody knows."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan and where it stands; both None where there is none.

    Parameters
    ----------
    path : Path, optional
        Its file.
    plan : Plan, optional
        What it says.
    committed : callable
        Asks for the day on which its file was changed last; None where nobody knows.
    """

    path: Path | None = None
    plan: Plan | None = None
    committed: Callable[[], date | None] = _unknown


def find_plan(
    settings: ActionInputs, workspace: Workspace, context: Context, log: Log, connect: Connect
) -> Planned:
    """Read the plan; without one, only base tells what head should hold.

    Raises
    ------
    InputError
        If there is none where the settings say, or it cannot be used.
    """
    if settings.plan is None and not workspace.has(DEFAULT_PLAN):
        log.say(f"no plan: there is no {DEFAULT_PLAN}, so only base tells what is missing in head")
        return Planned()
    path = workspace.file(settings.plan or DEFAULT_PLAN, "plan")
    name = path.resolve().relative_to(workspace.checkout(path)).as_posix()
    return Planned(path, read_plan(path), lambda: _day_of(name, settings, context, log, connect))


def _day_of(
    name: str, settings: ActionInputs, context: Context, log: Log, connect: Connect
) -> date | None:
    """Ask GitHub for the last commit of a file on the default branch.

    The checkout of a job has no past, as a rule.
    """
    if context.problem or not settings.token:
        return None
    try:
        client = connect(settings.token, context.api_url)
        for commit in client.get_repo(context.repository).get_commits(path=name):
            return commit.commit.committer.date.date()
    except Exception as error:
        # Whatever the API answers: without the plan's age the verdict is the same.
        told = explain(error, context, permission="contents: read", what="the plan's commits")
        log.say(f"how old the plan is is not known: {told}")
    return None

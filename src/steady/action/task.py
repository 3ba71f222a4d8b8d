"""One run of the action: what was asked for, and what workspace and GitHub tell beside the results.

The verdict stands without an answer of GitHub, and then the job's log says why there is none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from github import Github

from steady.action.confined import Confine
from steady.action.inputs import DEFAULT_PLAN, ActionInputs
from steady.action.runner import Log
from steady.action.workspace import Workspace
from steady.errors import SteadyError
from steady.github import Context, explain
from steady.github.acceptances import Acceptances, find_acceptances
from steady.github.error_messages import COMMENT_PERMISSION
from steady.github.retries import RetryBudget
from steady.optimize import Plan, read_plan
from steady.settings import DEFAULT_SETTINGS, RepoSettings, read_settings

T = TypeVar("T")

Connect = Callable[[str, str], Github]
"""Given token and address of the API, a client: `steady.github.connect`."""

ACCEPTS, PLANNED_ON = "accepts", "planned on"
"""The questions that a comparison may ask."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """The task of a mode: inputs, workspace, event, and what it can reach.

    Parameters
    ----------
    inputs : ActionInputs
        What the workflow asked for.
    workspace : Workspace
        Where results, plan and report are.
    context : Context
        Whose results they are.
    log : Log
        The job's log.
    environ : mapping of str to str
        As GitHub's runner sets it.
    today : date
        In UTC.
    connect : callable
        Makes a client of GitHub's API; called only where one is needed.
    retries : RetryBudget
        How long GitHub is waited for.
    confine : callable
        Does what touches a stranger's data, within limits; see `steady.action.confined`.
    """

    inputs: ActionInputs
    workspace: Workspace
    context: Context
    log: Log
    environ: Mapping[str, str]
    today: date
    connect: Connect
    retries: RetryBudget
    confine: Confine

    @property
    def cannot_post(self) -> str:
        """Why nothing can be asked of GitHub or posted there; empty: it can."""
        return self.context.problem or ("" if self.inputs.token else "no token is set")

    def ask_github(
        self,
        question: Callable[[Github], T],
        otherwise: Callable[[str], T],
        *,
        permission: str = COMMENT_PERMISSION,
        what: str = "the comment",
        missing: str | None = None,
    ) -> T:
        """Ask GitHub for something, or to do something.

        Parameters
        ----------
        question : callable
            Given a client, returns the answer. It may be asked again.
        otherwise : callable
            Given one sentence on what went wrong, returns what stands for the answer; it may
            raise.
        permission, what, missing
            What the sentence speaks of; see `steady.github.explain`.
        """
        try:
            client = self.connect(self.inputs.token, self.context.api_url)
            return self.retries.ask(lambda: question(client))
        except SteadyError:
            raise
        except Exception as error:
            # Whatever the API answers, a proxy's page included.
            return otherwise(
                explain(error, self.context, permission=permission, what=what, missing=missing)
            )


def find_plan(task: Task) -> tuple[Path | None, Plan | None]:
    """Read the plan; the file and what it says, both None where there is none.

    Raises
    ------
    InputError
        If there is none where the workflow says, or it cannot be used.
    """
    path = _chosen(task, "plan", task.inputs.plan, DEFAULT_PLAN)
    return path, None if path is None else read_plan(path)


def find_settings(task: Task) -> RepoSettings | None:
    """Read the settings file; None where there is none. Raises as `find_plan`."""
    path = _chosen(task, "settings", task.inputs.settings, DEFAULT_SETTINGS)
    if path is None:
        return None
    settings = read_settings(path)
    task.log.say(f"settings: {settings.source}")
    return settings


def _chosen(task: Task, name: str, given: str | None, usual: str) -> Path | None:
    """Return the file that an input names, or the one in its usual place."""
    if given is None and not task.workspace.has(usual):
        return None
    return task.workspace.file(given or usual, name)


def answers(task: Task, plan: Path | None) -> Mapping[str, Callable[[], Any]]:
    """Return what a child may ask, by name: what is accepted, and when the plan was committed."""
    return {ACCEPTS: partial(_accepts, task), PLANNED_ON: partial(_planned_on, task, plan)}


def _accepts(task: Task) -> Acceptances:
    """Return what the pull request's comments accept; nothing where they cannot be read."""
    context, number, log = task.context, task.context.pull_request, task.log
    if number is None or task.cannot_post:
        return Acceptances()

    def nothing(reason: str) -> Acceptances:
        log.annotate("notice", f"`/steady accept` comments were not read: {reason}.")
        return Acceptances()

    accepts = task.ask_github(
        lambda client: find_acceptances(client, context.repository, number),
        nothing,
        permission="pull-requests: read",
        what="the comments",
    )
    for entry in accepts.entries:
        log.say(f"accepted by {entry.author}: {entry.pattern}")
    for login in accepts.others:
        log.say(f"a `/steady accept` by {login} was ignored: {login} has no push access")
    return accepts


def _planned_on(task: Task, plan: Path | None) -> date | None:
    """Return the day of a file's last commit on the default branch; None where nobody knows.

    The checkout of a job has no past, as a rule.
    """
    if plan is None or task.cannot_post:
        return None
    name = plan.resolve().relative_to(task.workspace.checkout(plan)).as_posix()

    def ask(client: Github) -> date | None:
        commits = client.get_repo(task.context.repository).get_commits(path=name)
        return next((one.commit.committer.date.date() for one in commits), None)

    return task.ask_github(
        ask,
        lambda reason: task.log.say(f"the age of the plan is unknown: {reason}"),
        permission="contents: read",
        what="the plan's commits",
    )

"""A run of the action: its inputs, its files, and its requests to GitHub.

The verdict does not depend on GitHub's responses. If GitHub does not respond, the log gives the
reason.
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
from steady.github.client import RetryBudget
from steady.github.error_messages import COMMENT_PERMISSION
from steady.optimize import Plan, read_plan
from steady.settings import DEFAULT_SETTINGS, RepoSettings, read_settings

T = TypeVar("T")

Connect = Callable[[str, str], Github]
"""Factory of API clients from token and URL, such as `steady.github.connect`."""

ACCEPTS, PLANNED_ON = "accepts", "planned on"
"""Names of the requests of a comparison."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """The task of a mode: inputs, workspace, event, and access to GitHub.

    Parameters
    ----------
    inputs : ActionInputs
        Inputs of the action.
    workspace : Workspace
        Workspace with results, plan and report.
    context : Context
        Pull request or commit of the results.
    log : Log
        The job's log.
    environ : mapping of str to str
        Environment set by GitHub's runner.
    today : date
        Current date in UTC.
    connect : callable
        Factory of GitHub API clients; called only if needed.
    retries : RetryBudget
        Time budget for requests to GitHub.
    confine : callable
        Function that processes untrusted data in a sandbox; see `steady.action.confined`.
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
        """Reason why GitHub cannot be accessed; empty if it can."""
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
        """Send a request to GitHub.

        Parameters
        ----------
        question : callable
            Function from a client to the response. It can be called again.
        otherwise : callable
            Function from an error message to a substitute for the response; it can raise.
        permission, what, missing
            Parts of the error message; see `steady.github.explain`.
        """
        try:
            client = self.connect(self.inputs.token, self.context.api_url)
            return self.retries.ask(lambda: question(client))
        except SteadyError:
            raise
        except Exception as error:
            # Any exception is possible, because the response may be a proxy's page.
            return otherwise(
                explain(error, self.context, permission=permission, what=what, missing=missing)
            )


def find_plan(task: Task) -> tuple[Path | None, Plan | None]:
    """Return the plan's file and the plan; None for both if there is none.

    Raises
    ------
    InputError
        If the file given by the workflow does not exist, or is invalid.
    """
    path = _chosen(task, "plan", task.inputs.plan, DEFAULT_PLAN)
    return path, None if path is None else read_plan(path)


def find_settings(task: Task) -> RepoSettings | None:
    """Return the settings, or None without a settings file. Errors are those of `find_plan`."""
    path = _chosen(task, "settings", task.inputs.settings, DEFAULT_SETTINGS)
    if path is None:
        return None
    settings = read_settings(path)
    task.log.say(f"settings: {settings.source}")
    return settings


def _chosen(task: Task, name: str, given: str | None, usual: str) -> Path | None:
    """Return the file given by an input or found at the default path `usual`, or None."""
    if given is None and not task.workspace.has(usual):
        return None
    return task.workspace.file(given or usual, name)


def handlers(task: Task, plan: Path | None) -> Mapping[str, Callable[[], Any]]:
    """Return the handlers of a child's requests: accepted changes, and the plan's commit date."""
    return {ACCEPTS: partial(_find_accepted, task), PLANNED_ON: partial(_planned_on, task, plan)}


def _find_accepted(task: Task) -> Acceptances:
    """Return the changes accepted in the pull request's comments; none if unreadable."""
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
    """Return the date of a file's last commit on the default branch; None if unknown.

    A job's checkout usually has no history.
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

"""What the repository and its maintainers say of changes: the settings file, `/steady accept`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime

from steady.action.log import Log
from steady.action.settings import ActionInputs
from steady.action.task import Connect
from steady.action.workspace import Workspace
from steady.github import Context, explain
from steady.github.accepts import Accepts, find_accepts
from steady.settings import DEFAULT_SETTINGS, RepoSettings, read_settings


def utc_today() -> date:
    """Return the day in UTC, by which acknowledgements expire."""
    return datetime.now(UTC).date()


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of changes.

    Parameters
    ----------
    settings : RepoSettings, optional
        Of the repository; None where it has no settings file.
    accepts : callable
        Asks what the comments on a context's pull request accept.
    """

    settings: RepoSettings | None
    accepts: Callable[[Context], Accepts]


def find_said(inputs: ActionInputs, workspace: Workspace, log: Log, connect: Connect) -> Said:
    """Read the settings file, and prepare to ask for comments.

    Parameters
    ----------
    inputs : ActionInputs
        What the workflow asked for.
    workspace : Workspace
        Where the settings file is.
    log : Log
        Hears what was read, and why comments were not.
    connect : callable
        Makes a client of GitHub's API.

    Raises
    ------
    InputError
        If there is no settings file where the workflow says, or it cannot be used.
    """
    settings = None
    if inputs.settings is not None or workspace.has(DEFAULT_SETTINGS):
        settings = read_settings(workspace.file(inputs.settings or DEFAULT_SETTINGS, "settings"))
        log.say(f"settings: {settings.source}")
    return Said(settings, lambda context: _accepts(inputs, context, connect, log))


def _accepts(inputs: ActionInputs, context: Context, connect: Connect, log: Log) -> Accepts:
    """Return what the pull request's comments accept; nothing where they cannot be read."""
    if context.pull_request is None or context.problem or not inputs.token:
        return Accepts()
    try:
        client = connect(inputs.token, context.api_url)
        found = find_accepts(client, context.repository, context.pull_request)
    except Exception as error:
        # Whatever the API answers, a proxy's page included: the verdict stands without it.
        told = explain(error, context, permission="pull-requests: read", what="the comments")
        log.annotate("notice", f"No `/steady accept` was looked for: {told}.")
        return Accepts()
    for entry in found.entries:
        log.say(f"accepted by {entry.author}: {entry.pattern}")
    for login in found.others:
        log.say(f"a `/steady accept` by {login} does not count: {login} may not push here")
    return found

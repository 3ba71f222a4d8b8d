"""One run of the action: what the workflow asked for, where it runs, and what it can reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from github import Github

from steady.action.confined import Confine
from steady.action.inputs import ActionInputs
from steady.action.log import Log
from steady.action.workspace import Workspace
from steady.errors import SteadyError
from steady.github import Context, explain
from steady.github.patience import Patience
from steady.github.problems import COMMENT_PERMISSION

T = TypeVar("T")

Connect = Callable[[str, str], Github]
"""Given token and address of the API, a client: `steady.github.connect`."""


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
    patience : Patience
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
    patience: Patience
    confine: Confine

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
            return self.patience.ask(lambda: question(client))
        except SteadyError:
            raise
        except Exception as error:
            # Whatever the API answers, a proxy's page included.
            return otherwise(
                explain(error, self.context, permission=permission, what=what, missing=missing)
            )

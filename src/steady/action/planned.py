"""What the workspace holds beside its results: the plan that was to be followed, and settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from steady.action.settings import DEFAULT_PLAN
from steady.action.task import Task
from steady.optimize import Plan, read_plan
from steady.settings import DEFAULT_SETTINGS, RepoSettings, read_settings


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

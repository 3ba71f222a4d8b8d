"""The action from its environment to its exit code; every effect is an argument."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TextIO

from steady.action.compare import compare_mode
from steady.action.delivery import Connect, deliver
from steady.action.file_commands import write_outputs, write_summary
from steady.action.inputs import Mode
from steady.action.log import Log
from steady.action.optimize import optimize_mode
from steady.action.outcome import Outcome
from steady.action.settings import Settings
from steady.action.workspace import Workspace
from steady.errors import SteadyError
from steady.github import Context, read_context
from steady.report.escape import visible

FINE, FAILED, MISTAKE = 0, 1, 2

_MODES: Mapping[Mode, Callable[[Settings, Workspace, Context, Log], Outcome]] = {
    "optimize": optimize_mode,
    "compare": compare_mode,
}


def run(
    environ: Mapping[str, str],
    stdout: TextIO,
    connect: Connect,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Run the action.

    Parameters
    ----------
    environ : mapping of str to str
        As GitHub's runner sets it.
    stdout : text file
        The job's log.
    connect : callable
        Makes a client of GitHub's API from token and address; called only to post.
    sleep : callable
        Waits some seconds.

    Returns
    -------
    int
        0: fine. 1: as ``fail-on`` asks. 2: the user's mistake, or input that cannot be used.
    """
    log = Log(stdout)
    summary = environ.get("GITHUB_STEP_SUMMARY", "")
    context = read_context(environ)
    try:
        settings = Settings.from_environ(environ)
        outcome = _MODES[settings.mode](settings, Workspace.of(environ), context, log)
    except SteadyError as error:
        log.annotate("error", str(error))
        write_summary(summary, _mistake(str(error)))
        return MISTAKE
    write_outputs(environ.get("GITHUB_OUTPUT", ""), outcome.outputs)
    write_summary(summary, outcome.summary)
    log.say(outcome.headline)
    log.commands(outcome.annotations)
    deliver(outcome, settings, context, connect=connect, log=log, sleep=sleep)
    if outcome.failures:
        log.annotate("error", f"Failed, as `fail-on` asks: {', '.join(outcome.failures)}.")
    return FAILED if outcome.failures else FINE


def _mistake(message: str) -> str:
    """Return the message as Markdown that shows it literally, whatever it holds."""
    return f"**steady could not run.**\n\n    {visible(message)}\n"

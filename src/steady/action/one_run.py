"""The action from its environment to its exit code; every effect is an argument."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import TextIO

from steady import safe_open
from steady.action.committing import deliver_configuration
from steady.action.compare import compare_mode
from steady.action.confined import Confine, in_a_child
from steady.action.inputs import ActionInputs
from steady.action.optimize import optimize_mode
from steady.action.outcome import ModeResult, deliver
from steady.action.record import record_mode
from steady.action.report import report_mode
from steady.action.runner import Log, write_outputs, write_summary
from steady.action.task import Connect, Task
from steady.action.workspace import Workspace
from steady.errors import SteadyError, limit_errors
from steady.github import read_context
from steady.github.retries import RetryBudget
from steady.options.option import Mode
from steady.settings import utc_today
from steady.text.escape import visible

FINE, FAILED, MISTAKE = 0, 1, 2

MODES: Mapping[Mode, Callable[[Task], ModeResult]] = {
    "optimize": optimize_mode,
    "compare": compare_mode,
    "report": report_mode,
    "record": record_mode,
}


def run(
    environ: Mapping[str, str],
    stdout: TextIO,
    connect: Connect,
    *,
    retries: RetryBudget | None = None,
    today: Callable[[], date] = utc_today,
    confine: Confine = in_a_child,
) -> int:
    """Run the action.

    Parameters
    ----------
    environ : mapping of str to str
        As GitHub's runner sets it.
    stdout : text file
        The job's log.
    connect : callable
        Makes a client of GitHub's API from token and address; called only where one is needed.
    retries : RetryBudget, optional
        How long GitHub is waited for.
    today : callable
        Returns the day in UTC.
    confine : callable
        Does what touches a stranger's data, within limits.

    Returns
    -------
    int
        0: fine. 1: as ``fail-on`` asks, or a commit that could not be made. 2: the user's
        mistake, or input that cannot be used.
    """
    log = Log(stdout)
    token = environ.get("INPUT_TOKEN", "").strip()
    if token and environ.get("GITHUB_ACTIONS") == "true":
        # The runner hides the job's own token by itself, and secrets; not what a step made.
        log.mask(token)
    summary = environ.get("GITHUB_STEP_SUMMARY", "")
    try:
        task = Task(
            inputs=ActionInputs.from_environ(environ),
            workspace=Workspace.of(environ),
            context=read_context(environ),
            log=log,
            environ=environ,
            today=today(),
            connect=connect,
            retries=retries or RetryBudget(),
            confine=confine,
        )
        with safe_open.restrict_to(task.workspace.root), limit_errors():
            result = MODES[task.inputs.mode](task)
    except SteadyError as error:
        log.annotate("error", str(error))
        # Markdown that shows the message literally, whatever it holds.
        write_summary(summary, f"**steady could not run.**\n\n    {visible(str(error))}\n")
        return MISTAKE
    log.say(result.headline)
    log.commands(result.annotations)
    deliver(result, replace(task, context=result.context or task.context))
    committed = deliver_configuration(result, task)
    # The runner's files come last: a full disk must not keep the verdict from the pull request.
    try:
        write_outputs(environ.get("GITHUB_OUTPUT", ""), {**result.outputs, **committed.outputs})
        write_summary(summary, result.summary)
        write_summary(summary, committed.summary)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        log.annotate("error", f"Outputs and summary of the job cannot be written ({reason}).")
        return MISTAKE
    if result.failures:
        log.annotate("error", f"Failed because of `fail-on`: {', '.join(result.failures)}.")
    return FAILED if result.failures or committed.failed else FINE

"""Run the action, from its environment to its exit code; every side effect is an argument."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import TextIO

from steady import safe_open
from steady.action.compare import compare_mode
from steady.action.confined import Confine, run_in_child
from steady.action.history import record_mode
from steady.action.inputs import ActionInputs
from steady.action.optimize import deliver_configuration, optimize_mode
from steady.action.outcome import ModeResult, deliver
from steady.action.report import report_mode
from steady.action.runner import Log, write_outputs, write_summary
from steady.action.task import Connect, Task
from steady.action.workspace import Workspace
from steady.errors import SteadyError, limit_errors
from steady.github import read_context
from steady.github.client import RetryBudget
from steady.options.option import Mode
from steady.settings import utc_today
from steady.text.escape import visible

SUCCESS, FAILED, ERROR = 0, 1, 2

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
    confine: Confine = run_in_child,
) -> int:
    """Run the action.

    Parameters
    ----------
    environ : mapping of str to str
        Environment set by GitHub's runner.
    stdout : text file
        The job's log.
    connect : callable
        Factory of GitHub API clients, from token and URL; called only if needed.
    retries : RetryBudget, optional
        Time budget for requests to GitHub.
    today : callable
        Function that returns the current date in UTC.
    confine : callable
        Function that processes untrusted data in a sandbox.

    Returns
    -------
    int
        0 for success; 1 if a ``fail-on`` condition holds or a commit failed; 2 for a user error or
        invalid input.
    """
    log = Log(stdout)
    token = environ.get("INPUT_TOKEN", "").strip()
    if token and environ.get("GITHUB_ACTIONS") == "true":
        # The runner masks the job's token and secrets, but not tokens created by a step.
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
        # Markdown that shows the message literally, whatever it contains.
        write_summary(summary, f"**steady could not run.**\n\n    {visible(str(error))}\n")
        return ERROR
    log.say(result.headline)
    log.commands(result.annotations)
    deliver(result, replace(task, context=result.context or task.context))
    committed = deliver_configuration(result, task)
    # The runner's files are written last, so that a full disk does not prevent the comment.
    try:
        write_outputs(environ.get("GITHUB_OUTPUT", ""), {**result.outputs, **committed.outputs})
        write_summary(summary, result.summary)
        write_summary(summary, committed.summary)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        log.annotate("error", f"Outputs and summary of the job cannot be written ({reason}).")
        return ERROR
    if result.failures:
        log.annotate("error", f"Failed because of `fail-on`: {', '.join(result.failures)}.")
    return FAILED if result.failures or committed.failed else SUCCESS

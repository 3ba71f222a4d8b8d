"""Mode ``compare``: two runs of the suite, and what became of every benchmark."""

from dataclasses import replace

from steady.action.confined import asking
from steady.action.history import Kept, job_of, kept_for
from steady.action.outcome import ModeResult
from steady.action.runner import Log
from steady.action.suite_report import SuiteReport
from steady.action.task import Task, answers, find_plan, find_settings
from steady.action.workspace import Workspace
from steady.compare.bounds import LEAST_RUNS
from steady.engine.narrowing import narrowed
from steady.history import UnreadableError
from steady.model import Suite
from steady.readers import load
from steady.readers.sources import left_nothing
from steady.report.provenance import left_out_sentence
from steady.text.escape import plain
from steady.text.numbers import count


def compare_mode(task: Task) -> ModeResult:
    """Compare head against base.

    Parameters
    ----------
    task : Task
        What was asked for. Comments and artifacts are read of GitHub, should they be needed.

    Returns
    -------
    ModeResult
        The report is written already.

    Raises
    ------
    InputError
        If a path leads nowhere or outside, or a file cannot be used.
    """
    inputs, workspace, log = task.inputs, task.workspace, task.log
    workspace.folder(inputs.out, "out")  # a mistake in it is told before anything is read
    path, plan = find_plan(task)
    settings = find_settings(task)
    ask = asking(answers(task, path))
    base = _load("base", inputs.base, workspace, log) if inputs.base else None
    head = _load("head", inputs.head, workspace, log)
    kept = Kept() if inputs.history is None else _kept(task, head)
    note = plain(kept.sentence, limit=2000)
    base = kept.suite if base is None else base
    if base is not None:
        base, head, plan = narrowed(None, base, head, plan, log.say)
    commit = inputs.base_commit or kept.commit
    report = SuiteReport.of(task, path, plan, settings)
    result = report.compared(base, head, ask, earlier=kept.earlier, note=note, base_commit=commit)
    return replace(result, summary=f"{result.summary}\n{note}\n") if note else result


def _kept(task: Task, head: Suite) -> Kept:
    """Ask the history; where this job has measured base, the verdict does not wait for it."""
    try:
        kept = kept_for(job_of(task), head)
    except UnreadableError as error:
        if not task.inputs.base:
            raise
        why = f"The history was not used: {error}."
        task.log.annotate("warning", why)
        return Kept(sentence=why)
    runs = len(kept.earlier)
    enough = "" if runs >= LEAST_RUNS else f"; from {LEAST_RUNS} on they"
    task.log.say(kept.sentence)
    task.log.say(f"history: {runs} runs on the same surroundings{enough} tell how much runs differ")
    return kept


def _load(side: str, patterns: tuple[str, ...], workspace: Workspace, log: Log) -> Suite:
    if len(patterns) == 1 and left_nothing(workspace.root / patterns[0]):
        log.say(f"{side}: the run left no result")
        return Suite(())
    files = workspace.files(patterns, side)
    suite = load([str(file) for file in files], empty=True)
    log.say(f"{side}: {count(len(suite), 'benchmark')} from {', '.join(map(str, files))}")
    for failure in suite.failures:
        log.say(f"{side}: {failure.identity.label} failed: {failure.reason}")
    if left_out := left_out_sentence(suite):
        log.say(f"{side}: {left_out}")
    return suite

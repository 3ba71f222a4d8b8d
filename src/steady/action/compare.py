"""Mode ``compare``: two runs of the suite, and what became of every benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steady.action.confined import asking
from steady.action.history import Kept, job_of, kept_for
from steady.action.log import Log
from steady.action.outcome import ModeResult
from steady.action.planned import answers, find_plan, find_settings
from steady.action.suite_report import SuiteReport
from steady.action.task import Task
from steady.action.workspace import Workspace
from steady.compare.bounds import LEAST_RUNS
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
    planned = find_plan(task)
    report = SuiteReport.of(task, planned, find_settings(task))
    ask = asking(answers(task, planned.path))
    base = _load("base", inputs.base, workspace, log) if inputs.base else None
    head = _load("head", inputs.head, workspace, log)
    kept = Kept(Suite(()))
    if inputs.history is not None:
        kept = _kept(task, head)
    note = plain(kept.sentence, limit=2000)
    base = kept.suite if base is None else base
    commit = inputs.base_commit or kept.commit
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
        return Kept(Suite(()), why)
    task.log.say(kept.sentence)
    task.log.say(_known(kept.earlier))
    return kept


def _known(earlier: Sequence[Suite]) -> str:
    runs = f"history: {len(earlier)} runs on the same surroundings"
    if len(earlier) < LEAST_RUNS:
        return f"{runs}; from {LEAST_RUNS} on they tell how much runs differ"
    return f"{runs} tell how much runs differ"


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

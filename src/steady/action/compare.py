"""Mode ``compare``: two runs of the suite, and what became of every benchmark.

What this job measured is read here. What another job measured is a stranger's (`_ELSEWHERE`): this
job may have rights that the other one went without, so a process with limits reads it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import ValidationError, convert, to_builtins

from steady.action.confined import Answers, Ask, asking
from steady.action.history import Kept, job_of, kept_for
from steady.action.measured_elsewhere import load_limited, whose
from steady.action.outcome import ModeResult
from steady.action.suite_report import SuiteReport, told
from steady.action.task import Task, answers, find_plan, find_settings
from steady.compare.bounds import LEAST_RUNS
from steady.engine.narrowing import narrowed
from steady.errors import InputError
from steady.github.context import ISSUE_COMMENT, PULL_REQUEST_TARGET, WORKFLOW_RUN
from steady.history import Fingerprint, UnreadableError
from steady.model import Suite
from steady.readers import load
from steady.readers.sources import left_nothing
from steady.report.provenance import left_out_sentence
from steady.text.escape import plain
from steady.text.numbers import count

_ELSEWHERE = (ISSUE_COMMENT, PULL_REQUEST_TARGET, WORKFLOW_RUN)
"""Events on which a job has the rights of the default branch, whoever proposed the code: a job
that measures there gives the results to another one."""

_KEPT = "kept"
"""The question what the history has to compare with."""

_NOTE = whose("another job")

Say = Callable[[str], None]


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
    inputs, log = task.inputs, task.log
    task.workspace.folder(inputs.out, "out")  # a mistake in it is told before anything is read
    path, plan = find_plan(task)
    report = SuiteReport.of(task, path, plan, find_settings(task))
    known: Answers = {**answers(task, path), _KEPT: partial(_kept, task)}
    measured = inputs.measured or ("elsewhere" if task.context.event in _ELSEWHERE else "here")
    if measured == "here":
        work = _Comparing(report, _files(task, "base"), _files(task, "head"))
        return work.result(asking(known), log.say)
    try:
        work = _Comparing(report, _files(task, "base"), _files(task, "head"), _NOTE)
        return report.confined(task, work.confined, known)
    except InputError as error:
        return report.not_compared(str(error), _NOTE)


def _files(task: Task, side: str) -> Sequence[Path] | None:
    """Return the files of a side: empty if its run left nothing, None if nobody names any."""
    patterns, workspace = getattr(task.inputs, side), task.workspace
    if not patterns:
        return None
    if len(patterns) == 1 and left_nothing(workspace.root / patterns[0]):
        return ()
    return workspace.files(patterns, side)


@dataclass(frozen=True, eq=False)
class _Comparing:
    """The work, which another process may be given.

    Parameters
    ----------
    report : SuiteReport
        What the verdict is written with.
    base, head : sequence of Path, optional
        Files of each side, as `_files` returns them.
    stranger : str
        What the comment says of results that were measured elsewhere; empty: they were not.
    """

    report: SuiteReport
    base: Sequence[Path] | None
    head: Sequence[Path] | None
    stranger: str = ""

    def confined(self, ask: Ask) -> Mapping[str, Any]:
        """Return what the result says, and the lines of the log, as JSON can express it."""
        log: list[str] = []
        return told(self.result(ask, log.append), log)

    def result(self, ask: Ask, say: Say) -> ModeResult:
        """Compare, and write the report."""
        inputs = self.report.inputs
        base = None if self.base is None else self._load("base", self.base, say)
        head = self._load("head", self.head or (), say)
        kept: Kept = (
            Kept() if inputs.history is None else ask(_KEPT, to_builtins(Fingerprint.of(head)))
        )
        notes = [*filter(None, (plain(kept.sentence, limit=2000), self.stranger))]
        base = kept.suite if base is None else base
        believed = not self.stranger
        asked = narrowed(inputs.only, base, head, self.report.plan, say, believed=believed)
        commit, note = inputs.base_commit or kept.commit, "\n\n".join(notes)
        result = self.report.compared(
            asked, ask, earlier=kept.earlier, note=note, base_commit=commit
        )
        return replace(result, summary=f"{result.summary}\n{note}\n") if note else result

    def _load(self, side: str, files: Sequence[Path], say: Say) -> Suite:
        if not files:
            say(f"{side}: the run produced no result")
            return Suite(())
        suite = load_limited(files) if self.stranger else load(list(files), empty=True)
        say(f"{side}: {count(len(suite), 'benchmark')} from {', '.join(map(str, files))}")
        for failure in suite.failures:
            say(f"{side}: {failure.identity.label} failed: {failure.reason}")
        if left_out := left_out_sentence(suite):
            say(f"{side}: {left_out}")
        return suite


def _kept(task: Task, surroundings: Mapping[str, Sequence[str]]) -> Kept:
    """Ask the history; where this job has measured base, the verdict does not wait for it."""
    try:
        here = convert(surroundings, Fingerprint)
    except ValidationError:
        problem = "lists more environment fields than a history stores, or longer ones"
        raise InputError(problem, source="head") from None
    try:
        kept = kept_for(job_of(task), here)
    except UnreadableError as error:
        if not task.inputs.base:
            raise
        why = f"The history was not used: {error}."
        task.log.annotate("warning", why)
        return Kept(sentence=why)
    runs = len(kept.earlier)
    needed = f"; at least {LEAST_RUNS} are needed to estimate the variance between runs"
    enough = "" if runs >= LEAST_RUNS else needed
    task.log.say(kept.sentence)
    task.log.say(f"history: {runs} runs in the same environment{enough}")
    return kept

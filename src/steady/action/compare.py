"""Mode ``compare``: compare two runs of the suite, benchmark by benchmark.

Results that this job measured are read in this process. Results from another job are untrusted
(`_ELSEWHERE`): this job can have permissions that the other lacked, so a sandboxed process reads
them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import ValidationError, convert, to_builtins

from steady.action.confined import Ask, Handlers, ask_directly
from steady.action.history import HistoryData, history_data, job_of
from steady.action.measured_elsewhere import load_limited, source_note
from steady.action.outcome import ModeResult
from steady.action.suite_report import SuiteReport, plain_result
from steady.action.task import Task, find_plan, find_settings, handlers
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
"""Events whose jobs run in the context of the default branch, with its secrets and token, even for
a pull request from a fork. They read results that another, unprivileged job measured."""

_HISTORY = "kept"
"""Name of the request for the baseline and historical data."""

_NOTE = source_note("another job")

Say = Callable[[str], None]


def compare_mode(task: Task) -> ModeResult:
    """Compare head against base.

    Parameters
    ----------
    task : Task
        Task of the job. Comments and artifacts are fetched from GitHub if needed.

    Returns
    -------
    ModeResult
        Result; the report is already written.

    Raises
    ------
    InputError
        If a path does not exist or lies outside the workspace, or a file is invalid.
    """
    inputs, log = task.inputs, task.log
    task.workspace.folder(inputs.out, "out")  # validate it before reading anything
    path, plan = find_plan(task)
    report = SuiteReport.of(task, path, plan, find_settings(task))
    known: Handlers = {**handlers(task, path), _HISTORY: partial(_query_history, task)}
    measured = inputs.measured or ("elsewhere" if task.context.event in _ELSEWHERE else "here")
    if measured == "here":
        work = _Comparing(report, _files(task, "base"), _files(task, "head"))
        return work.result(ask_directly(known), log.say)
    try:
        work = _Comparing(report, _files(task, "base"), _files(task, "head"), _NOTE)
        return report.confined(task, work.confined, known)
    except InputError as error:
        return report.not_compared(str(error), _NOTE)


def _files(task: Task, side: str) -> Sequence[Path] | None:
    """Return the files of a side; empty if its run produced no results, None if none were given."""
    patterns, workspace = getattr(task.inputs, side), task.workspace
    if not patterns:
        return None
    if len(patterns) == 1 and left_nothing(workspace.root / patterns[0]):
        return ()
    return workspace.files(patterns, side)


@dataclass(frozen=True, eq=False)
class _Comparing:
    """The comparison, which can run in another process.

    Parameters
    ----------
    report : SuiteReport
        Writer of the report.
    base, head : sequence of Path, optional
        Files of each side, as returned by `_files`.
    untrusted_note : str
        Note for the comment if another job measured the results; otherwise empty.
    """

    report: SuiteReport
    base: Sequence[Path] | None
    head: Sequence[Path] | None
    untrusted_note: str = ""

    def confined(self, ask: Ask) -> Mapping[str, Any]:
        """Return the result and the log lines as JSON-serializable data."""
        log: list[str] = []
        return plain_result(self.result(ask, log.append), log)

    def result(self, ask: Ask, say: Say) -> ModeResult:
        """Compare the runs, and write the report."""
        inputs = self.report.inputs
        base = None if self.base is None else self._load("base", self.base, say)
        head = self._load("head", self.head or (), say)
        kept: HistoryData = (
            HistoryData()
            if inputs.history is None
            else ask(_HISTORY, to_builtins(Fingerprint.of(head)))
        )
        notes = [*filter(None, (plain(kept.sentence, limit=2000), self.untrusted_note))]
        base = kept.suite if base is None else base
        believed = not self.untrusted_note
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
        suite = load_limited(files) if self.untrusted_note else load(list(files), empty=True)
        say(f"{side}: {count(len(suite), 'benchmark')} from {', '.join(map(str, files))}")
        for failure in suite.failures:
            say(f"{side}: {failure.identity.label} failed: {failure.reason}")
        if left_out := left_out_sentence(suite):
            say(f"{side}: {left_out}")
        return suite


def _query_history(task: Task, environment: Mapping[str, Sequence[str]]) -> HistoryData:
    """Query the history; if this job measured base, an unreadable history is only a warning."""
    try:
        here = convert(environment, Fingerprint)
    except ValidationError:
        problem = "has environment fields that are too many or too long for a history"
        raise InputError(problem, source="head") from None
    try:
        kept = history_data(job_of(task), here)
    except UnreadableError as error:
        if not task.inputs.base:
            raise
        why = f"The history was not used: {error}."
        task.log.annotate("warning", why)
        return HistoryData(sentence=why)
    runs = len(kept.earlier)
    needed = f"; at least {LEAST_RUNS} are needed to estimate the variance between runs"
    enough = "" if runs >= LEAST_RUNS else needed
    task.log.say(kept.sentence)
    task.log.say(f"history: {count(runs, 'run')} in the same environment{enough}")
    return kept

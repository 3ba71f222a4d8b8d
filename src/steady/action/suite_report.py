"""Report of a suite's comparison of head with base, or of why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal

from steady.action.confined import Ask, Handlers, Work
from steady.action.inputs import DEFAULT_PLAN, ActionInputs
from steady.action.outcome import FRAME_CHARACTERS, ModeResult
from steady.action.task import ACCEPTS, PLANNED_ON, Task
from steady.action.workspace import Workspace
from steady.compare import Comparison, Ledger, Missing
from steady.compare.summary import Summary
from steady.engine.narrowing import Narrowed
from steady.files import write_text
from steady.github import Context
from steady.github.acceptances import Acceptances
from steady.judging import Accepted, Evidence, judge, reasons_to_fail
from steady.model import Suite
from steady.optimize import Plan
from steady.options.strictness import strictness_of
from steady.report.ci import workflow_commands
from steady.report.comment import (
    COMMENT_LIMIT,
    DEFAULT_TITLE,
    accept_lines,
    comment,
    heading,
    marker,
)
from steady.report.content import ReportData
from steady.report.document import Document
from steady.report.output_formats import COMMENT, FILES, JUNIT, PAGE, SUMMARY, report_files
from steady.report.provenance import Fact, Measured, Runs, facts_line
from steady.settings import RepoSettings
from steady.text.escape import plain

_SHOWN = ("regressions", "improvements", "unchanged", "unclear", "missing")
"""Outputs listed in the last line of the log."""


def plain_result(result: ModeResult, log: Sequence[str]) -> Mapping[str, Any]:
    """Return a result and its log lines as JSON-serializable data."""
    return {"result": asdict(result), "log": log}


@dataclass(frozen=True, kw_only=True, eq=False)
class SuiteReport:
    """The inputs of a report, as plain data that can be sent to another process.

    Parameters
    ----------
    inputs : ActionInputs
        Inputs of the action, without the token.
    workspace : Workspace
        Workspace for the report.
    context : Context
        Pull request or commit of the results.
    plan : Plan, optional
        Plan of both sides.
    plan_path : str
        Path of the plan relative to the workspace; empty if there is none.
    settings : RepoSettings, optional
        Settings of the repository.
    today : date
        Current date in UTC.
    """

    inputs: ActionInputs
    workspace: Workspace
    context: Context
    plan: Plan | None
    plan_path: str
    settings: RepoSettings | None
    today: date

    @classmethod
    def of(
        cls, task: Task, path: Path | None, plan: Plan | None, settings: RepoSettings | None
    ) -> SuiteReport:
        """Return the report's inputs from a task, without the token; `path` is the plan's."""
        if plan is None:
            task.log.say(
                f"no plan: {DEFAULT_PLAN} does not exist (a plan is optional); benchmarks "
                "missing from head are reported"
            )
        return cls(
            inputs=replace(task.inputs, token=""),
            workspace=task.workspace,
            context=task.context,
            plan=plan,
            plan_path="" if path is None else task.workspace.relative(path),
            settings=settings,
            today=task.today,
        )

    def compared(
        self,
        asked: Narrowed,
        ask: Ask,
        *,
        earlier: Sequence[Suite] = (),
        note: str = "",
        base_commit: str = "",
    ) -> ModeResult:
        """Compare two suites, and write the report.

        Parameters
        ----------
        asked : Narrowed
            Selected results and plan.
        ask : callable
            Handler of the requests of `steady.action.task`.
        earlier : sequence of Suite
            Earlier runs, from which the variation between runs is estimated.
        note : str
            Markdown appended to the comment.
        base_commit : str
            Full hash of base's commit; empty if unknown.

        Raises
        ------
        InputError
            If the two are not comparable, or a path does not exist or lies outside the workspace.
        """
        out, inputs = self._out, self.inputs
        base, head, plan = asked.base, asked.head, asked.plan

        def accepted() -> Accepted:
            accepts: Acceptances = ask(ACCEPTS)
            return accepts.entries, accepts.problems

        evidence = Evidence(
            base=base,
            head=head,
            today=self.today,
            plan=plan,
            planned_on=None if plan is None else ask(PLANNED_ON),
            settings=self.settings,
            earlier=earlier,
            strict_environment=inputs.environment == "require-same",
            metrics=inputs.metrics or (),
            all_suites=inputs.key == "default",
            narrowed=asked.narrowing,
            **strictness_of(inputs),
        ).of_same_names()
        comparison = judge(evidence, accepted)
        commit = self.context.head[:12]
        known = [Fact("Commit", base_commit[:12] or "not known", commit, brief=True)]
        data = ReportData(
            comparison=comparison,
            plan=plan,
            runs=Runs(evidence.base, evidence.head),
            known=known if commit else [],
            title=self._title,
            measured=Measured(base_commit, self.context.head, pages=self.context.pages_url),
            fail_on=inputs.fail_on,
        )
        document = data.document
        text = self._comment(document, comparison, note)
        # Only mode `compare` runs in a job whose later steps can show the JUnit file.
        names = (*FILES, JUNIT) if inputs.mode == "compare" else FILES
        files = report_files(data, {COMMENT: text}, names=names)
        for name, file_text in files.items():
            write_text(out / name, file_text)
        self.workspace.hand_over(out)
        result = self._result(document.summary, text)
        fails = "regression" in inputs.fail_on
        level: Literal["error", "warning"] = "error" if fails else "warning"
        commands = workflow_commands(comparison, document.summary, level)
        saved = "" if plan is None else f"{plan.former_seconds - plan.seconds:.0f}"
        report = self.workspace.relative(out / PAGE)
        outputs = {**result.outputs, "seconds-saved": saved, "report": report}
        summary = files[SUMMARY]
        return replace(result, outputs=outputs, summary=summary, annotations=tuple(commands))

    def not_compared(self, reason: str, note: str) -> ModeResult:
        """Report that a run produced no results to compare: incomplete, never a success."""
        expected = tuple(Missing(identity, "both", reason) for identity in self.plan or ())
        summary = Summary.of(Comparison((), Ledger((), missing=expected)))
        first = heading(summary, self._title, "Nothing was compared, so this is not a pass")
        facts = plain(facts_line(summary, Measured(head=self.context.head)))
        text = f"{first}\n\n{plain(reason, limit=1000)}.\n\n{facts}\n\n{note}\n"
        write_text(self._out / COMMENT, f"{marker(self.inputs.key)}\n{text}")
        self.workspace.hand_over(self._out)
        headline = f"verdict: incomplete ({reason})"
        return replace(self._result(summary, text), headline=headline, summary=text)

    def confined(self, task: Task, work: Work, known: Handlers) -> ModeResult:
        """Do the work in a sandboxed process; it returns the data of `plain_result`."""
        said = task.confine(work, known)
        for line in said["log"]:
            task.log.say(line)
        return self.with_comment(ModeResult.of_comparison(said["result"]))

    def with_comment(self, result: ModeResult) -> ModeResult:
        """Add the comment's marker and file to a result."""
        marker_line = marker(self.inputs.key)
        return replace(result, marker=marker_line, comment_file=str(self._out / COMMENT))

    def _result(self, summary: Summary, text: str) -> ModeResult:
        counted = _counted(summary)
        counts = ", ".join(f"{name} {counted[name]}" for name in _SHOWN)
        verdict = summary.verdict.replace(" ", "-")
        outputs = {"verdict": verdict, **counted, "plan": self.plan_path}
        failures = reasons_to_fail(summary, self.inputs.fail_on)
        return self.with_comment(
            ModeResult(
                headline=f"verdict: {verdict} ({counts})",
                outputs={**outputs, "seconds-saved": "", "report": ""},
                summary="",
                text=text,
                # More allocation is a regression too.
                verdict="regression" if summary.allocates_more else summary.verdict,
                failures=failures,
            )
        )

    @property
    def _out(self) -> Path:
        return self.workspace.folder(self.inputs.out, "out")

    @property
    def _title(self) -> str:
        """The suite's name in comment and report."""
        key = self.inputs.key
        return DEFAULT_TITLE if key == "default" else f"{DEFAULT_TITLE}: {key}"

    def _comment(self, document: Document, comparison: Comparison, note: str) -> str:
        foot, url = f"\n\n{note}\n" if note else "", self.context.run_url
        text = comment(
            document,
            key=self.inputs.key,
            # The run's page shows summary and artifacts. The artifact's own URL is known only after
            # its upload, in a later step.
            report_url=f"{url}#artifacts" if url else None,
            accept=() if self.context.pull_request is None else accept_lines(comparison),
            limit=COMMENT_LIMIT - FRAME_CHARACTERS - len(foot),
        )
        return f"{text.rstrip()}{foot}" if foot else text


def _counted(summary: Summary) -> dict[str, str]:
    counted = {
        "regressions": summary.regressions.changes,
        "improvements": summary.improvements.changes,
        "unchanged": summary.unchanged,
        "unclear": summary.unclear.total,
        "accepted": summary.accepted,
        "metric-regressions": summary.metrics.regressions.changes,
        "missing": summary.lost.total,
    }
    return {name: str(number) for name, number in counted.items()}

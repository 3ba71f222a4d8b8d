"""The data of a report: a comparison, and whatever its outputs show beside it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from steady.compare import Comparison
from steady.plan.suite_plan import Plan
from steady.report.comment import DEFAULT_TITLE
from steady.report.content import NOTHING_MORE, content
from steady.report.document import Document
from steady.report.provenance import NO_RUNS, Fact, Measured, Runs, seconds_spent


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportData:
    """A comparison, and whatever its outputs show beside it.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    plan : Plan, optional
        What runs from now on, and what that saves.
    runs : Runs
        Results whose forks a page draws, and whose time an output names.
    known : sequence of Fact
        What else stands at the head of a page: commits, a command.
    title : str
        Name of the suite.
    measured : Measured
        Commits, and the address of steady's pages.
    accept : sequence of str
        As in `steady.report.comment.comment`.
    fail_on : collection of str
        Conditions of `steady.judging` that fail the job.
    """

    comparison: Comparison
    plan: Plan | None = None
    runs: Runs = NO_RUNS
    known: Sequence[Fact] = ()
    title: str = DEFAULT_TITLE
    measured: Measured = NOTHING_MORE
    accept: Sequence[str] = ()
    fail_on: Collection[str] = ()

    @cached_property
    def document(self) -> Document:
        """The tree of sections that Markdown and pages show."""
        measured = replace(self.measured, seconds=seconds_spent(*self.runs.compared))
        return content(self.comparison, self.plan, title=self.title, measured=measured)

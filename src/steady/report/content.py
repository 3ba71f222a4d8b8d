"""The content of a report on a comparison and its plan, as a tree of plain values."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from steady.compare import Comparison
from steady.compare.summary import Summary
from steady.plan.suite_plan import Plan
from steady.report import sections, sentences
from steady.report.change_tables import (
    UNCLEAR,
    changed_section,
    metric_sections,
    overview_section,
    unchanged_section,
)
from steady.report.comment import DEFAULT_TITLE
from steady.report.document import Code, Document, Section, Words, with_commands
from steady.report.names import ShortNames, names_of
from steady.report.plan_report import plan_section, savings_sentence
from steady.report.provenance import NO_RUNS, Fact, Measured, Runs, facts_line, seconds_spent
from steady.report.verdict import verdict_words, why_unclear
from steady.suggestions import rerun

NOTHING_MORE = Measured()


def content(
    comparison: Comparison,
    plan: Plan | None = None,
    *,
    title: str = "Benchmarks",
    measured: Measured = NOTHING_MORE,
) -> Document:
    """Return the report on a comparison, most important facts first.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    plan : Plan, optional
        Plan of both sides, whose costs are part of the report.
    title : str
        Name of the suite.
    measured : Measured
        Commits, time, and URL of the pages.
    """
    summary, names = Summary.of(comparison), names_of(comparison)
    step = with_commands(sentences.next_step(summary, rerun.plan_command(comparison.unclear, plan)))
    not_warm = sentences.not_warm_sentence(summary, rerun.warm_up_command(comparison.not_warm))
    cold: Words = with_commands(not_warm) if not_warm else ""
    at_once = summary.verdict == "unclear"  # otherwise, it is above the unclear benchmarks
    unclear: Words = sentences.unclear_sentences(summary)
    if step and not at_once:
        unclear = (f"{unclear} ", *step)
    planned = () if plan is None else (plan_section(plan, names),)
    words = verdict_words(summary)
    return Document(
        title,
        (*_sections(comparison, summary, names, unclear), *planned),
        summary=summary,
        line=words.first,
        others=words.other_sentence,
        sentences=(
            sentences.excluded_sentence(summary) if summary.unclear else "",
            sentences.metric_sentence(summary),
            cold,
            *sentences.not_run_sentences(summary),
            sentences.sum_sentence(summary),
            sentences.unreached_sentence(summary),
            sentences.control_sentence(summary),
            step if at_once else "",
        ),
        warnings=tuple(filter(None, (sentences.control_warning(summary),))),
        cost="" if plan is None else savings_sentence(plan),
        names=names.sentence,
        method=names.words(sentences.method_line(summary)),
        pages=measured.pages,
        decision=tuple(map(names.words, sentences.method_sentences(summary))),
        facts=facts_line(summary, measured),
        overview=overview_section(comparison, summary, names),
        lost=sections.lost_section(
            comparison.ledger, names, "" if summary.lost_first else "Not compared"
        ),
        rerun=Code(rerun.rerun_command(comparison.ledger), command=True),
        not_warm=cold,
    )


def _sections(
    comparison: Comparison, summary: Summary, names: ShortNames, about_unclear: Words
) -> tuple[Section, ...]:
    ledger, metrics = comparison.ledger, metric_sections(comparison.metrics, names)
    every_change = (*comparison.changes, *comparison.metrics.changes)
    worse, better = "regression", "improvement"
    if not summary.comparable:
        worse, better = f"would-be {worse}", f"would-be {better}"
    accepted = changed_section("accepted", "accepted", "open", comparison.accepted, names)
    about_unchanged = sentences.UNCHANGED
    if summary.unchanged and not summary.unclear:
        excluded = sentences.excluded_sentence(summary)
        about_unchanged = f"{about_unchanged} {excluded}".rstrip()
    return (
        changed_section(worse, f"{worse}s", "worse", comparison.regressions, names),
        replace(metrics[0], is_lead=True),
        replace(accepted, page_only=True),
        sections.accepted_section(comparison, names),
        sections.not_compared_section(ledger, names),
        sections.environment_section(comparison.differences),
        sections.remark_section(every_change, comparison.remarks, names),
        changed_section(better, f"{better}s", "better", comparison.improvements, names),
        replace(metrics[1], is_lead=True),
        unchanged_section(
            UNCLEAR, why_unclear(summary.unclear), about_unclear, comparison.unclear, names
        ),
        unchanged_section("Unchanged", "unchanged", about_unchanged, comparison.unchanged, names),
        metrics[2],
        sections.note_section(comparison.changes, ledger.unplanned, names),
        sections.same_code_section(comparison.controls, ledger.same_code, names),
        sections.unreached_section(comparison.changed_methods),
        sections.ignored_section(ledger, names),
        sections.not_run_section(ledger, names),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportData:
    """The data of a report: a comparison, and additional facts for its outputs.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    plan : Plan, optional
        Plan of future runs, with its savings.
    runs : Runs
        Results whose forks the page draws, and whose time the outputs give.
    known : sequence of Fact
        Additional facts at the top of the page: commits, a command.
    title : str
        Name of the suite.
    measured : Measured
        Commits, and the URL of steady's pages.
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
        """The content of all outputs."""
        measured = replace(self.measured, seconds=seconds_spent(*self.runs.compared))
        return content(self.comparison, self.plan, title=self.title, measured=measured)

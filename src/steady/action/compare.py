"""Mode ``compare``: two runs of the suite, and what became of every benchmark."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from steady.action.check import check_of
from steady.action.delivery import Connect
from steady.action.history import baseline_of, earlier_of, job_of
from steady.action.log import Log
from steady.action.outcome import ModeResult
from steady.action.planned import Planned, find_plan
from steady.action.said import Said, find_said
from steady.action.settings import ActionInputs
from steady.action.sticky import FRAME_CHARACTERS, sticky
from steady.action.workspace import Workspace
from steady.compare import Comparison, Verdict, compare
from steady.compare.noise_floor import LEAST_RUNS
from steady.compare.same_run import refuse_same_run
from steady.files import write_text
from steady.gate import reasons_to_fail
from steady.github import Context
from steady.github.checks import Annotation, Check
from steady.model import Identity, Suite
from steady.readers import load
from steady.readers.sources import left_nothing
from steady.report.annotations import annotations as annotations_of
from steady.report.escape import plain
from steady.report.findings import findings
from steady.report.folder import write_report
from steady.report.left_out import left_out_sentence
from steady.report.markdown import COMMENT_LIMIT, comment, marker
from steady.report.source_lines import SourceLine, find_lines


def compare_mode(
    settings: ActionInputs,
    workspace: Workspace,
    context: Context,
    log: Log,
    *,
    environ: Mapping[str, str],
    connect: Connect,
    today: date,
    sleep: Callable[[float], None] = time.sleep,
) -> ModeResult:
    """Compare head against base.

    Parameters
    ----------
    settings : ActionInputs
        What was asked for.
    workspace : Workspace
        Where results, plan and report are.
    context : Context
        Whose results they are.
    log : Log
        Hears what was read.
    environ : mapping of str to str
        As GitHub's runner sets it; tells where head came from, should the history be asked.
    connect : callable
        Makes a client of GitHub's API, to read what comments accept, and artifacts.
    today : date
        In UTC: acknowledgements expire.
    sleep : callable
        Waits some seconds.

    Returns
    -------
    ModeResult
        The report is written already.

    Raises
    ------
    InputError
        If a path leads nowhere or outside, or a file cannot be used.
    """
    workspace.folder(settings.out, "out")  # a mistake in it is told before anything is read
    plan = find_plan(settings, workspace, context, log, connect)
    said = find_said(settings, workspace, log, connect=connect, today=today)
    if settings.base:
        base = _load("base", settings.base, workspace, log)
        head = _load("head", settings.head, workspace, log)
        earlier: tuple[Suite, ...] = ()
        if settings.history is not None:
            job = job_of(environ, settings, workspace, context, log, connect, sleep)
            earlier = earlier_of(job, head, settings, workspace)
            log.say(_known(earlier))
        return compared(base, head, plan, said, settings, workspace, context, earlier=earlier)
    head = _load("head", settings.head, workspace, log)
    job = job_of(environ, settings, workspace, context, log, connect, sleep)
    kept = baseline_of(job, head, settings, workspace)
    log.say(kept.sentence)
    log.say(_known(kept.earlier))
    note = plain(kept.sentence, limit=2000)
    outcome = compared(
        kept.suite,
        head,
        plan,
        said,
        settings,
        workspace,
        context,
        note=note,
        earlier=kept.earlier,
    )
    return replace(outcome, summary=f"{outcome.summary}\n{note}\n")


def compared(
    base: Suite,
    head: Suite,
    planned: Planned,
    said: Said,
    settings: ActionInputs,
    workspace: Workspace,
    context: Context,
    *,
    note: str = "",
    earlier: Sequence[Suite] = (),
) -> ModeResult:
    """Compare two suites, write the report, and say what is to be told; see `judged`."""
    told = judged(
        base, head, planned, said, settings, workspace, context, note=note, earlier=earlier
    )
    return outcome_of(told, planned, settings, workspace, context)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a comparison has to say, as plain data.

    Parameters
    ----------
    verdict : str
        The one word for it all.
    outputs : mapping of str to str
        Counts, and the verdict for later steps.
    seconds_saved : str
        By the plan; empty without one.
    text, summary : str
        The comment, and the job's summary, as Markdown.
    annotations : tuple of str
        Ready-made commands for the log.
    failures : tuple of str
        Those conditions of ``fail-on`` that hold.
    check : Check, optional
        The commit's check run.
    """

    verdict: Verdict
    outputs: Mapping[str, str]
    seconds_saved: str
    text: str
    summary: str
    annotations: tuple[str, ...]
    failures: tuple[str, ...]
    check: Check | None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Judged:
        """Return what `dataclasses.asdict` made JSON of."""
        check = data["check"]
        if check is not None:
            notes = tuple(Annotation(**one) for one in check["annotations"])
            check = Check(**{**check, "annotations": notes})
        lists = {name: tuple(data[name]) for name in ("annotations", "failures")}
        return cls(**{**data, **lists, "check": check})


def judged(
    base: Suite,
    head: Suite,
    planned: Planned,
    said: Said,
    settings: ActionInputs,
    workspace: Workspace,
    context: Context,
    *,
    note: str = "",
    earlier: Sequence[Suite] = (),
) -> Judged:
    """Compare two suites, and write the report.

    Parameters
    ----------
    base, head : Suite
        What was measured.
    planned : Planned
        What both were to follow.
    said : Said
        What is acknowledged, ignored, and has a threshold of its own.
    settings, workspace, context
        As in `compare_mode`.
    note : str
        Markdown that ends the comment.
    earlier : sequence of Suite
        Runs that tell how much runs differ.

    Raises
    ------
    InputError
        If the two cannot be compared, or a path leads nowhere or outside.
    """
    refuse_same_run(base, head)
    out = workspace.folder(settings.out, "out")
    plan = planned.plan
    comparison = compare(
        base,
        head,
        rule=settings.rule,
        plan=plan,
        earlier=earlier,
        min_change=settings.min_change,
        confidence=settings.confidence,
        strict_environment=settings.environment == "require-same",
        settings=said.settings,
    )
    comparison = said.apply(comparison, context)
    advice = planned.advice((base, head), said.today)
    comparison = replace(comparison, remarks=(*comparison.remarks, *advice))
    title = title_of(settings)
    foot = f"\n\n{note}\n" if note else ""
    text = comment(
        comparison,
        plan,
        title=title,
        key=settings.key,
        report_url=context.run_url or None,
        limit=COMMENT_LIMIT - FRAME_CHARACTERS - len(foot),
    )
    text = f"{text.rstrip()}{foot}" if foot else text
    write_report(out, comparison, plan, base=base, head=head, title=title, key=settings.key)
    write_text(out / "comment.md", text)
    workspace.hand_over(out)
    failures = reasons_to_fail(comparison, settings.fail_on)
    fatal = "regression" in settings.fail_on
    lines = _lines(comparison, settings, workspace)
    return Judged(
        verdict=comparison.verdict,
        outputs=_outputs(comparison),
        seconds_saved="" if plan is None else f"{plan.former_seconds - plan.seconds:.0f}",
        text=text,
        summary=(out / "summary.md").read_text(encoding="utf-8"),
        annotations=tuple(
            annotations_of(comparison, regressions="error" if fatal else "warning", lines=lines)
        ),
        failures=failures,
        check=check_of(
            comparison,
            text,
            name=check_name(settings),
            failed=bool(failures),
            fatal_regressions=fatal,
            lines=lines,
        )
        if settings.check
        else None,
    )


def outcome_of(
    told: Judged, planned: Planned, settings: ActionInputs, workspace: Workspace, context: Context
) -> ModeResult:
    """Return what is to be told to whom."""
    out = workspace.folder(settings.out, "out")
    found = marker(settings.key)
    return ModeResult(
        headline=_headline(told.outputs),
        outputs={
            **told.outputs,
            "plan": "" if planned.path is None else workspace.relative(planned.path),
            "seconds-saved": told.seconds_saved,
            "report": workspace.relative(out / "report.html"),
        },
        summary=told.summary,
        marker=found,
        comment=sticky(
            found,
            told.text,
            verdict=told.verdict,
            commit=context.head,
            when=settings.comment,
            when_resolved=settings.when_resolved,
        ),
        comment_file=out / "comment.md",
        annotations=told.annotations,
        failures=told.failures,
        check=told.check,
    )


def _known(earlier: Sequence[Suite]) -> str:
    told = f"history: {len(earlier)} runs on the same surroundings"
    if len(earlier) < LEAST_RUNS:
        return f"{told}; from {LEAST_RUNS} on they tell how much runs differ"
    return f"{told} tell how much runs differ"


def _lines(
    comparison: Comparison, settings: ActionInputs, workspace: Workspace
) -> Mapping[Identity, SourceLine]:
    """Return where the benchmarks stand that something is found of.

    Only mode `compare` runs where head is checked out.
    """
    told = [f.identity for f in findings(comparison) if f.identity is not None]
    if settings.mode != "compare" or not told:
        return {}
    return find_lines(workspace.root, told)


def title_of(settings: ActionInputs) -> str:
    """Return what the suite is called in comment and report."""
    return "Benchmarks" if settings.key == "default" else f"Benchmarks: {settings.key}"


def check_name(settings: ActionInputs) -> str:
    """Return what the suite's check run is called: as no job is called by chance."""
    return f"steady: {title_of(settings)}"


def _load(side: str, patterns: tuple[str, ...], workspace: Workspace, log: Log) -> Suite:
    if len(patterns) == 1 and left_nothing(workspace.root / patterns[0]):
        log.say(f"{side}: the run left no result")
        return Suite(())
    files = workspace.files(patterns, side)
    suite = load([str(file) for file in files], empty=True)
    log.say(f"{side}: {len(suite)} benchmarks from {', '.join(map(str, files))}")
    for failure in suite.failures:
        log.say(f"{side}: {failure.identity.label} failed: {failure.reason}")
    if left_out := left_out_sentence(suite):
        log.say(f"{side}: {left_out}")
    return suite


def _outputs(comparison: Comparison) -> dict[str, str]:
    ledger = comparison.ledger
    worse, better = len(comparison.regressions), len(comparison.improvements)
    return {
        "verdict": comparison.verdict.replace(" ", "-"),
        "regressions": str(worse),
        "improvements": str(better),
        "unchanged": str(len(comparison.unchanged)),
        "unclear": str(len(comparison.unclear)),
        "acknowledged": str(len(comparison.acknowledged)),
        "missing": str(
            sum(map(len, (ledger.failed, ledger.missing, ledger.gone, ledger.incomparable)))
        ),
    }


def _headline(outputs: Mapping[str, str]) -> str:
    counts = ("regressions", "improvements", "unchanged", "unclear", "missing")
    told = ", ".join(f"{name} {outputs[name]}" for name in counts)
    return f"verdict: {outputs['verdict']} ({told})"

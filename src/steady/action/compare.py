"""Mode ``compare``: two runs of the suite, and what became of every benchmark."""

from __future__ import annotations

from pathlib import Path

from steady.action.log import Log
from steady.action.outcome import Outcome
from steady.action.settings import DEFAULT_PLAN, Settings
from steady.action.sticky import FRAME_CHARACTERS, sticky
from steady.action.workspace import Workspace
from steady.compare import Comparison, compare
from steady.files import write_text
from steady.gate import reasons_to_fail
from steady.github import Context
from steady.model import Suite
from steady.optimize import read_plan
from steady.readers import load
from steady.report.annotations import annotations as annotations_of
from steady.report.folder import write_report
from steady.report.markdown import COMMENT_LIMIT, comment, marker


def compare_mode(settings: Settings, workspace: Workspace, context: Context, log: Log) -> Outcome:
    """Compare head against base.

    Parameters
    ----------
    settings : Settings
        What was asked for.
    workspace : Workspace
        Where results, plan and report are.
    context : Context
        Whose results they are.
    log : Log
        Hears what was read.

    Returns
    -------
    Outcome
        The report is written already.

    Raises
    ------
    InputError
        If a path leads nowhere or outside, or a file cannot be used.
    """
    out = workspace.folder(settings.out, "out")
    plan_path = _plan_path(settings, workspace, log)
    plan = None if plan_path is None else read_plan(plan_path)
    base = _load("base", settings.base, workspace, log)
    head = _load("head", settings.head, workspace, log)
    comparison = compare(
        base,
        head,
        rule=settings.rule,
        plan=plan,
        min_change=settings.min_change,
        confidence=settings.confidence,
        strict_environment=settings.environment == "require-same",
    )
    title = "Benchmarks" if settings.key == "default" else f"Benchmarks: {settings.key}"
    text = comment(
        comparison,
        plan,
        title=title,
        key=settings.key,
        report_url=context.run_url or None,
        limit=COMMENT_LIMIT - FRAME_CHARACTERS,
    )
    write_report(out, comparison, plan, base=base, head=head, title=title, key=settings.key)
    comment_file = write_text(out / "comment.md", text)
    workspace.hand_over(out)
    found = marker(settings.key)
    outputs = _outputs(comparison)
    return Outcome(
        headline=_headline(outputs),
        outputs={
            **outputs,
            "plan": "" if plan_path is None else workspace.relative(plan_path),
            "seconds-saved": "" if plan is None else f"{plan.full_seconds - plan.seconds:.0f}",
            "report": workspace.relative(out / "report.html"),
        },
        summary=(out / "summary.md").read_text(encoding="utf-8"),
        marker=found,
        comment=sticky(found, text, verdict=comparison.verdict, commit=context.head),
        comment_file=comment_file,
        annotations=tuple(
            annotations_of(
                comparison,
                regressions="error" if "regression" in settings.fail_on else "warning",
            )
        ),
        failures=reasons_to_fail(comparison, settings.fail_on),
    )


def _plan_path(settings: Settings, workspace: Workspace, log: Log) -> Path | None:
    """Return the plan's path; without one, only base tells what head should hold."""
    if settings.plan is None and not workspace.has(DEFAULT_PLAN):
        log.say(f"no plan: there is no {DEFAULT_PLAN}, so only base tells what is missing in head")
        return None
    return workspace.file(settings.plan or DEFAULT_PLAN, "plan")


def _load(side: str, patterns: tuple[str, ...], workspace: Workspace, log: Log) -> Suite:
    files = workspace.files(patterns, side)
    suite = load([str(file) for file in files])
    log.say(f"{side}: {len(suite)} benchmarks from {', '.join(map(str, files))}")
    for failure in suite.failures:
        log.say(f"{side}: {failure.identity.label} failed: {failure.reason}")
    return suite


def _outputs(comparison: Comparison) -> dict[str, str]:
    ledger = comparison.ledger
    changes, worse, better = map(
        len, (comparison.changes, comparison.regressions, comparison.improvements)
    )
    return {
        "verdict": comparison.verdict.replace(" ", "-"),
        "regressions": str(worse),
        "improvements": str(better),
        "unchanged": str(changes - worse - better),
        "missing": str(
            sum(map(len, (ledger.failed, ledger.missing, ledger.gone, ledger.incomparable)))
        ),
    }


def _headline(outputs: dict[str, str]) -> str:
    counts = ("regressions", "improvements", "unchanged", "missing")
    told = ", ".join(f"{name} {outputs[name]}" for name in counts)
    return f"verdict: {outputs['verdict']} ({told})"

"""Mode ``optimize``: from a full run to the least that each benchmark has to run."""

from dataclasses import replace
from pathlib import Path

from steady.action.committing import configuration
from steady.action.outcome import ModeResult
from steady.action.task import Task, find_settings
from steady.action.workspace import Workspace
from steady.emit import PATCH, check_annotations, emit
from steady.files import write_text
from steady.harnesses import harness_named
from steady.model import Suite
from steady.optimize import Plan, optimize
from steady.optimize.plan_changes import plan_changes
from steady.readers import load
from steady.report.output_formats import PAGE
from steady.report.plan_files import RECEIPT, TABLE, last_plan, write_plan_files
from steady.report.plan_page import write_plan_page
from steady.report.plan_receipt import ReceiptContext, receipt
from steady.report.plan_report import reduced
from steady.text.escape import code_span
from steady.text.numbers import count


def optimize_mode(task: Task) -> ModeResult:
    """Make the plan and what the harness needs to follow it.

    Parameters
    ----------
    task : Task
        What was asked for, where results and jar are, and where the plan goes.

    Returns
    -------
    ModeResult
        Plan, configuration and receipt are written already.

    Raises
    ------
    InputError
        If a path leads nowhere or outside, or a file cannot be used.
    """
    inputs, workspace, log = task.inputs, task.workspace, task.log
    out = workspace.folder(inputs.out, "out")
    jar = None if inputs.jar is None else workspace.file(inputs.jar, "jar")
    sources = (
        None if inputs.annotations is None else workspace.sources(inputs.annotations, "annotations")
    )
    suite = _full_run(task, jar)
    if sources is not None:
        check_annotations(suite.harness, sources)
    plan = _plan(task, suite)
    last, problem = last_plan(out)
    around = ReceiptContext(
        changes=None if last is None else plan_changes(last, plan), problem=problem
    )
    emitted = emit(plan, out, jar=jar, annotations=sources)
    files_of_plan = write_plan_files(plan, out)
    written = write_text(out / RECEIPT, receipt(plan))
    log.say("\n".join(filter(None, (plan.judged, *emitted.notes, *files_of_plan.notes))))
    page = write_plan_page(out, plan, suite, jobs=None)  # no part of what is committed
    log.say(f"page: {page}")
    workspace.hand_over(out)
    path, *others = files_of_plan.files
    own = (path, *(file for file in emitted.files if file.name != PATCH), *others, written)
    change = configuration(workspace, out, own, emitted.sources) if inputs.commit else None
    text = receipt(plan, replace(around, more=_where(workspace, out)))
    # A key holds no colon: no comparison's comment can be taken for this one.
    marker = f"<!-- steady:{inputs.key}:plan -->"
    return ModeResult(
        headline=_headline(plan),
        outputs={
            "plan": workspace.relative(path),
            "seconds-saved": f"{plan.former_seconds - plan.seconds:.0f}",
            "report": workspace.relative(written),
        },
        summary=text,
        marker=marker,
        text=text,
        configuration=change,
        proposal=lambda address: receipt(plan, replace(around, address=address)),
    )


def _full_run(task: Task, jar: Path | None) -> Suite:
    """Read the results, with what the jar says that the benchmarks declare."""
    files = task.workspace.files(task.inputs.results, "results")
    suite = load([str(file) for file in files])
    declaring = harness_named(suite.harness).declaring
    if jar is not None and declaring is not None:
        suite = declaring.add(suite, jar)
    task.log.say(f"results: {count(len(suite), 'benchmark')} from {', '.join(map(str, files))}")
    return suite


def _plan(task: Task, suite: Suite) -> Plan:
    """Plan as the inputs say."""
    inputs, settings = task.inputs, find_settings(task)
    return optimize(
        suite,
        inputs.strategy,
        important=None if settings is None else settings.is_important,
        jobs=None,
        min_forks=inputs.min_forks,
        unsteady=inputs.unsteady,
        detector=inputs.detector,
        similarity=inputs.similarity,
        **inputs.strategy_options,
    )


def _where(workspace: Workspace, out: Path) -> str:
    """Say where what the summary cannot show is: it has no links to files of the workspace."""
    folder = code_span(workspace.relative(out), in_table=False)
    return (
        f"In {folder}, `{TABLE}` lists all benchmarks with a figure, and `{PAGE}` shows the "
        "forks of each; keep the folder with actions/upload-artifact."
    )


def _headline(plan: Plan) -> str:
    return (
        f"plan: {len(reduced(plan))} of {len(plan)} benchmarks reduced; "
        f"{plan.former_seconds:.0f} s become {plan.seconds:.0f} s"
    )

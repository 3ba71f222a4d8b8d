"""Mode ``optimize``: plan the smallest sufficient configuration of each benchmark."""

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
    """Make the plan and the harness's configuration for it.

    Parameters
    ----------
    task : Task
        Task of the job, with the paths of results, jar and plan.

    Returns
    -------
    ModeResult
        Result; plan, configuration and receipt are already written.

    Raises
    ------
    InputError
        If a path does not exist or lies outside the workspace, or a file is invalid.
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
    page = write_plan_page(out, plan, suite, jobs=None)  # not committed
    log.say(f"page: {page}")
    workspace.hand_over(out)
    path, *others = files_of_plan.files
    own = (path, *(file for file in emitted.files if file.name != PATCH), *others, written)
    change = configuration(workspace, out, own, emitted.sources) if inputs.commit else None
    text = receipt(plan, replace(around, more=_where(workspace, out)))
    # A key contains no colon, so this cannot be the marker of a comparison's comment.
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
    """Read the results, with the configurations declared in the jar."""
    files = task.workspace.files(task.inputs.results, "results")
    suite = load([str(file) for file in files])
    declaring = harness_named(suite.harness).declaring
    if jar is not None and declaring is not None:
        suite = declaring.add(suite, jar)
    task.log.say(f"results: {count(len(suite), 'benchmark')} from {', '.join(map(str, files))}")
    return suite


def _plan(task: Task, suite: Suite) -> Plan:
    """Make the plan with the options of the inputs."""
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
    """Return the location of the page, because a summary cannot link to files of the workspace."""
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

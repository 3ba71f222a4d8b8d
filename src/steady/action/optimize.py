"""Mode ``optimize``: from a full run to the least that each benchmark has to run."""

from steady.action.committing import configuration
from steady.action.outcome import ModeResult
from steady.action.task import Task, find_settings
from steady.emit import PATCH, check_annotations, emit
from steady.files import write_text
from steady.harness import harness_named
from steady.optimize import Plan, optimize, write_plan
from steady.optimize.plan_json import FILE_NAME as PLAN
from steady.readers import load
from steady.report.plan_report import receipt
from steady.text.numbers import count

RECEIPT = "receipt.md"
"""The file that says what the plan saves."""


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
    files = workspace.files(inputs.results, "results")
    jar = None if inputs.jar is None else workspace.file(inputs.jar, "jar")
    sources = (
        None if inputs.annotations is None else workspace.sources(inputs.annotations, "annotations")
    )
    suite = load([str(file) for file in files])
    declaring = harness_named(suite.harness).declaring
    if jar is not None and declaring is not None:
        suite = declaring.add(suite, jar)
    if sources is not None:
        check_annotations(suite.harness, sources)
    log.say(f"results: {count(len(suite), 'benchmark')} from {', '.join(map(str, files))}")
    settings = find_settings(task)
    plan = optimize(
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
    emitted = emit(plan, out, jar=jar, annotations=sources)
    log.say("\n".join(emitted.notes))
    path = write_plan(plan, out / PLAN)
    text = receipt(plan)
    written = write_text(out / RECEIPT, text)
    workspace.hand_over(out)
    own = (path, *(file for file in emitted.files if file.name != PATCH), written)
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
        comment_file=str(written),
        configuration=configuration(workspace, out, own, emitted.sources)
        if inputs.commit
        else None,
    )


def _headline(plan: Plan) -> str:
    reduced = sum(benchmark.status == "reduced" for benchmark in plan.benchmarks)
    return (
        f"plan: {reduced} of {len(plan)} benchmarks reduced; {plan.former_seconds:.0f} s become "
        f"{plan.seconds:.0f} s"
    )

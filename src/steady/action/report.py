"""Mode ``report``: what another workflow's run measured, judged and reported by a job with rights.

The run that measured ran a stranger's code, so this job trusts nothing that it left. It asks GitHub
which pull request the run belongs to, takes from this workspace's plan what was to be run, and
makes the verdict itself. The files of an artifact become suites, nothing else: the reader of
results limits each text (`steady.readers.lengths`), and this module the amount.
"""

import tempfile
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from github import Github

from steady import door
from steady.action.confined import Ask
from steady.action.inputs import ActionInputs
from steady.action.outcome import ModeResult
from steady.action.suite_report import SuiteReport
from steady.action.task import Task, answers, find_plan, find_settings
from steady.errors import InputError, SteadyError
from steady.github import Context
from steady.github.archive import LIMITS, read_entries
from steady.github.artifacts import download, find_artifact
from steady.github.context import WORKFLOW_RUN
from steady.github.origin import Run, pull_request_of, read_run
from steady.model import Suite
from steady.readers import load, open_document
from steady.readers.beside_results import NOT_RUN
from steady.readers.fields import quoted
from steady.report.markdown import marker
from steady.samecode.file import FILE_NAME as SAME_CODE
from steady.text.escape import plain

MOST_CELLS = 16_000_000
"""Of all arrays of one side together: four for each value that is read."""

SIDES = ("base", "head")

_ENDINGS = ("json", "txt")

_SIDECARS = ("environment.json", SAME_CODE, NOT_RUN)

FILES = (*(f"{side}.{ending}" for side in SIDES for ending in _ENDINGS), *_SIDECARS, "run.json")
"""All that an artifact may hold. ``run.json`` is not read: nothing depends on it."""

MOST_BENCHMARKS = 20_000

MOST_LISTS = 500_000
"""Lists and objects of one side. JMH writes one for each fork, and some for each benchmark."""

MOST_VALUES = 4_000_000
"""Values of one side, of any kind."""

_NOTHING_MEASURED = {
    "": "run {run} has been started again, and reports when it ends",
    "skipped": "run {run} was skipped, so nothing was measured",
    "action_required": "run {run} waits until a maintainer approves it",
}


def report_mode(task: Task) -> ModeResult:
    """Compare what the run that has just ended measured.

    Parameters
    ----------
    task : Task
        What was asked for, and by which event.

    Returns
    -------
    ModeResult
        With the pull request it belongs to, or why nothing is posted.

    Raises
    ------
    SteadyError
        If inputs, event or plan cannot be used, or GitHub does not answer.
    """
    inputs, context, log = task.inputs, task.context, task.log
    number = _finished_run(context)
    if not inputs.token:
        raise InputError("mode `report` needs a token: leave `token` out, or give one")
    task.workspace.folder(inputs.out, "out")
    path, plan = find_plan(task)
    settings = find_settings(task)

    def cannot(reason: str) -> NoReturn:
        raise SteadyError(f"run {number} cannot be reported: {reason}")

    name, repository = f"run {number}", context.repository
    left = {"permission": "actions: read", "what": f"what {name} left", "missing": name}
    listed = {"what": "to pull requests", "missing": "pull requests"}
    run = task.ask_github(lambda client: read_run(client, repository, number), cannot, **left)
    if obstacle := _obstacle(run, inputs):
        return _nothing(inputs, obstacle)
    match = task.ask_github(
        lambda client: pull_request_of(client, repository, run), cannot, **listed
    )
    if match.number is None and not match.rivals:
        return _nothing(inputs, match.obstacle)
    first, *others = match.rivals or (match.number,)
    here = replace(context, pull_request=first, head=run.head)
    task = replace(task, context=here)
    report = SuiteReport.of(task, path, plan, settings)
    note = _note(context, run)
    if match.rivals:
        result = report.not_compared(match.obstacle, note)
        return replace(result, context=here, also=tuple(others))
    log.say(f"run {number} measured commit {run.head} of pull request {first}")
    try:
        archive = task.ask_github(lambda client: _archive(client, task, run), cannot, **left)
        work = partial(_compare, archive=archive, report=report, note=note, base=match.base)
        compared = task.confine(work, answers(task, path))
        for line in compared["log"]:
            log.say(line)
        result = report.posted(ModeResult.of_comparison(compared["result"]))
    except InputError as error:
        result = report.not_compared(str(error), note)
    return replace(result, context=here)


def _compare(
    ask: Ask, *, archive: bytes, report: SuiteReport, note: str, base: str
) -> dict[str, Any]:
    """Read, compare and render, and ask for what only the job itself may find out."""
    suites = suites_of(archive, f"artifact `{report.inputs.artifact}`")
    result = report.compared(*suites, ask, note=note, base_commit=base)
    sides = zip(("base", "head"), suites, strict=True)
    log = [f"{side}: {len(s)} benchmarks, {len(s.failures)} failures" for side, s in sides]
    return {"log": log, "result": asdict(result)}


def _finished_run(context: Context) -> int:
    if context.problem:
        raise InputError(context.problem)
    if context.finished_run is None:
        raise InputError(
            f"mode `report` belongs in a workflow on `{WORKFLOW_RUN}`, and this one runs on "
            f"`{context.event}`"
        )
    return context.finished_run


def _obstacle(run: Run, inputs: ActionInputs) -> str:
    """Say why there is nothing to report; empty: there is something.

    Raises
    ------
    InputError
        If the run is of another workflow.
    """
    expected = f".github/workflows/{inputs.workflow}"
    if run.workflow != expected:
        raise InputError(
            f"run {run.number} is one of {run.workflow!r}, not of {expected!r}: name the workflow "
            "that measures in input `workflow` and under `on: workflow_run`"
        )
    if run.event != "pull_request":
        return f"run {run.number} was started by `{run.event}`, not by a pull request"
    return _NOTHING_MEASURED.get(run.conclusion, "").format(run=run.number)


def _archive(client: Github, task: Task, run: Run) -> bytes:
    """Return the artifact's archive.

    Raises
    ------
    InputError
        If the run left none, or none to be used.
    """
    if run.conclusion != "success":
        raise InputError(f"the run that measures ended with `{run.conclusion}`; its log says why")
    context, inputs = task.context, task.inputs
    artifact = find_artifact(client, context.repository, run, inputs.artifact)
    if artifact is None:
        raise InputError(f"the run that measures left no artifact `{inputs.artifact}`")
    return download(artifact, context.repository, inputs.token, context.api_url, LIMITS.archive)


def _nothing(inputs: ActionInputs, reason: str) -> ModeResult:
    headline, summary = f"nothing to report: {reason}", f"**Nothing to report:** {plain(reason)}.\n"
    return ModeResult(headline, {}, summary, marker(inputs.key), no_comment=reason)


def _note(context: Context, run: Run) -> str:
    """Say whose numbers these are, as Markdown."""
    name = f"run {run.number}"
    if context.run_url:
        name = f"[{name}]({context.run_url.rpartition('/')[0]}/{run.number})"
    return (
        f"<sub>Measured by {name}, which runs the pull request's own code and can say anything; "
        "compared by a job that runs none of it.</sub>"
    )


def suites_of(archive: bytes, source: str, *, most: int = MOST_BENCHMARKS) -> tuple[Suite, Suite]:
    """Read base and head from an artifact.

    The files are written to a fresh folder, under names of our own, which is deleted at the end.

    Parameters
    ----------
    archive : bytes
        The artifact as GitHub hands it out.
    source : str
        What messages call it.
    most : int
        Benchmarks of one side that are taken at most.

    Raises
    ------
    InputError
        If the archive holds anything else than results, or one of its files cannot be used.
    """
    entries = read_entries(archive, FILES, source)
    with tempfile.TemporaryDirectory(prefix="steady-") as name, door.also_in(Path(name)):
        folder = Path(name)
        for sidecar in _SIDECARS:
            if sidecar in entries:
                (folder / sidecar).write_bytes(entries[sidecar])
        try:
            base, head = (_suite(side, entries, folder, most) for side in SIDES)
        except InputError as error:
            message = str(error).replace(f"{folder}/", "")
            raise InputError(message, source=source) from None
    return base, head


def _suite(side: str, entries: dict[str, bytes], folder: Path, most: int) -> Suite:
    names = [name for ending in _ENDINGS if (name := f"{side}.{ending}") in entries]
    if len(names) != 1:
        which = "both" if names else "neither"
        raise InputError(f"holds {which} of {side}.json and {side}.txt; one of them is expected")
    path = folder / names[0]
    path.write_bytes(entries[names[0]])
    _check_amount(path)
    suite = load(path, limit=LIMITS.entry, empty=True)
    left_out = len(suite.not_run) + len(suite.same_code.not_measured)
    if len(suite) + len(suite.failures) + left_out > most:
        raise InputError(f"holds more than {most} benchmarks", source=path)
    if sum(benchmark.measurements.size for benchmark in suite.benchmarks) > MOST_CELLS:
        problem = (
            f"becomes arrays of more than {MOST_CELLS:,} cells, since its forks have very "
            "different numbers of iterations"
        )
        raise InputError(problem, source=path)
    for benchmark in suite.benchmarks:
        if not benchmark.in_range or (benchmark.measurements < 0).any():
            problem = (
                f"{quoted(benchmark.identity.label)} holds a value that no measurement has; "
                "values are 0, or from 1e-100 to 1e100"
            )
            raise InputError(problem, source=path)
    return replace(suite, sources=tuple(names))


def _check_amount(path: Path) -> None:
    """Refuse a text that would take minutes to read, before it is parsed.

    Brackets and commas are counted, since each fork takes time, however short its list is.
    """
    text = open_document(path, LIMITS.entry).text
    problem = ""
    if text.count("[") + text.count("{") > MOST_LISTS:
        lists = f"{MOST_LISTS:,} lists and objects"
        problem = f"holds more than {lists}, and each fork is a list; measure with fewer forks"
    # A JSON file has a comma for each value, a text a line.
    elif max(text.count(","), text.count("\n")) > MOST_VALUES:
        problem = f"holds more than {MOST_VALUES:,} values; measure with fewer iterations"
    if problem:
        raise InputError(problem, source=path)

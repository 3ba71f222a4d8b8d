"""Mode ``optimize``: plan the smallest stable configuration of each benchmark, and commit it.

Unlike a comment, a requested commit that fails also fails the job; otherwise, the repository's plan
would become outdated unnoticed.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from steady import safe_open
from steady.action.inputs import ActionInputs
from steady.action.outcome import ModeResult
from steady.action.runner import Log
from steady.action.task import Task, find_settings
from steady.action.workspace import Workspace
from steady.emit import PATCH, check_annotations, configuration_files, emit
from steady.errors import InputError
from steady.files import LARGEST_JSON, write_text
from steady.github import Context
from steady.github.commit_content import Change
from steady.github.configuration import (
    Committed,
    NotCommittedError,
    Target,
    commit_configuration,
    made_by_steady,
)
from steady.github.error_messages import PREFIX
from steady.harnesses import harness_named
from steady.model import Suite
from steady.optimize import Plan, optimize
from steady.optimize.plan_changes import plan_changes
from steady.readers import load
from steady.report.output_formats import PAGE
from steady.report.plan_files import ATTRIBUTES, OURS, RECEIPT, TABLE, last_plan, write_plan_files
from steady.report.plan_page import write_plan_page
from steady.report.plan_receipt import ReceiptContext, receipt
from steady.report.plan_report import reduced
from steady.text.escape import code_span, plain
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
        f"{plan.former_seconds:.0f} s before, {plan.seconds:.0f} s planned"
    )


EVENTS = ("push", "schedule", "workflow_dispatch", "repository_dispatch")
"""Events whose results belong to a branch of this repository rather than to a pull request."""

NO_SOURCES: Mapping[Path, bytes] = {}

_ADDRESS = re.compile(r"https?://[A-Za-z0-9.:/_-]+")


@dataclass(frozen=True, slots=True)
class Delivered:
    """The outcome of delivering the configuration.

    Parameters
    ----------
    outputs : mapping of str to str
        Outputs for later steps.
    summary : str
        Markdown for the job summary.
    failed : bool
        Whether a requested commit could not be made.
    """

    outputs: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    failed: bool = False


def configuration(
    workspace: Workspace,
    out: Path,
    written: tuple[Path, ...],
    sources: Mapping[Path, bytes] = NO_SOURCES,
) -> Change:
    """Return the changes to the repository that a plan requires.

    Parameters
    ----------
    workspace : Workspace
        Workspace that contains the checkout, at its root or in a subfolder.
    out : Path
        Folder of the configuration.
    written : tuple of Path
        Files to commit, the plan first.
    sources : mapping of Path to bytes
        New contents of source files.

    Raises
    ------
    InputError
        If a file is outside the repository of `out`, or a source file is in a ``.git`` folder.
    """
    root = workspace.checkout(out)

    def path_of(path: Path) -> str:
        target, problem = path.resolve(), "is outside the repository of the configuration"
        if not target.is_relative_to(root):
            raise InputError(problem, source=path)
        if ".git" in target.relative_to(root).parts:
            raise InputError("belongs to Git, and cannot be committed", source=path)
        return target.relative_to(root).as_posix()

    files = {path_of(path): safe_open.read_untrusted(path, LARGEST_JSON) for path in written}
    outdated = tuple(path_of(out / name) for name in configuration_files())
    before = {path_of(path): safe_open.read_untrusted(path, LARGEST_JSON) for path in sources}
    files |= {path_of(path): text for path, text in sources.items()}
    ours = {path_of(out / ATTRIBUTES): OURS.encode()}
    return Change(files, outdated, proof=path_of(written[0]), ours=ours, before=before)


def deliver_configuration(outcome: ModeResult, task: Task) -> Delivered:
    """Commit the configuration, if requested and allowed for the event.

    Parameters
    ----------
    outcome : ModeResult
        Result with the changes to commit.
    task : Task
        Task of the job.
    """
    settings, context, log = task.inputs, task.context, task.log
    if settings.commit is None or outcome.configuration is None:
        return Delivered()
    where = Path(outcome.outputs["plan"]).parent.as_posix()
    kept = f"the files are in {where}: keep them with actions/upload-artifact"
    if reason := task.cannot_post:
        log.annotate("notice", f"Dry run: {reason}. Nothing is committed; {kept}.")
        return Delivered()
    reason = _forbidden_event(context)
    try:
        client = task.connect(settings.token, context.api_url)
        pushed = not reason and context.event == "push" and context.head
        if pushed and made_by_steady(client, context, task.retries):
            reason = "this run was triggered by a commit of steady"
        if reason:
            log.annotate("notice", f"Nothing is committed: {reason}; {kept}.")
            return Delivered()
        target = _target(outcome, settings, context)
        done = commit_configuration(
            client,
            context,
            outcome.configuration,
            settings.commit_message,
            target,
            task.retries,
        )
    except NotCommittedError as error:
        log.annotate("error", f"Not committed: {error}; {kept}.")
        outputs = {"commit": error.commit} if error.commit else {}
        return Delivered(outputs, _paragraph(f"Not committed: {error}."), failed=True)
    return _done(done, log)


def _forbidden_event(context: Context) -> str:
    if context.branch.startswith(PREFIX):
        return f"this run is on `{context.branch}`, a branch of steady"
    if context.event not in EVENTS:
        return (
            f"the event `{context.event}` may belong to a pull request; only runs triggered by "
            f"{', '.join(EVENTS[:-1])} or {EVENTS[-1]} commit"
        )
    return ""


def _target(outcome: ModeResult, settings: ActionInputs, context: Context) -> Target:
    if settings.commit is not None and settings.commit.branch is not None:
        return Target(context.branch, settings.commit.branch)
    marker = f"<!-- steady:{settings.key}:plan-pull-request -->"

    def body(commit: str) -> str:
        """Return the description with a permalink to the commit's picture."""
        address = _addresses(outcome, context, commit)
        text = outcome.summary if outcome.proposal is None else outcome.proposal(address)
        return f"{marker}\n{text.strip()}\n"

    branch = f"{PREFIX}{settings.key}"
    return Target(context.branch, branch, settings.commit_message, body, marker)


def _addresses(outcome: ModeResult, context: Context, commit: str) -> Callable[[str], str] | None:
    """Return a function from file names to permalinks of a commit; None if there is no server.

    The files are in the plan's folder. In a description, unlike in a file, GitHub resolves relative
    links against the page. With ``?raw=true``, a link returns the image itself, also in a private
    repository, to users with read access.
    """
    if not context.server or outcome.configuration is None:
        return None
    folder = outcome.configuration.proof.rpartition("/")[0]
    where = f"{context.server}/{context.repository}/blob/{commit}"
    return lambda name: f"{where}/{quote(f'{folder}/{name}'.lstrip('/'))}?raw=true"


def _done(done: Committed, log: Log) -> Delivered:
    address, news = done.pull_request, done.news
    log.say(f"commit: {news}{address and f': {address}'}")
    outputs = {"pull-request": address, "commit": done.commit}
    return Delivered(outputs, _paragraph(f"{news[:1].upper()}{news[1:]}.", address))


def _paragraph(sentence: str, address: str = "") -> str:
    """Return Markdown that shows the text literally, with links for URLs."""
    link = f" <{address}>" if _ADDRESS.fullmatch(address) else ""
    return f"\n\n{plain(sentence, limit=1000)}{link}\n"

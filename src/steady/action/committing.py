"""Committing what mode ``optimize`` wrote, or saying why not.

Unlike a comment, a commit that was asked for and cannot be made fails the job: nothing else would
tell that the plan in the repository grows old.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from steady import safe_open
from steady.action.inputs import ActionInputs
from steady.action.outcome import ModeResult
from steady.action.runner import Log
from steady.action.task import Task
from steady.action.workspace import Workspace
from steady.emit import configuration_files
from steady.errors import InputError
from steady.files import LARGEST_JSON
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
from steady.report.plan_files import ATTRIBUTES, OURS
from steady.text.escape import plain

EVENTS = ("push", "schedule", "workflow_dispatch", "repository_dispatch")
"""Those whose results belong to a branch of this repository, and to nobody's proposal."""

NO_SOURCES: Mapping[Path, bytes] = {}

_ADDRESS = re.compile(r"https?://[A-Za-z0-9.:/_-]+")


@dataclass(frozen=True, slots=True)
class Delivered:
    """The outcome of delivering the configuration.

    Parameters
    ----------
    outputs : mapping of str to str
        For later steps.
    summary : str
        Markdown for the job's page.
    failed : bool
        Whether it was asked for and could not be done.
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
    """Return what a plan changes in the repository.

    Parameters
    ----------
    workspace : Workspace
        Where the repository is checked out: as a whole, or in a folder of its own.
    out : Path
        Folder of the configuration.
    written : tuple of Path
        Its files that belong into the repository, the plan first.
    sources : mapping of Path to bytes
        What sources are to hold.

    Raises
    ------
    InputError
        If a file is outside the repository that holds `out`, or a source is Git's own.
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
    """Commit the configuration, where that was asked for and the event allows it.

    Parameters
    ----------
    outcome : ModeResult
        What to commit.
    task : Task
        What was asked for, and where.
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
        """Return the description, whose picture is that of a commit: no later one changes it."""
        address = _addresses(outcome, context, commit)
        text = outcome.summary if outcome.proposal is None else outcome.proposal(address)
        return f"{marker}\n{text.strip()}\n"

    branch = f"{PREFIX}{settings.key}"
    return Target(context.branch, branch, settings.commit_message, body, marker)


def _addresses(outcome: ModeResult, context: Context, commit: str) -> Callable[[str], str] | None:
    """Return what gives the addresses of a commit's files beside the plan; None without a server.

    In a description, unlike in a file, GitHub takes a relative link for one from the page. With
    ``?raw=true`` an address is that of the image, also in a private repository, for those who may
    read it.
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
    """Return Markdown that shows all of it literally, and links the address."""
    link = f" <{address}>" if _ADDRESS.fullmatch(address) else ""
    return f"\n\n{plain(sentence, limit=1000)}{link}\n"

"""Commit the files of mode ``optimize``, or report why not.

Unlike a comment, a requested commit that fails also fails the job; otherwise, the repository's plan
would become outdated unnoticed.
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
    """Return the changes of a plan to the repository.

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
        If a file is outside the repository of `out`, or a source is a file of Git's own.
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
    """Return a function from file names to permalinks of a commit; None without a server.

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

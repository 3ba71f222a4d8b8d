"""Commit the configuration by a pull request, or by pushing to a branch.

Branches are never force-pushed. steady's own branch is fast-forwarded by a commit that also merges
the target branch. If someone pushed in between, GitHub rejects the update and everything is read
again, so no commit is lost.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from github import Github

from steady.github.client import RetryBudget, RetryTimeoutError, StepError
from steady.github.commit_content import (
    Change,
    Difference,
    commit_message,
    difference,
    marked_tree,
)
from steady.github.context import Context
from steady.github.error_messages import explain_step, is_race
from steady.github.git_data import Commit, GitData
from steady.text.numbers import listed

_LONGEST_HISTORY = 20


@dataclass(frozen=True, slots=True)
class Target:
    """The destination of the configuration: a branch or a pull request.

    Parameters
    ----------
    base : str
        The pull request's target, or the starting point of a new branch. Empty for the repository's
        default branch.
    branch : str
        Branch that receives the commit. If the pull request does not target the default branch,
        ``@`` and the name of its target are appended.
    title : str, optional
        Title of the pull request; None to push to `branch` without a pull request.
    body : callable, optional
        Function from the hash of the branch's newest commit to the pull request's description,
        which must begin with `marker`. The description may contain permalinks to files of that
        commit.
    marker : str
        Beginning of descriptions by steady; a description without it was rewritten by a person and
        is kept.
    """

    base: str
    branch: str
    title: str | None = None
    body: Callable[[str], str] = str
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Committed:
    """The outcome of committing the configuration.

    Parameters
    ----------
    news : str
        Short summary for the log.
    commit : str
        Hash of the pushed commit; empty if nothing was pushed.
    pull_request : str
        URL of the open pull request; empty if there is none.
    """

    news: str
    commit: str = ""
    pull_request: str = ""


class NotCommittedError(Exception):
    """Raised if the configuration could not be committed.

    Parameters
    ----------
    reason : str
        The reason, as one sentence.
    commit : str
        Hash of a commit that was pushed before the failure; empty if there is none.
    """

    def __init__(self, reason: str, commit: str = "") -> None:
        super().__init__(reason)
        self.commit = commit


def commit_configuration(
    client: Github,
    context: Context,
    change: Change,
    subject: str,
    target: Target,
    retries: RetryBudget,
) -> Committed:
    """Commit a change to a branch, and open or update its pull request.

    Nothing is written if the branch already contains the files.

    Parameters
    ----------
    client : Github
        Client from `steady.github.connect`.
    context : Context
        Context of this run; provides the repository.
    change : Change
        Files to write and delete.
    subject : str
        Subject line of the commit message.
    target : Target
        Destination branch or pull request.
    retries : RetryBudget
        Time budget for requests to GitHub.

    Raises
    ------
    NotCommittedError
        If GitHub rejects a request, or someone else has committed to steady's own branch.
    """
    work = _Work(GitData(client, context.repository), change, subject, target)
    try:
        done = retries.ask(work.once, is_race)
    except (StepError, RetryTimeoutError) as error:
        reason = explain_step(error, context, own=target.title is not None)
        if work.pushed:
            reason += (
                f"; branch `{work.branch}` has been pushed, so you can open the pull request "
                "yourself"
            )
        raise NotCommittedError(reason, work.pushed) from error
    if not work.stale:
        return done
    news = f"{done.news}; skipped files that changed since this run began: {listed(work.stale)}"
    return replace(done, news=news)


def made_by_steady(client: Github, context: Context, retries: RetryBudget) -> bool:
    """Return whether this run's commit was made by steady, or merges such a commit.

    Raises
    ------
    NotCommittedError
        If the commit cannot be read.
    """
    git = GitData(client, context.repository)

    def ask() -> bool:
        commit = git.commit(context.head)
        commits = [commit, *(git.commit(sha) for sha in commit.parents[1:2])]
        return any(marked_tree(commit.message) for commit in commits)

    try:
        return retries.ask(ask)
    except (StepError, RetryTimeoutError) as error:
        raise NotCommittedError(explain_step(error, context)) from error


@dataclass
class _Work:
    """The state of committing one change to one target."""

    git: GitData
    change: Change
    subject: str
    target: Target
    pushed: str = ""
    stale: tuple[str, ...] = ()
    _made: str = ""

    def __post_init__(self) -> None:
        self.branch = self.target.branch

    def once(self) -> Committed:
        """Read the current state, and perform the steps that remain."""
        if self.target.title is None:
            return self._push(self.target.base or self.git.default_branch())
        default = self.git.default_branch()
        base = self.target.base or default
        # Proposals for different target branches must not share a branch.
        self.branch = self.target.branch if base == default else f"{self.target.branch}@{base}"
        return self._propose(base, self.target.title)

    def _push(self, base: str) -> Committed:
        tip = self.git.tip(self.branch)
        start = tip or self._start(base)
        diff = difference(self.git, start.tree, self._fitting(start))
        if not diff.is_empty:
            self._commit(diff, start, (start.sha,), is_new=tip is None)
        elif start.sha == self._made:
            self.pushed = self._made
        if self.pushed:
            return Committed(f"pushed to `{self.branch}`", self.pushed)
        name = base if tip is None else self.branch
        return Committed(f"the configuration on `{name}` is up to date")

    def _propose(self, base: str, title: str) -> Committed:
        start = self._start(base)
        change = self._fitting(start)
        diff = difference(self.git, start.tree, change)
        if diff.is_empty:
            news = f"the configuration on `{base}` is up to date"
            if present := self.git.open_pull_request(self.branch, base):
                news += f"; {present.url} proposes an earlier one: close it"
            return Committed(news)
        tip = self.git.tip(self.branch)
        if tip is not None and not self._is_ours(tip, base):
            raise NotCommittedError(
                f"branch `{self.branch}` has commits that steady did not make, so it was "
                "not changed: merge its pull request, or delete the branch, then run the job again"
            )
        here = None if tip is None else difference(self.git, tip.tree, change)
        if tip is None or here is None or not here.is_empty:
            self._commit(diff, start, self._parents(tip, start), is_new=tip is None)
        elif tip.sha == self._made:
            self.pushed = self._made
        newest = self.pushed or (tip.sha if tip is not None else "")
        return self._pull_request(base, title, self.target.body(newest))

    def _fitting(self, start: Commit) -> Change:
        """Return the change without source files that were modified since they were read."""
        without_modified = self.change.without_modified(self.git, start.tree)
        self.stale = tuple(path for path in self.change.files if path not in without_modified.files)
        return without_modified

    def _start(self, base: str) -> Commit:
        tip = self.git.tip(base)
        if tip is None:
            raise NotCommittedError(
                f"branch `{base}` of {self.git.repository} does not exist or is not visible to "
                "this token: run the job on a branch, and set `permissions: contents: write`"
            )
        return tip

    def _pull_request(self, base: str, title: str, body: str) -> Committed:
        present = self.git.open_pull_request(self.branch, base)
        if present is None:
            created = self.git.create_pull_request(self.branch, base, title, body)
            return Committed("opened a pull request", self.pushed, created.url)
        is_ours = present.body.startswith(self.target.marker)
        outdated = is_ours and present.body.strip() != body.strip()
        if outdated:
            self.git.edit_pull_request(present.number, body)
        changed = outdated or self.pushed
        news = "updated the pull request" if changed else "the pull request is up to date"
        return Committed(news, self.pushed, present.url)

    def _commit(
        self, diff: Difference, start: Commit, parents: tuple[str, ...], *, is_new: bool
    ) -> None:
        """Create the commit and move the branch to it."""
        tree = self.git.write_tree(start.tree, diff.written, diff.removed, diff.programs)
        sha = self.git.write_commit(commit_message(self.subject, tree), tree, parents)
        # If GitHub reports an error although the update succeeded, the retry recognizes this
        # commit.
        self._made = sha
        if is_new:
            self.git.create_branch(self.branch, sha)
        else:
            self.git.move_branch(self.branch, sha)
        self.pushed = sha

    def _is_ours(self, tip: Commit, base: str) -> bool:
        """Return whether the tip is by steady, or by GitHub's "Update branch" on such a tip."""
        if len(tip.parents) == 2 and marked_tree(tip.message) is None:
            first, second = tip.parents
            return _is_made_by_us(self.git.commit(first)) and self.git.contains(base, second)
        return _is_made_by_us(tip)

    def _parents(self, tip: Commit | None, start: Commit) -> tuple[str, ...]:
        """Return the new commit's parents: our branch, and the base if it has advanced."""
        if tip is None:
            return (start.sha,)
        here = tip
        for _ in range(_LONGEST_HISTORY):
            if start.sha in (here.sha, *here.parents):
                return (tip.sha,)
            if not here.parents or not _is_made_by_us(here):
                break
            here = self.git.commit(here.parents[0])
        return (tip.sha, start.sha)


def _is_made_by_us(commit: Commit) -> bool:
    return marked_tree(commit.message) == commit.tree

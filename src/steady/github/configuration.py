"""The way of the configuration into the repository: one pull request, or a push to a branch.

A branch is never forced. Our own branch moves on by a commit that follows its tip and takes in
the target branch, so that a commit of somebody else that came in between is never lost: GitHub
refuses the update, and everything is looked at anew.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from github import Github

from steady.github.client import StepError
from steady.github.commit_content import (
    Change,
    Difference,
    commit_message,
    difference,
    marked_tree,
)
from steady.github.context import Context
from steady.github.git_data import Commit, GitData
from steady.github.patience import OutOfPatienceError, Patience
from steady.github.problems import explain_step, is_race
from steady.text.numbers import listed

_LONGEST_HISTORY = 20


@dataclass(frozen=True, slots=True)
class Target:
    """The target of the configuration: a branch or a pull request.

    Parameters
    ----------
    base : str
        Branch that it is meant for: the pull request's target, or where a branch that does not
        exist yet begins. Empty: the repository's default branch.
    branch : str
        Branch that gets the commit; where a pull request is for another branch than the default
        one, ``@`` and that branch are added.
    title : str, optional
        Title of the pull request; None: there is none, and `branch` itself is meant.
    body : callable, optional
        Given the hash of the branch's newest commit, the pull request's description, beginning
        with `marker`. It may name that commit's files, whose address no later commit changes.
    marker : str
        Shows that a description is ours; one that a person rewrote stays.
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
        In a few words, for the log.
    commit : str
        Hash of the commit that was pushed; empty where nothing was.
    pull_request : str
        Address of the open pull request; empty where there is none.
    """

    news: str
    commit: str = ""
    pull_request: str = ""


class NotCommittedError(Exception):
    """Why the configuration was not committed, as one sentence.

    Parameters
    ----------
    reason : str
        That sentence.
    commit : str
        Hash of the commit that was pushed before it failed; empty where none was.
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
    patience: Patience,
) -> Committed:
    """Commit a change to a branch, and open or update its pull request.

    Nothing is written where the branch holds the files already.

    Parameters
    ----------
    client : Github
        See `steady.github.connect`.
    context : Context
        The repository, for one.
    change : Change
        The files.
    subject : str
        First line of the commit's message.
    target : Target
        Where it goes.
    patience : Patience
        How long GitHub is waited for.

    Raises
    ------
    NotCommittedError
        If GitHub refuses, or somebody else has worked on our own branch.
    """
    work = _Work(GitData(client, context.repository), change, subject, target)
    try:
        done = patience.ask(work.once, is_race)
    except (StepError, OutOfPatienceError) as error:
        reason = explain_step(error, context, own=target.title is not None)
        if work.pushed:
            reason += f"; branch `{work.branch}` is pushed, so a pull request by hand will do"
        raise NotCommittedError(reason, work.pushed) from error
    if not work.stale:
        return done
    news = f"{done.news}; left out, changed since this run began: {listed(work.stale)}"
    return replace(done, news=news)


def made_by_steady(client: Github, context: Context, patience: Patience) -> bool:
    """Tell whether the commit of this run is ours, or the merge of one.

    Raises
    ------
    NotCommittedError
        If GitHub does not show it.
    """
    git = GitData(client, context.repository)

    def ask() -> bool:
        commit = git.commit(context.head)
        commits = [commit, *(git.commit(sha) for sha in commit.parents[1:2])]
        return any(marked_tree(commit.message) for commit in commits)

    try:
        return patience.ask(ask)
    except (StepError, OutOfPatienceError) as error:
        raise NotCommittedError(explain_step(error, context)) from error


@dataclass
class _Work:
    """One change on its way to one target."""

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
        """Look at what is there, and do what is left to do."""
        if self.target.title is None:
            return self._push(self.target.base or self.git.default_branch())
        default = self.git.default_branch()
        base = self.target.base or default
        # What two branches propose must not meet in one.
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
                f"branch `{self.branch}` has commits that are not steady's, and they stay: merge "
                "its pull request, or delete the branch, then run the job again"
            )
        here = None if tip is None else difference(self.git, tip.tree, change)
        if tip is None or here is None or not here.is_empty:
            self._commit(diff, start, self._parents(tip, start), is_new=tip is None)
        elif tip.sha == self._made:
            self.pushed = self._made
        newest = self.pushed or (tip.sha if tip is not None else "")
        return self._pull_request(base, title, self.target.body(newest))

    def _fitting(self, start: Commit) -> Change:
        """Return the change without sources that somebody has changed since they were read."""
        fitting = self.change.fitting(self.git, start.tree)
        self.stale = tuple(path for path in self.change.files if path not in fitting.files)
        return fitting

    def _start(self, base: str) -> Commit:
        tip = self.git.tip(base)
        if tip is None:
            raise NotCommittedError(
                f"this token does not see a branch `{base}` in {self.git.repository}: "
                "run the job on a branch, and give it `permissions: contents: write`"
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
        """Write the commit, and let the branch end with it."""
        tree = self.git.write_tree(start.tree, diff.written, diff.removed, diff.programs)
        sha = self.git.write_commit(commit_message(self.subject, tree), tree, parents)
        # Should GitHub fail and have carried it out all the same, the next look finds this commit.
        self._made = sha
        if is_new:
            self.git.create_branch(self.branch, sha)
        else:
            self.git.move_branch(self.branch, sha)
        self.pushed = sha

    def _is_ours(self, tip: Commit, base: str) -> bool:
        """Tell whether we made the tip, or GitHub's "Update branch" made it of a tip of ours."""
        if len(tip.parents) == 2 and marked_tree(tip.message) is None:
            first, second = tip.parents
            return _is_made_by_us(self.git.commit(first)) and self.git.contains(base, second)
        return _is_made_by_us(tip)

    def _parents(self, tip: Commit | None, start: Commit) -> tuple[str, ...]:
        """Return what the new commit follows: our branch, and the base where that moved on."""
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

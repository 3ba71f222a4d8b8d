"""Ancestry of commits, read by Git; missing commits of a shallow clone are fetched."""

import re
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from steady.errors import InputError
from steady.history.git_command import Git, GitError, Remote, quote
from steady.history.stores import Place
from steady.patterns import COMMIT

FIRST_DEPTH = 1000
"""Number of commits fetched from each tip at first. All are fetched if they share no ancestor."""

_MOST_COMMITS = 20_000

_REF = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\+-][^\x00-\x20\x7f:?*\[\\]{0,199}")


@dataclass(frozen=True, slots=True)
class Ancestry:
    """Two commits and their ancestors in a Git repository.

    Parameters
    ----------
    git : Git
        Git in that repository.
    head, base : str
        Full hashes of the commits; `base` may be None.
    """

    git: Git
    head: str
    base: str | None

    @property
    def merge_base(self) -> str | None:
        """The merge base of head and base, or head itself without a base.

        None if they have no common ancestor.
        """
        if self.base is None:
            return self.head
        names = (self.head, self.base)
        code, printed, message = self.git.attempt("merge-base", "--end-of-options", *names)
        if code not in (0, 1):
            raise InputError(f"no common ancestor can be found ({quote(message)})")
        return printed.decode().strip() or None

    def shared(self, limit: int = FIRST_DEPTH) -> frozenset[str]:
        """Return the common commits of head and base: their merge base and its ancestors.

        Commits that only head has are untrusted, because anybody may have proposed them.

        Parameters
        ----------
        limit : int
            Maximum number of steps back from the merge base.
        """
        merge_base = self.merge_base
        return frozenset() if merge_base is None else frozenset(self.before(merge_base, limit))

    def before(self, commit: str, limit: int) -> dict[str, int]:
        """Return `commit` and its ancestors with their distances in parent steps.

        The nearest come first; at equal distance, those on the first parent's side.
        """
        parents = self._parents(commit)
        distances, queue = {commit: 0}, deque([commit])
        while queue:
            at = queue.popleft()
            if distances[at] == limit:
                break
            for parent in parents.get(at, ()):
                if parent not in distances:
                    distances[parent] = distances[at] + 1
                    queue.append(parent)
        return distances

    def _parents(self, commit: str) -> dict[str, list[str]]:
        try:
            printed = self.git.text(
                "rev-list", "--parents", f"--max-count={_MOST_COMMITS}", "--end-of-options", commit
            )
        except GitError as error:
            problem = f"the history of commit {commit} cannot be read ({quote(error.message)})"
            raise InputError(problem) from None
        rows = (line.split() for line in printed.splitlines())
        return {first: rest for first, *rest in rows}


@contextmanager
def open_ancestry(head: str, base: str | None, place: Place) -> Iterator[Ancestry]:
    """Open the ancestry of `head` and `base`.

    A complete clone is read directly. If it is shallow, as `actions/checkout` creates it, or there
    is no clone, the commits are fetched without files into a temporary repository.

    Parameters
    ----------
    head, base : str
        Commits or branches; without `base`, the ancestors of `head` only.
    place : Place
        Source of the commits: its `remote` if that is a `Remote`, otherwise the clone that contains
        its `folder`.

    Raises
    ------
    InputError
        If the commit does not exist.
    """
    for name in (head, base):
        if name is not None and not _REF.fullmatch(name):
            raise InputError(f"{name!r} is not a commit or a branch")
    if isinstance(place.remote, Remote):
        remote, source, target = place.remote, head, base
    else:
        remote = Remote.of_clone(place.folder, place.remote, place.environ)
        clone = Git(place.folder, remote)
        known = [_resolved(clone, name, place.remote) for name in (head, base)]
        if clone.text("rev-parse", "--is-shallow-repository") == "false":
            for name, commit in zip((head, base), known, strict=True):
                if name is not None and commit is None:
                    problem = f"the clone does not have commit {name!r}; fetch it first"
                    raise InputError(problem, source=place.folder)
            yield Ancestry(clone, known[0] or "", known[1])
            return
        # The tip of a branch is read from the remote; a commit hash is the same everywhere.
        source = known[0] or head
        target = None if base is None else base.removeprefix(f"{place.remote}/")
    with tempfile.TemporaryDirectory(prefix="steady-history-") as folder:
        yield _fetched(Path(folder), remote, source, target)


def resolve(name: str, place: Place) -> str:
    """Return the full hash of a commit in the clone of a place.

    A full hash is returned unchanged, even without a clone.

    Raises
    ------
    InputError
        If the commit does not exist.
    """
    if COMMIT.fullmatch(name):
        return name
    remote = place.remote if isinstance(place.remote, str) else "origin"
    clone = Git(place.folder, Remote("", (), place.environ))
    commit = _resolved(clone, name, remote) if _REF.fullmatch(name) else None
    if commit is None:
        problem = "is not a commit here; run this in a clone, or give the commit's full hash"
        raise InputError(f"{name!r} {problem}", source=place.folder.resolve())
    return commit


def _resolved(clone: Git, name: str | None, remote: str) -> str | None:
    """Return the full hash of a commit or branch in the clone, or None."""
    for written in () if name is None else (name, f"refs/remotes/{remote}/{name}"):
        code, printed, _ = clone.attempt(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{written}^{{commit}}"
        )
        if code == 0:
            return printed.decode().strip()
    return None


def _fetched(folder: Path, remote: Remote, head: str, base: str | None) -> Ancestry:
    """Fetch the ancestors of head and base into an empty folder."""
    wanted = [f"+{head}:refs/steady/head"]
    wanted += [] if base is None else [f"+{base}:refs/steady/base"]
    try:
        git = Git.init_bare(folder, remote)
        _fetch(git, f"--depth={FIRST_DEPTH}", wanted)
        tips = [git.text("rev-parse", f"{spec.rpartition(':')[2]}^{{commit}}") for spec in wanted]
        past = Ancestry(git, tips[0], tips[1] if base else None)
        shallow = git.text("rev-parse", "--is-shallow-repository") == "true"
        if shallow and past.merge_base is None:
            _fetch(git, "--unshallow", wanted)
    except GitError as error:
        raise InputError(
            f"the commits before {head} cannot be fetched ({quote(error.message)}); push that "
            "commit first, and on GitHub add `permissions: contents: read` to the job",
            source=quote(remote.url),
        ) from None
    return past


def _fetch(git: Git, depth: str, wanted: list[str]) -> None:
    git.run(
        "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--filter=tree:0", depth,
        "origin", *wanted,
    )  # fmt: skip

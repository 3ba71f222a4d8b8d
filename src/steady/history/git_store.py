"""A history in a separate branch that shares no commits with the code."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steady.errors import InputError
from steady.history.entry import (
    ENTRY_PATH,
    OBJECT_PATH,
    HistoryEntry,
    encode,
    entry_path,
    is_of_history,
    object_path,
    unpack,
)
from steady.history.git_command import (
    Git,
    GitError,
    Remote,
    fetch_failure,
    is_branch_name,
    is_unreachable,
    outcome_of_push,
    quote,
    rejection,
)
from steady.history.store import KeptRun, Retention, Update, decide, index_of

DEFAULT_BRANCH = "steady-data"
ATTEMPTS = 40
LONGEST_WAIT_SECONDS = 30.0

_FIRST_WAIT_SECONDS = 0.25
_FETCH_ATTEMPTS = 4
_ENTRIES_ONLY = "blob:limit=16k"
"""Filter of the first fetch: only the index. Results are fetched on demand."""

_README = b"""\
# Benchmark results

steady writes this branch. `entries` is the index; `objects` contains results and plans, each named
by the SHA-256 of its content. When old runs are dropped, the branch is rewritten to stay small.
Do not edit it by hand; deleting the branch deletes the history.
"""


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The state of the remote branch at the last fetch.

    Parameters
    ----------
    tip : str, optional
        Its newest commit; None if the branch does not exist.
    files : mapping of str to str
        Blob hashes by path; files that are not part of the history are omitted.
    """

    tip: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)


class GitStore:
    """A `Store` in a branch of a remote repository.

    All work is done in a temporary bare repository: the user's work tree, index, branches and
    settings stay untouched. A change is one commit, pushed on the condition that the branch has not
    moved since it was read; otherwise the change is computed again from the new state. As long as
    no run is dropped, commits are appended; after a drop, a single commit without parents replaces
    them.

    Parameters
    ----------
    remote : Remote
        The remote repository.
    branch : str
        Name of the branch; the first record creates it.
    scratch : Path
        Empty folder for the temporary repository; the caller removes it.
    now, monotonic, sleep, uniform : callable
        Functions that return the Unix time and a monotonic time in seconds, wait for a number of
        seconds, and draw a random number between two limits.
    """

    def __init__(
        self,
        remote: Remote,
        branch: str,
        scratch: Path,
        *,
        now: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        uniform: Callable[[float, float], float] = random.uniform,
    ) -> None:
        if not is_branch_name(branch):
            raise InputError(
                f"{branch!r} cannot be the name of a branch; write git:{DEFAULT_BRANCH}"
            )
        self.name = f"branch {branch}"
        self.skipped: tuple[str, ...] = ()
        self._remote = remote
        self._branch = branch
        self._now, self._monotonic = now, monotonic
        self._sleep, self._uniform = sleep, uniform
        try:
            self._git = Git.init_bare(scratch, remote)
        except GitError as error:
            remedy = "free some disk space, or set TMPDIR to a folder that can be written"
            problem = f"a temporary repository cannot be made ({quote(error.message)})"
            raise InputError(f"{problem}; {remedy}") from None
        self._latest: _Snapshot | None = None

    def entries(self) -> tuple[HistoryEntry, ...]:
        """Fetch and return the index."""
        self._latest, entries = self._fetch_index()
        return entries

    def read(self, digest: str) -> bytes:
        """Return an object, decompressed and verified."""
        path = object_path(digest)
        self._latest = self._latest or self._fetch()
        blob = self._latest.files.get(path)
        if blob is None:
            raise InputError(f"{path} is missing; record that run again", source=self.name)
        try:
            packed = self._git.run("cat-file", "blob", blob)
        except GitError as error:
            raise fetch_failure(self._branch, self._remote.url, error.message) from None
        return unpack(packed, digest, self.name)

    def update(self, record: KeptRun | None, retention: Retention) -> Update:
        """Store a run, if given, and drop runs beyond the retention limits."""
        self._latest = None
        unsure = Update()
        for attempt in range(ATTEMPTS):
            begun = self._monotonic()
            present, entries = self._fetch_index()
            update = decide(entries, record, retention)
            if update.empty:
                # The earlier push with unknown outcome succeeded.
                return unsure
            stale = _stale(present, entries, update, all_known=not self.skipped)
            commit = self._commit(present, stale, update, record)
            arrived, message = self._push(present.tip, commit)
            if arrived == "done":
                return update
            if arrived == "refused":
                raise rejection(self._branch, self._remote.url, message)
            unsure = update if arrived == "unreachable" else unsure
            # The backoff grows with the duration of an attempt, because concurrent processes take
            # as long for theirs if the remote is slow.
            least = max(_FIRST_WAIT_SECONDS, self._monotonic() - begun)
            longest = min(LONGEST_WAIT_SECONDS, least * 2.0**attempt)
            self._sleep(self._uniform(0.0, longest))
        raise InputError(
            f"{ATTEMPTS} attempts to push branch {self._branch} failed or came too late "
            f"({quote(message)}); run this again",
            source=quote(self._remote.url),
        )

    def _fetch(self) -> _Snapshot:
        """Fetch the branch's tip."""
        ref = f"refs/heads/{self._branch}"
        for attempt in range(_FETCH_ATTEMPTS):
            code, _, message = self._git.attempt(
                "fetch", "--quiet", "--no-tags", "--depth=1", f"--filter={_ENTRIES_ONLY}",
                "--no-write-fetch-head", "origin", f"+{ref}:{ref}",
            )  # fmt: skip
            if code == 0:
                tip = self._git.text("rev-parse", ref)
                return _Snapshot(tip, self._list(tip))
            if "couldn't find remote ref" in message:
                return _Snapshot()
            if not is_unreachable(message) or attempt + 1 == _FETCH_ATTEMPTS:
                break
            self._sleep(self._uniform(0.0, 2.0**attempt))
        raise fetch_failure(self._branch, self._remote.url, message)

    def _list(self, tip: str) -> dict[str, str]:
        """Return the history's blob hashes in a commit, by path."""
        listed = self._git.text("ls-tree", "-r", "-z", "--full-tree", tip, strip=False)
        rows = (line.partition("\t")[::2] for line in listed.split("\0") if line)
        return {path: about.split(" ")[2] for about, path in rows if is_of_history(path)}

    def _fetch_index(self) -> tuple[_Snapshot, tuple[HistoryEntry, ...]]:
        """Fetch the branch's tip and its index."""
        present = self._fetch()
        paths = [path for path in sorted(present.files) if ENTRY_PATH.fullmatch(path)]
        try:
            contents = self._blobs([present.files[path] for path in paths])
        except GitError as error:
            raise fetch_failure(self._branch, self._remote.url, error.message) from None
        files = dict(zip(paths, contents, strict=True))
        entries, self.skipped = index_of(files, self.name, ", ")
        return present, entries

    def _blobs(self, names: Sequence[str]) -> list[bytes]:
        if not names:
            return []
        printed = self._git.run("cat-file", "--batch", stdin="\n".join([*names, ""]).encode())
        contents, position = [], 0
        for name in names:
            head, _, _ = printed[position : position + 200].partition(b"\n")
            kind = head.split(b" ")
            if len(kind) != 3:
                raise GitError(f"{name} is missing")
            start = position + len(head) + 1
            position = start + int(kind[2]) + 1
            contents.append(printed[start : position - 1])
        return contents

    def _commit(
        self, present: _Snapshot, stale: set[str], update: Update, record: KeptRun | None
    ) -> str:
        """Create the commit for an update, and return its hash."""
        tip = present.tip
        changes = [f"D {path}\n".encode() for path in sorted(stale) if path in present.files]
        for path, data in _new(tip, update, record).items():
            if path not in present.files or path in stale:
                changes.append(b"M 100644 inline %b\n%b" % (path.encode(), _data(data)))
        who = b"steady <steady@noreply.invalid> %d +0000" % int(self._now())
        message = _data(_message(update).encode())
        lines = [b"commit refs/steady/new\n", b"committer %b\n" % who, message]
        if tip is not None and not update.dropped:
            lines.append(f"from {tip}\n".encode())
        elif tip is not None:
            tree = self._git.text("rev-parse", f"{tip}^{{tree}}")
            lines.append(f'M 040000 {tree} ""\n'.encode())
        script = b"".join([*lines, *changes, b"\ndone\n"])
        try:
            # The last attempt's commit is not an ancestor of this one.
            self._git.run("fast-import", "--quiet", "--done", "--force", stdin=script)
            return self._git.text("rev-parse", "refs/steady/new")
        except GitError as error:
            raise InputError(
                f"the commit cannot be made ({quote(error.message)}); free some disk space"
            ) from None

    def _push(self, tip: str | None, commit: str) -> tuple[str, str]:
        ref = f"refs/heads/{self._branch}"
        code, printed, message = self._git.attempt(
            "push", "--quiet", "--porcelain", "--no-verify",
            f"--force-with-lease={ref}:{tip or ''}", "origin", f"{commit}:{ref}",
        )  # fmt: skip
        report = printed.decode(errors="replace")
        flagged = "\n".join(line for line in report.splitlines() if line.startswith("!"))
        return outcome_of_push(code, report, message), f"{message}\n{flagged}".strip()


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _message(update: Update) -> str:
    parts = []
    if update.added is not None:
        parts.append(f"Record {update.added.suite} at {update.added.commit[:12]}")
    if update.dropped:
        parts.append(f"drop {len(update.dropped)} old runs")
    text = ", ".join(parts)
    return f"{text[0].upper()}{text[1:]}\n"


def _stale(
    present: _Snapshot, entries: Sequence[HistoryEntry], update: Update, *, all_known: bool
) -> set[str]:
    """Return the paths that are unused after an update."""
    dropped = {entry.identity for entry in update.dropped}
    if not dropped:
        return set()
    left = [entry for entry in entries if entry.identity not in dropped]
    left += [update.added] if update.added is not None else []
    used = {object_path(kept.digest) for entry in left for kept in entry.objects}
    objects = {path for path in present.files if OBJECT_PATH.fullmatch(path)}
    if not all_known:
        # Unreadable entries, written by a newer version, may refer to other objects.
        named = (kept.digest for entry in update.dropped for kept in entry.objects)
        objects &= set(map(object_path, named))
    return (objects - used) | {entry_path(identity) for identity in dropped}


def _new(tip: str | None, update: Update, record: KeptRun | None) -> Mapping[str, bytes]:
    """Return the files that an update adds."""
    if record is None or update.added is None:
        return {}
    files = {object_path(digest): data for digest, data in record.objects.items()}
    files[entry_path(update.added.identity)] = encode(update.added)
    return {**files, "README.md": _README} if tip is None else files

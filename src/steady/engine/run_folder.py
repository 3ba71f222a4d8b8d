"""The folder of a run. Each file is written completely or not at all.

::

    run.json            header and outcome of the run
    journal.jsonl       one line for each finished trial
    forks/17.json       result of trial 17, as its harness wrote it
    logs/18.log         output of trial 18, which produced no result
    .lock               exists while a run writes into the folder
    base.json head.json results for `steady compare`; results.json for a single version
    environment.json    processor and operating system of these results
    series/base.json    all iterations, for `steady optimize` after a run without a plan
    not-run.json        benchmarks skipped on purpose or without a result, if there are any
    same-code.json      benchmarks skipped because their code path is identical
"""

import errno
import hashlib
import os
import shutil
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from steady import safe_open
from steady.errors import InputError
from steady.execution.fork_log import MOST_LOGS
from steady.files import write_error_reason
from steady.readers.sidecars import ENVIRONMENT as SIDECAR
from steady.readers.sidecars import NOT_RUN
from steady.samecode.choice import FILE_NAME as SAME_CODE

LEAST_FREE_BYTES = 2**18
"""With less free space than this, a fork may fail because of the disk rather than its benchmark."""


SERIES = "series"
"""Name of the subfolder with all iterations."""

_HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class RunFolder:
    """The folder of a run.

    Parameters
    ----------
    path : Path
        Its path; it need not exist yet.
    suffix : str
        Suffix of the harness's result files.
    """

    def __init__(self, path: Path, suffix: str) -> None:
        self.path = path
        self.header = path / "run.json"
        self.journal = path / "journal.jsonl"
        self.sidecar = path / SIDECAR
        self.not_run = path / NOT_RUN
        self.same_code = path / SAME_CODE
        self.lock = path / ".lock"
        self._forks = path / "forks"
        self._logs = path / "logs"
        self._temporary = path / ".scratch"
        self.scratch = self._temporary / "harness"
        self._suffix = suffix

    @property
    def _own(self) -> tuple[Path, ...]:
        # The scratch folder is emptied: a run makes it only after its header.
        beside = (self.sidecar, self.same_code, self.not_run)
        return (self.header, self.journal, *beside, self._forks, self._logs, self._temporary)

    @property
    def measured_nothing(self) -> bool:
        """Whether the run in the folder has no finished fork, so that it can be overwritten."""
        if not self.header.is_file() or (self._forks.is_dir() and any(self._forks.iterdir())):
            return False
        journal = self.journal.read_bytes() if self.journal.is_file() else b""
        return b'"sha256"' not in journal

    def clear(self) -> None:
        """Remove a run that has measured nothing; its series stay."""
        if self.measured_nothing:
            for path in self._own:
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)

    def refuse_if_taken(self, versions: Sequence[str]) -> None:
        """Raise InputError if a file of another run would be overwritten."""
        own = () if self.measured_nothing else self._own
        ours = (*own, *map(self.merged, versions))
        taken = next((path for path in ours if path.exists()), None)
        if taken is not None:
            raise InputError(
                f"already contains {taken.name}; continue that run with --resume, or choose "
                "another folder",
                source=self.path,
            )

    def require_place(self, versions: Sequence[str], *, resume: bool) -> None:
        """Raise InputError if results cannot be written, before time is spent on them.

        Parameters
        ----------
        versions : sequence of str
            The names of the versions.
        resume : bool
            Whether to continue the run in this folder, if there is one.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not os.access(self.path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as error:
            raise InputError(write_error_reason(error), source=self.path) from None
        if not (resume and self.header.exists()):
            self.refuse_if_taken(versions)

    def prepare(self, recorded: Collection[int]) -> None:
        """Create the folders, including `scratch`, and remove leftovers of a killed run.

        Parameters
        ----------
        recorded : collection of int
            Trials whose results are in the journal; any other result is a leftover.
        """
        self.remove_scratch()
        self.scratch.mkdir(parents=True)
        self._forks.mkdir(exist_ok=True)
        known = {self.result(number).name for number in recorded}
        for path in self._forks.iterdir():
            if path.name not in known:
                path.unlink()

    def remove_scratch(self) -> None:
        """Remove temporary files."""
        shutil.rmtree(self._temporary, ignore_errors=True)

    def arriving(self, number: int) -> Path:
        """Return the temporary path for the result of a trial."""
        return self._temporary / f"{number}{self._suffix}"

    def result(self, number: int) -> Path:
        """Return the final path of a trial's result."""
        return self._forks / f"{number}{self._suffix}"

    def keep(self, number: int) -> None:
        """Move the complete result of a trial to its final path."""
        settle(self.arriving(number), self.result(number))

    def digest(self, number: int) -> str:
        """Return the SHA-256 of a trial's result; empty if the file does not exist."""
        try:
            with safe_open.open_regular(self.result(number)) as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except (OSError, InputError):
            return ""

    def holds(self, number: int, digest: str) -> bool:
        """Return whether a trial's result is unchanged."""
        return self.digest(number) == digest

    def log(self, number: int) -> Path:
        """Return the path of the log of a trial without a result."""
        return self._logs / f"{number}.log"

    def keep_log(self, number: int, log: bytes) -> None:
        """Keep an excerpt of a failed trial's output, unless there are too many logs."""
        if log and (not self._logs.exists() or len(list(self._logs.iterdir())) < MOST_LOGS):
            self._logs.mkdir(exist_ok=True)
            self.write(self.log(number), log)

    def series(self, version: str) -> Path:
        """Return the path of all iterations of a version, warm-up included."""
        return self.path / SERIES / f"{version}{self._suffix}"

    def merged(self, version: str) -> Path:
        """Return the path of a version's results."""
        return self.path / f"{version}{self._suffix}"

    def write(self, path: Path, data: bytes) -> None:
        """Write a file of the run, completely or not at all."""
        self.path.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.new")
        temporary.unlink(missing_ok=True)
        with temporary.open("xb") as file:
            file.write(data)
        settle(temporary, path)

    def require_room(self) -> None:
        """Raise InputError if the disk is full."""
        if shutil.disk_usage(self.path).free < LEAST_FREE_BYTES:
            raise InputError(
                "is on a full disk; free some space and continue with --resume",
                source=self.path,
            )


def settle(temporary: Path, path: Path) -> None:
    """Move a file to its final path in one step."""
    with temporary.open("rb+") as file:
        os.fsync(file.fileno())
    temporary.replace(path)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file during the context; create its folder if it does not exist.

    If the file system does not support locks, nothing is locked.

    Raises
    ------
    InputError
        If another process holds it.
    OSError
        If the file cannot be created.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = _held(path)
    try:
        yield
    finally:
        if sys.platform == "win32":  # an open file cannot be removed there
            os.close(handle)
            with suppress(OSError):
                path.unlink()
        else:
            path.unlink(missing_ok=True)
            os.close(handle)


def _held(path: Path) -> int:
    """Open and lock the file at this path, not one that its owner has just removed."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(handle)
        except OSError as error:
            if error.errno in _HELD:
                os.close(handle)
                raise InputError(
                    "another `steady run` is writing into this folder; wait until it has "
                    "finished, or choose another folder",
                    source=path.parent,
                ) from None
            return handle
        with suppress(OSError):
            if os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        os.close(handle)


def header_beside(results: Path) -> Path:
    """Return the path of the header of the run that wrote a file of results."""
    folder = results.parent
    return (folder.parent if folder.name == SERIES else folder) / "run.json"

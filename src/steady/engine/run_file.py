"""``run.json``: the header and the outcome of a run, and whether another run may resume it."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from steady import safe_open
from steady.engine.machine import Machine
from steady.errors import InputError
from steady.files import plain, read_json
from steady.harness.trial import Version
from steady.samecode.choice import SAME_CODE

TURNS = "turns"
"""Key in `Header.described` for how base and head are interleaved (`harness.Turns`). Earlier
releases, which ran fork by fork, do not write it; neither does a run of one version."""


_TOOL_FOLDERS = frozenset({"__pycache__", "node_modules", "venv"})

SHARD = "shard"
"""Key in `Header.described` for the shard that was run, such as ``2/3``."""

FULL_RUN = "full run"
"""Key in `Header.described` for the digest of the whole run to which a shard belongs. It is absent
if the run has a plan."""

COMMAND = "command"
"""Key in `Header.described` for the command line that is run in both versions."""

ROTATION = "rotation"
"""Key in `Header.described` for the part of the suite that this run measured, such as ``2/3``, if
the plan divides the suite among pull requests."""


class Target(Struct, frozen=True, forbid_unknown_fields=True):
    """A version and the digest of its content.

    Parameters
    ----------
    name, path : str
        Name of the version, and path of its benchmarks or the command that runs them.
    sha256 : str
        SHA-256 of the benchmarks' content.
    """

    name: str
    path: str
    sha256: str

    @classmethod
    def of(cls, version: Version, out: Path | None = None) -> Target:
        """Return the target of a version, with its digest; see `target_digest`."""
        path = shlex.join(version.command) or str(version.target)
        return cls(version.name, path, target_digest(version.target, out))


class Header(Struct, frozen=True, forbid_unknown_fields=True):
    """The identity of a run, written before its first fork.

    Parameters
    ----------
    harness : str
        Registered name of the harness.
    seed : int
        Seed for the order of the trials.
    plan : str
        SHA-256 of the plan; empty without one.
    versions : tuple of Target
        The measured versions.
    trials : str
        Digest of the planned schedule.
    described : mapping of str to str
        Versions and options of the harness and of the run.
    machine : Machine
        The machine on which it runs.
    started : float
        Unix time in seconds.
    decides : mapping of str to str, optional
        The options that decide how much is measured (`steady.engine.follow_up.described`); absent
        if only one version is run.
    """

    harness: str
    seed: int
    plan: str
    versions: tuple[Target, ...]
    trials: str
    described: dict[str, str]
    machine: Machine
    started: float
    decides: dict[str, str] | UnsetType = UNSET

    @property
    def run_id(self) -> str:
        """Identifier of the run: eight hexadecimal digits."""
        text = json.dumps(plain(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def obstacle(self, other: Header) -> str | None:
        """Return the reason why `other` cannot resume this run; None if it can."""
        contents = [{t.name: t.sha256 for t in header.versions} for header in (self, other)]
        usual = {TURNS: "forks", SAME_CODE: "run"}
        described = [{**usual, **header.described} for header in (self, other)]
        turns, same_code = ([one.pop(key) for one in described] for key in usual)
        checks = (
            (self.harness == other.harness, f"it was run by {self.harness}"),
            (self.seed == other.seed, f"its seed was {self.seed}"),
            (self.plan == other.plan, "it followed a different plan"),
            (contents[0] == contents[1], _changed(*contents)),
            (same_code[0] == same_code[1], f"its --{SAME_CODE} was {same_code[0]}"),
            (
                self.trials == other.trials,
                ("it runs different benchmarks, or the same ones differently"),
            ),
            (turns[0] == turns[1], f"its --turns was {turns[0]}"),
            (described[0] == described[1], _differing(described[0], described[1])),
            (
                self.machine.cpu == other.machine.cpu,
                (f"it ran on a different CPU, {self.machine.cpu}"),
            ),
            (
                self.decides in (UNSET, other.decides),
                _differing(self.decides or {}, other.decides or {}, "--"),
            ),
        )
        return next((reason for same, reason in checks if not same), None)


class Stretch(Struct, frozen=True, forbid_unknown_fields=True):
    """One session of a run: from its start, or from `--resume`, to its end.

    Parameters
    ----------
    start : float
        Unix time in seconds.
    load : float or None
        Load average during the minute before the start.
    end, load_at_end : float or None
        The same for the end of the session; None if it was killed.
    """

    start: float
    load: float | None
    end: float | None = None
    load_at_end: float | None = None


class LostFork(Struct, frozen=True):
    """A fork that produced no result."""

    number: int
    version: str
    benchmark: str
    reason: str


class RunEnd(Struct, frozen=True):
    """The outcome of a run; `trials` counts its forks, `measured` those that produced a result."""

    complete: bool
    interrupted: bool = False
    trials: int = 0
    measured: int = 0
    lost_forks: tuple[LostFork, ...] = ()


class RunFile(Struct, frozen=True):
    """The content of ``run.json``; the outcome is present once a session has ended."""

    steady_run: Literal[1]
    id: str
    header: Header
    sessions: tuple[Stretch, ...]
    outcome: RunEnd | None = None

    def text(self) -> str:
        """Return the text of ``run.json``."""
        return json.dumps(plain(self), indent=2) + "\n"


def read_run(path: Path) -> RunFile:
    """Return the content of ``run.json``.

    Raises
    ------
    InputError
        If it is not the header of a run, or has an unsupported format version.
    """
    remedy = "run again with a new output folder"
    return read_json(path, RunFile, what="the header of a run, version 1", remedy=remedy)


def target_digest(target: Path, out: Path | None = None) -> str:
    """Return the SHA-256 of a file, or of a folder's files with their names.

    In a folder with Go's test binaries, only these and the files in ``testdata`` are read: the
    folder may be a checkout that also contains results. In any other folder, files that tools
    create are ignored: hidden folders, Python virtual environments, and caches.

    Parameters
    ----------
    target : Path
        The file or folder.
    out : Path, optional
        Output folder of the run, which is ignored; it may lie within the target.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    try:
        if not target.is_dir():
            with safe_open.open_regular(target) as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        digest = hashlib.sha256()
        target = target.resolve()
        files = sorted(_files(target, out))
        for path in [path for path in files if _decides(path.relative_to(target))] or files:
            name = path.relative_to(target).as_posix()
            digest.update(f"{name}\0{target_digest(path)}\0".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror}); give a file or folder of benchmarks",
            source=target,
        ) from None


def _files(folder: Path, out: Path | None) -> Iterator[Path]:
    own = out and out.resolve()
    for where, folders, names in os.walk(folder):
        folders[:] = [
            one for one in folders
            if one[0] != "." and one not in _TOOL_FOLDERS and Path(where, one) != own
        ]  # fmt: skip
        yield from (path for name in names if (path := Path(where, name)).is_file())


def _decides(path: Path) -> bool:
    """Return whether a file is a Go test binary, or lies in its ``testdata``."""
    return path.name.endswith((".test", ".test.exe")) or "testdata" in path.parts[:-1]


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    if before.keys() != now.keys():
        return f"it was a run of {' and '.join(before)}"
    changed = [name for name in before if before[name] != now[name]]
    return (
        f"{' and '.join(changed)} {'has' if len(changed) == 1 else 'have'} changed since that run"
    )


def _differing(before: Mapping[str, str], now: Mapping[str, str], mark: str = "") -> str:
    """Return a sentence on the first value that differs; `mark` precedes names of options."""
    key = next((key for key in {**before, **now} if before.get(key) != now.get(key)), "")
    if mark and key == "settings":
        return (
            "its --settings had different thresholds, a different rate of false alarms, or "
            "ignored different benchmarks"
        )
    if mark and key == "looks":
        return "it planned different numbers of rounds"
    if mark and "all-rounds" in {**before, **now}:
        return f"it ran {'with' if 'all-rounds' in before else 'without'} --all-rounds"
    return f"its {mark}{key} was {before.get(key, 'unknown')}"

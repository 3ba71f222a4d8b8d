"""Shards of a full run: selection of the part that each measures, and merging of the results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.engine.machine import sidecar
from steady.engine.run_file import FULL_RUN, ROTATION, SHARD, Header, read_run
from steady.engine.run_folder import RunFolder
from steady.engine.workload import Workload
from steady.errors import InputError
from steady.files import plain, write_bytes, write_error_reason, write_text
from steady.harness.fields import quoted
from steady.harness.only import ONLY, Only
from steady.harness.runs import Runs
from steady.model import Identity, NotRun
from steady.optimize import Plan, plan_to_json
from steady.optimize.suite_parts import assign_parts
from steady.options.kinds import SHARD as PARTS
from steady.readers.sidecars import ENVIRONMENT as SIDECAR
from steady.readers.sidecars import NoResult, not_run_json, read_not_run
from steady.samecode.choice import joined_same_code, read_same_code


@dataclass(frozen=True, slots=True)
class Shard:
    """The folder of a finished run.

    Parameters
    ----------
    path : Path
        The folder.
    header : Header
        The header of the run.
    complete : bool
        Whether every fork produced a result.
    """

    path: Path
    header: Header
    complete: bool

    @property
    def not_run(self) -> tuple[tuple[NotRun, ...], tuple[NoResult, ...]]:
        """The benchmarks that were left out, and those without a result."""
        file = RunFolder(self.path, "").not_run
        return read_not_run(file) if file.is_file() else ((), ())

    @property
    def part(self) -> tuple[int, int] | None:
        """The shard's number, from 1, and the number of shards; None if the header has none."""
        match = PARTS.fullmatch(self.header.described.get(SHARD, ""))
        return None if match is None else (int(match[1]), int(match[2]))

    @classmethod
    def read(cls, path: Path) -> Shard:
        """Read the header of a run's folder.

        Raises
        ------
        InputError
            If it is not the folder of a run.
        """
        file = RunFolder(path, "").header
        if not file.is_file():
            raise InputError(
                f"does not contain {file.name}; give the whole folder that `steady run` wrote",
                source=path,
            )
        run = read_run(file)
        return cls(path, run.header, run.outcome is not None and run.outcome.complete)


@dataclass(frozen=True, slots=True)
class Joined:
    """The joined results, and the missing ones.

    Parameters
    ----------
    files : tuple of Path
        The joined results, one file for each version.
    gaps : tuple of str
        One line for each missing part.
    """

    files: tuple[Path, ...]
    gaps: tuple[str, ...]


def plan_digest(plan: Plan) -> str:
    """Return the SHA-256 of a plan, which a run's header contains."""
    return hashlib.sha256(plan_to_json(plan).encode(errors="backslashreplace")).hexdigest()


def check_parts(count: int, benchmarks: int) -> None:
    """Raise InputError unless a suite has at least this many benchmarks."""
    if count > max(benchmarks, 1):
        raise InputError(
            f"{count} shards were requested, but the suite has only {benchmarks} benchmarks; "
            f"give a number from 1 to {max(benchmarks, 1)}"
        )


def part_of(workloads: Sequence[Workload], number: int, count: int) -> list[Workload]:
    """Return part `number` (from 1) of `count` parts with nearly equal expected seconds.

    All forks of a benchmark are in one part, because one machine has to run base and head.
    """
    places = assign_parts(
        {workload.identity: workload.all_seconds for workload in workloads}, count
    )
    return [workload for workload in workloads if places[workload.identity] == number - 1]


def whole_digest(workloads: Sequence[Workload]) -> str:
    """Return the SHA-256 of the workloads of the whole run, which is equal for all its shards."""
    entries = [
        [workload.identity.label, workload.versions, plain(workload.configuration)]
        for workload in workloads
    ]
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()


def join_shards(
    folders: Sequence[Path],
    out: Path,
    harness_of: Callable[[str], Runs],
    plan: Plan | None = None,
) -> Joined:
    """Join the results of several runs into one folder.

    Parameters
    ----------
    folders : sequence of Path
        The runs' folders.
    out : Path
        Output folder: one file for each version, ``environment.json``, and ``same-code.json`` if a
        shard has one. It must not be the folder of a run.
    harness_of : callable
        Returns the harness with a name.
    plan : Plan, optional
        The plan that all shards followed; its benchmarks that are in no shard are missing.

    Raises
    ------
    InputError
        If a folder is not that of a run, two are not of one run, or two contain one benchmark.
    """
    _check_named_once(folders)
    shards = [Shard.read(folder) for folder in folders]
    _check_alike(shards)
    if plan is not None and shards[0].header.plan != plan_digest(plan):
        raise InputError("did not follow the plan that --plan names", source=shards[0].path)
    harness = harness_of(shards[0].header.harness)
    target = RunFolder(out, harness.suffix)
    if target.header.exists():
        raise InputError("is the folder of a run itself; choose another for --out", source=out)
    versions = dict.fromkeys(t.name for shard in shards for t in shard.header.versions)
    joined, held = {}, set[Identity]()
    for version in versions:
        parts = [RunFolder(shard.path, harness.suffix).merged(version) for shard in shards]
        measured = {path: harness.measured(path) for path in parts if path.is_file()}
        if measured:
            held |= _check_disjoint(measured)
            parts = [path for path, own in measured.items() if own]
            joined[target.merged(version)] = parts or list(measured)[:1]
    # The results come last: if this process is killed, no file stands beside one of another merge,
    # nor without what says which benchmarks are missing.
    try:
        for path in (*map(target.merged, versions), target.not_run, target.same_code):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(write_error_reason(error), source=out) from None
    write_text(out / SIDECAR, sidecar([shard.header.machine for shard in shards]))
    lists = [shard.not_run for shard in shards]
    left_out = {e.identity: e for own, _ in lists for e in own if e.identity not in held}
    without = [entry for _, own in lists for entry in own]
    if left_out or without:
        write_text(target.not_run, not_run_json(left_out.values(), without))
    same_code = joined_same_code(read_same_code(shard.path) for shard in shards)
    if same_code is not None:
        write_text(target.same_code, same_code.text())
        held.update(same_code.same)
    files = [write_bytes(path, harness.join(parts)) for path, parts in joined.items()]
    only = Only(shards[0].header.described.get(ONLY, ""))
    wanted = [i for i in plan or () if only.wants(i) and i not in left_out]
    absent = [identity.label for identity in wanted if identity not in held]
    gaps = [*_gaps(shards), *(f"no shard contains {label} of the plan" for label in absent)]
    return Joined(tuple(files), tuple(gaps))


def _check_named_once(folders: Sequence[Path]) -> None:
    names = [folder.resolve() for folder in folders]
    for folder, name in zip(folders, names, strict=True):
        if names.count(name) > 1:
            raise InputError("is given twice; give each shard once", source=folder)


def _check_alike(shards: Sequence[Shard]) -> None:
    first, ours = shards[0], _kinship(shards[0])
    for other in shards[1:]:
        theirs = _kinship(other)
        differing = next((what for what in ours if ours[what] != theirs[what]), None)
        if differing is not None:
            raise InputError(
                f"have different {differing}; give shards of one run",
                source=f"{first.path} and {other.path}",
            )


def _kinship(shard: Shard) -> dict[str, object]:
    """Return the properties that shards of one run share, by their names in messages."""
    header = shard.header
    return {
        "harnesses": header.harness,
        "plans": header.plan,
        "versions": {target.name for target in header.versions},
        "expressions for --only": header.described.get(ONLY),
        "suites or configurations": header.described.get(FULL_RUN),
        "parts of the rotation": header.described.get(ROTATION),
        "numbers of shards": None if shard.part is None else shard.part[1],
    }


def _check_disjoint(measured: Mapping[Path, Sequence[Identity]]) -> set[Identity]:
    owners: dict[Identity, Path] = {}
    for path, identities in measured.items():
        for identity in identities:
            if identity in owners:
                raise InputError(
                    f"both contain {quoted(identity.label)}; give each shard once, and only "
                    "shards of one run",
                    source=f"{owners[identity]} and {path}",
                )
            owners[identity] = path
    return set(owners)


def _gaps(shards: Sequence[Shard]) -> list[str]:
    """Yield a message for each incomplete or missing shard."""
    gaps = [
        f"{s.path} is incomplete: some forks produced no result" for s in shards if not s.complete
    ]
    parts = [shard.part for shard in shards if shard.part is not None]
    if len(parts) == len(shards):
        there = {number for number, _ in parts}
        count = parts[0][1]
        gaps += [f"shard {n}/{count} is missing" for n in range(1, count + 1) if n not in there]
    return gaps

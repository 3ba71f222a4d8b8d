"""What to type next where something is not there yet: whole commands."""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from steady.cli.built_here import built_side
from steady.cli.remedies import again
from steady.compare import Comparison
from steady.engine.run_file import read_run
from steady.engine.workload import nominal_seconds
from steady.errors import InputError
from steady.harness import HARNESSES, harness_named
from steady.harness.only import ONLY
from steady.history import DEFAULT_STORE
from steady.model import ExecutionConfiguration, Identity
from steady.readers.sources import left_nothing
from steady.text.numbers import duration

FULL = "5x60"
"""The full run that is proposed: its warm-up is found, and forks are told apart."""

_HEADER = "run.json"
_PLAN = Path(".steady")
_OF_FULL_RUN = "results"
_BASE, _HEAD = "BASE", "BENCHMARKS"
_OF_HISTORY = {"store": DEFAULT_STORE, "remote": "origin", "suite": "default"}


def listing(arguments: argparse.Namespace) -> str:
    """Return the command that lists the benchmarks of a run."""
    return shlex.join(["steady", "run", "--list", *_harness(arguments), *_versions(arguments)])


def full_run(arguments: argparse.Namespace, out: str = "full") -> str:
    """Return the command of a full run of the newer version."""
    target = _target(arguments)
    words = ["--full", FULL, *_harness(arguments), "--jar", target, "--out", out]
    return shlex.join(["steady", "run", *words])


def without_plan(arguments: argparse.Namespace, out: str = "results") -> str:
    """Return the command that needs no plan."""
    base, head = (_side(arguments, side) for side in ("base", "head"))
    base, head = base or built_side("base") or _BASE, head or _target(arguments)
    more = ["--time-budget", "10m", "--out", out]
    return shlex.join(
        ["steady", "run", *_harness(arguments), "--base", base, "--head", head, *more]
    )


def plan_is_there(path: Path, arguments: argparse.Namespace) -> Path:
    """Return the path of a plan.

    Raises
    ------
    InputError
        If there is none; the message says how to make one, and what needs none.
    """
    if path.exists():
        return path
    raise InputError(f"this plan does not exist yet{first_plan(path, arguments)}", source=path)


def first_plan(path: Path, arguments: argparse.Namespace) -> str:
    """Return the end of a sentence that says how to make a plan, and what needs none."""
    folder = path.parent if path.suffix == ".json" else path
    make = shlex.join(["steady", "optimize", "full", "--out", str(folder)])
    unplanned = without_plan(arguments)
    return (
        f"; make one with `{full_run(arguments)}` and then `{make}`, "
        f"or run without one: `{unplanned}`{_meaning(unplanned)}"
    )


def results_are_there(paths: Sequence[str], arguments: argparse.Namespace) -> None:
    """Raise InputError if the folder or file of a full run is not there, and say how to run it."""
    for name in paths:
        if not _is_missing(name):
            continue
        path = Path(name)
        whole = path.suffix and path.name.partition(".")[0] == _OF_FULL_RUN
        out = str(path.parent if whole else path.with_suffix(""))
        then = ""
        if path.suffix and not whole:  # `steady run` chooses the name of the file
            words = [out if word == name else word for word in arguments.argv]
            then = f", and then `{shlex.join(['steady', *words])}`"
        raise InputError(
            f"no results exist yet; run the benchmarks with `{full_run(arguments, out)}`{then}",
            source=name,
        )


def sides_are_there(arguments: argparse.Namespace) -> None:
    """Raise InputError if results of base or head are not there, and say how to measure both.

    Parameters
    ----------
    arguments : argparse.Namespace
        Their ``base`` and ``head`` are paths or patterns of results.
    """
    for side in ("base", "head"):
        for name in getattr(arguments, side):
            if not _is_missing(name) or left_nothing(name):
                continue
            own = Path(name)
            usual = own.suffix in (".json", ".txt") and own.stem == side
            out = str(own.parent) if usual and str(own.parent) != "." else "results"
            known = ("compare", "report")
            asked = next((word for word in arguments.argv if word in known), "compare")
            compare = shlex.join(["steady", asked, out])
            measure = without_plan(arguments, out)
            raise InputError(
                f"{side} has no results yet; measure both versions with "
                f"`{measure}`, and then `{compare}`{_meaning(measure)}",
                source=name,
            )


def shards_are_there(folders: Sequence[Path], arguments: argparse.Namespace) -> None:
    """Raise InputError if the folder of a shard is not there, and say how to measure it.

    Parameters
    ----------
    folders : sequence of Path
        One for each shard.
    arguments : argparse.Namespace
        Those of a merge; `plan` is the plan that the shards followed, if there is one.
    """
    for number, folder in enumerate(folders, start=1):
        if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
            continue
        words = shlex.split(full_run(arguments, str(folder)))
        if arguments.plan is not None:
            base, head = built_side("base") or _BASE, built_side("head") or _HEAD
            words = ["steady", "run", "--plan", str(arguments.plan), "--base", base]
            words += ["--head", head, "--out", str(folder)]
        command = shlex.join([*words, "--shard", f"{number}/{len(folders)}"])
        then = shlex.join(["steady", *arguments.argv])
        raise InputError(
            f"this folder does not hold a run; measure that shard with `{command}`, and then "
            f"`{then}`{_meaning(command)}",
            source=folder,
        )


def first_record(arguments: argparse.Namespace) -> str:
    """Return what to type to keep the first results in a history."""
    words = ["steady", "history", "record", "full", *_history_options(arguments)]
    full = full_run(arguments)
    return f"`{full}` measures, and `{shlex.join(words)}` keeps the results{_meaning(full)}"


def history_listing(arguments: argparse.Namespace) -> str:
    """Return the command that lists what a history holds."""
    return shlex.join(["steady", "history", "list", *_history_options(arguments)])


def _history_options(arguments: argparse.Namespace) -> list[str]:
    chosen = {name: getattr(arguments, name) for name in _OF_HISTORY}
    return [
        word
        for name, usual in _OF_HISTORY.items()
        if chosen[name] not in (None, usual)
        for word in (f"--{name}", chosen[name])
    ]


def _meaning(command: str) -> str:
    """Say what stands for benchmarks in a command that names no file; empty if it names all."""
    words = shlex.split(command)
    unknown = [word for word in (_BASE, _HEAD) if word in words]
    if not unknown:
        return ""
    buildings = (entry.value.building for entry in HARNESSES.values())
    targets = ", or ".join(one.target for one in buildings if one.target)
    verb = "stands" if len(unknown) == 1 else "stand"
    return (
        f" ({' and '.join(unknown)} {verb} for the benchmarks of a version: {targets}"
        f"{build_hint()})"
    )


def _is_missing(name: str) -> bool:
    """Tell whether there are no results: no such file, or a folder without any."""
    try:
        path = Path(name)
        if path.is_dir():
            patterns = ("*.json", "*.json.gz", "*.txt")
            return not any(next(path.glob(pattern), None) for pattern in patterns)
        return not (any(character in name for character in "*?[") or path.exists())
    except (OSError, ValueError):  # whoever reads it says what is wrong with the name
        return False


def without_annotations(
    arguments: argparse.Namespace,
    harness: str,
    declared: Mapping[Identity, ExecutionConfiguration],
) -> list[str]:
    """Return what is run of benchmarks that do not say how long to run, and what to type.

    Parameters
    ----------
    arguments : argparse.Namespace
        Those of a run without a plan.
    harness : str
        What runs the benchmarks.
    declared : mapping of Identity to ExecutionConfiguration
        What the benchmarks declare; the harness's defaults where they declare nothing.
    """
    known = harness_named(harness)
    is_default = known.declaring and known.declaring.is_default
    silent = [one for one in declared.values() if is_default and is_default(one)]
    if arguments.plan is not None or arguments.out is None or not silent:
        return []
    seconds = sum(one.forks * nominal_seconds(one) for one in silent)
    one = silent[0]
    line = (
        f"{_who(len(silent), len(declared))} how long to run. {known.title} by itself takes "
        f"{duration(seconds)} for that: {one.forks} forks of {one.warmup_iterations} + "
        f"{one.iterations} iterations of {one.iteration_seconds:g} s each. A plan says it in place "
        "of annotations"
    )
    if arguments.full is not None:
        words = ["steady", "optimize", str(arguments.out), "--jar", _target(arguments)]
        line += f"; after this run, make one with `{shlex.join(words)}`"
    return [line]


def _who(silent: int, everything: int) -> str:
    if silent == everything:
        return "The benchmark does not say" if silent == 1 else f"None of {silent} benchmarks says"
    return f"{silent} of {everything} benchmarks {'does' if silent == 1 else 'do'} not say"


def _builds() -> Mapping[str, str]:
    """Return what builds the benchmarks, by the file that tells how a project is built."""
    buildings = (entry.value.building for entry in HARNESSES.values())
    return {name: command for one in buildings for name, command in one.commands.items()}


def build_hint() -> str:
    """Return what builds the benchmarks of the project in this folder; empty if nothing tells."""
    command = next((text for name, text in _builds().items() if Path(name).is_file()), "")
    return f"; build them with `{command}`" if command else ""


def ways_to_build() -> str:
    """Return what builds the benchmarks here, or what usually builds some where nothing tells."""
    usual = ", ".join(f"`{command}`" for command in dict.fromkeys(_builds().values()))
    return build_hint() or f"; what usually builds them is one of {usual}"


def ways_to_tell(arguments: argparse.Namespace, comparison: Comparison) -> list[str]:
    """Return what tells more about what is unclear: a longer run, or a larger smallest change."""
    unclear = comparison.unclear
    if not unclear or not comparison.comparable:
        return []
    lines = []
    longer = _longer_run(Path(arguments.head[0]), arguments.plan)
    if longer:
        lines.append(f"twice the time finds smaller changes: `{longer}`")
    sizes = sorted(change.excluded for change in unclear if math.isfinite(change.excluded))
    enough = math.floor(100 * sizes[(len(sizes) - 1) // 2]) + 1 if sizes else 100
    if enough < 100:
        command = again(arguments.argv, {"--min-change": f"{enough}%"})
        which = "that benchmark" if len(unclear) == 1 else "half of those benchmarks"
        lines.append(f"if only larger changes matter, this decides {which}: `{command}`")
    return lines


def _longer_run(results: Path, plan: Path | None) -> str:
    """Return the command of a run of twice the time; empty if no run of two versions made them."""
    try:
        run = read_run(results.with_name(_HEADER))
    except InputError:
        return ""
    targets = {target.name: target.path for target in run.header.versions}
    spent = sum((stretch.end or stretch.start) - stretch.start for stretch in run.sessions)
    if targets.keys() != {"base", "head"} or spent <= 0:
        return ""
    # A run does not say where its plan lies, and does without one too.
    plan = plan or (_PLAN if _PLAN.exists() else None)
    words = ["--plan", str(plan)] if run.header.plan and plan is not None else []
    for name, target in targets.items():
        words += [f"--{name}", target]
    only = run.header.described.get(ONLY)
    words += ["--only", only] if only else []
    out = f"{results.parent}-longer"
    minutes = max(math.ceil(2 * spent / 60), 1)
    return shlex.join(["steady", "run", *words, "--time-budget", f"{minutes}m", "--out", out])


def _side(arguments: argparse.Namespace, name: str) -> str:
    """Return the jar or folder of one version; empty where the command takes results instead."""
    value = getattr(arguments, name, None)
    return str(value) if isinstance(value, Path) else ""


def _target(arguments: argparse.Namespace) -> str:
    own = _side(arguments, "jar") or _side(arguments, "head")
    return own or built_side("head") or _HEAD


def _versions(arguments: argparse.Namespace) -> list[str]:
    sides = ((name, _side(arguments, name)) for name in ("base", "head", "jar"))
    return [word for name, target in sides if target for word in (f"--{name}", target)]


def _harness(arguments: argparse.Namespace) -> list[str]:
    name = getattr(arguments, "harness", None)
    return ["--harness", name] if name else []

"""What to type next where something is not there yet: whole commands."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from steady.errors import InputError
from steady.harnesses import HARNESSES
from steady.options.command import Command
from steady.options.compare_options import Comparing
from steady.options.history_options import ListCommand, RecordCommand
from steady.options.plan_options import AnalyzeCommand, OptimizeCommand
from steady.options.run_options import MergeCommand, RunCommand
from steady.readers.sources import left_nothing, result_patterns

_BASE, _HEAD = "BASE", "BENCHMARKS"

FULL = (5, 60)
"""The full run that is proposed: its warm-up is found, and forks are told apart."""

_OF_FULL_RUN = "results"


def files_here() -> list[Path]:
    """Return the files that hold benchmarks, where build tools leave them."""
    return [path for path in _built_here() if not path.is_dir()]


def built_side(side: str) -> str:
    """Return what seems to be base or head here; empty if nothing tells.

    What has the word in its name does. Without such a name, the only file is head: the version
    before needs a checkout of its own.
    """
    built = [path for path in _built_here() if "original" not in path.name]
    named = [path for path in built if side in path.stem]
    if named:
        return str(named[0])
    others = [path for path in built if "base" not in path.stem and not path.is_dir()]
    return str(others[0]) if side == "head" and len(others) == 1 else ""


def _built_here() -> list[Path]:
    parts = (entry.value.building.built for entry in HARNESSES.values())
    return [path for built in parts if built is not None for path in built()]


def listing(arguments: Command) -> str:
    """Return the command that lists the benchmarks of a run."""
    base, head, jar = (_side(arguments, name) for name in ("base", "head", "jar"))
    return RunCommand(
        list=True,
        harness=_harness(arguments),
        base=base,
        head=head,
        jar=jar,
        command=_words(arguments),
    ).line


def full_run(arguments: Command, out: str = "full") -> str:
    """Return the command of a full run of the newer version."""
    return _full_run(arguments, out).line


def _full_run(arguments: Command, out: str) -> RunCommand:
    return RunCommand(
        full=FULL,
        jar=_target(arguments),
        harness=_harness(arguments),
        command=_words(arguments),
        out=Path(out),
    )


def without_plan(arguments: Command, out: str = "results") -> str:
    """Return the command that needs no plan."""
    return RunCommand(
        base=_side(arguments, "base") or Path(built_side("base") or _BASE),
        head=_side(arguments, "head") or _target(arguments),
        harness=_harness(arguments),
        command=_words(arguments),
        time_budget=600.0,
        out=Path(out),
    ).line


def require_plan(path: Path, arguments: Command) -> Path:
    """Return the path of a plan that must be there.

    Raises
    ------
    InputError
        If there is none; the message says how to make one, and what needs none.
    """
    if path.exists():
        return path
    raise InputError(f"this plan does not exist yet{first_plan(path, arguments)}", source=path)


def first_plan(path: Path, arguments: Command) -> str:
    """Return the end of a sentence that says how to make a plan, and what needs none."""
    folder = path.parent if path.suffix == ".json" else path
    make = OptimizeCommand(results=("full",), out=folder).line
    unplanned = without_plan(arguments)
    return (
        f"; make one with `{full_run(arguments)}` and then `{make}`, "
        f"or run without one: `{unplanned}`{_meaning(unplanned)}"
    )


def require_results(arguments: AnalyzeCommand | OptimizeCommand) -> None:
    """Raise InputError if the folder or file of a full run is not there, and say how to run it."""
    for name in arguments.results:
        if not _is_missing(name):
            continue
        path = Path(name)
        whole = path.suffix and path.name.partition(".")[0] == _OF_FULL_RUN
        out = str(path.parent if whole else path.with_suffix(""))
        then = ""
        if path.suffix and not whole:  # `steady run` chooses the name of the file
            those = tuple(out if word == name else word for word in arguments.results)
            then = f", and then `{replace(arguments, results=those).line}`"
        raise InputError(
            f"no results exist yet; run the benchmarks with `{full_run(arguments, out)}`{then}",
            source=name,
        )


def require_sides(arguments: Comparing) -> None:
    """Raise InputError if results of base or head are not there, and say how to measure both.

    Parameters
    ----------
    arguments : Comparing
        Its ``base`` and ``head`` are paths or patterns of results.
    """
    for side in ("base", "head"):
        for name in getattr(arguments, side):
            if not _is_missing(name) or left_nothing(name):
                continue
            own = Path(name)
            usual = own.suffix in (".json", ".txt") and own.stem == side
            out = str(own.parent) if usual and str(own.parent) != "." else "results"
            compare = type(arguments)(pair=(out,)).line
            measure = without_plan(arguments, out)
            raise InputError(
                f"{side} has no results yet; measure both versions with "
                f"`{measure}`, and then `{compare}`{_meaning(measure)}",
                source=name,
            )


def require_shards(folders: Sequence[Path], arguments: MergeCommand) -> None:
    """Raise InputError if the folder of a shard is not there, and say how to measure it.

    Parameters
    ----------
    folders : sequence of Path
        One for each shard.
    arguments : MergeCommand
        Its `plan` is the plan that the shards followed, if there is one.
    """
    for number, folder in enumerate(folders, start=1):
        if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
            continue
        run = _full_run(arguments, str(folder))
        if arguments.plan is not None:
            base = Path(built_side("base") or _BASE)
            head = Path(built_side("head") or _HEAD)
            run = RunCommand(plan=arguments.plan, base=base, head=head, out=folder)
        command = replace(run, shard=(number, len(folders))).line
        raise InputError(
            f"this folder does not hold a run; measure that shard with `{command}`, and then "
            f"`{arguments.line}`{_meaning(command)}",
            source=folder,
        )


def first_record(arguments: ListCommand) -> str:
    """Return what to type to keep the first results in a history."""
    record = RecordCommand(results=("full",), store=arguments.store, remote=arguments.remote)
    if arguments.suite is not None:
        record = replace(record, suite=arguments.suite)
    full = full_run(arguments)
    return f"`{full}` measures, and `{record.line}` keeps the results{_meaning(full)}"


def _meaning(command: str) -> str:
    """Say what stands for benchmarks in a command that names no file; empty if it names all."""
    words = shlex.split(command)
    unknown = [word for word in (_BASE, _HEAD) if word in words]
    if not unknown:
        return ""
    verb = "stands" if len(unknown) == 1 else "stand"
    return (
        f" ({' and '.join(unknown)} {verb} for the benchmarks of a version: {_what_is_run()}"
        f"{build_hint()})"
    )


def _what_is_run() -> str:
    """Say what the benchmarks of a version are: what is built, or a check-out and its words."""
    buildings = [entry.value.building for entry in HARNESSES.values() if entry.value.running]
    built = ", or ".join(one.target for one in buildings if not one.words)
    words = [f"`-- {shlex.join(one.words)}`" for one in buildings if one.words]
    such = f"{', '.join(words[:-1])} or {words[-1]}"
    return f"{built}; or a check-out, if the command ends in what runs there, such as {such}"


def _is_missing(name: str) -> bool:
    """Tell whether there are no results: no such file, or a folder without any."""
    try:
        path = Path(name)
        if path.is_dir():
            patterns = chain.from_iterable(result_patterns())
            # What lies elsewhere in it may be results all the same: whoever reads it says so.
            return not any(next(path.glob(one), None) for one in (*patterns, "**/*.json"))
        return not (any(character in name for character in "*?[") or path.exists())
    except (OSError, ValueError):  # whoever reads it says what is wrong with the name
        return False


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


def _side(arguments: Command, name: str) -> Path | None:
    """Return the jar or folder of one version; None where the command takes results instead."""
    value = getattr(arguments, name, None)
    return value if isinstance(value, Path) else None


def _target(arguments: Command) -> Path:
    own = _side(arguments, "jar") or _side(arguments, "head")
    return own or Path(built_side("head") or _HEAD)


def _words(arguments: Command) -> tuple[str, ...]:
    """Return what stands behind ``--``; empty if nothing does."""
    return getattr(arguments, "command", ())


def _harness(arguments: Command) -> str | None:
    return getattr(arguments, "harness", None)

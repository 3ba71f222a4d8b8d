"""Suggestions for missing files: results of two versions, a plan, a shard, a first history."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TypeVar

from steady.engine.run_file import read_run
from steady.errors import InputError
from steady.options.command import Command
from steady.options.compare_options import Comparing
from steady.options.other_options import ListCommand, RecordCommand
from steady.options.plan_options import AnalyzeCommand, OptimizeCommand
from steady.options.run_options import MergeCommand, RunCommand
from steady.readers.sources import left_nothing, result_patterns
from steady.suggestions.commands import Named, code, placeholders, plan_of_full_run

ComparingT = TypeVar("ComparingT", bound=Comparing)

SIDES = ("base", "head")
_SUFFIXES = (".json", ".json.gz", ".txt", ".txt.gz")

_OF_FULL_RUN = "results"


def existing_inputs(arguments: ComparingT) -> ComparingT:
    """Return the command with the results of both sides as `base` and `head`, as `settled` does.

    Raises
    ------
    InputError
        If the two results are ambiguous, or if results or the plan do not exist; the message
        suggests a command.
    """
    arguments = settled(arguments)
    require_sides(arguments)
    if arguments.plan is not None:
        require_plan(arguments.plan, arguments)
    return arguments


def settled(arguments: ComparingT) -> ComparingT:
    """Return the command with the results of both sides as `base` and `head`.

    Raises
    ------
    InputError
        If the two results are ambiguous; the message suggests a command.
    """
    pair = arguments.pair
    if pair and (arguments.base or arguments.head):
        raise InputError("give two results as OLD NEW, or by --base and --head, but not both")
    if pair:
        base, head = _from_arguments(pair)
        return replace(arguments, pair=(), base=base, head=head)
    if not (arguments.base and arguments.head):
        missing = " and ".join(f"--{side}" for side in SIDES if not getattr(arguments, side))
        raise InputError(
            "give two results, as in `steady compare OLD NEW`"
            + (f"; {missing} is missing" if len(missing) == len("--base") else "")
        )
    return arguments


def _from_arguments(pair: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if len(pair) > len(SIDES):
        raise InputError(
            f"{len(pair)} results were given; give two, the older one first, or several of each "
            "side by --base and --head"
        )
    if len(pair) == 1:
        found = _both_results(pair[0])
        if found is None:
            raise InputError(_suggest_for_one_result(pair[0]), source=pair[0])
        return (found["base"],), (found["head"],)
    for word in pair:
        found = _both_results(word)
        if found is not None:
            raise InputError(
                "contains results of base and of head; name one of them, such as "
                f"{found['head']}, or only this folder to compare both",
                source=word,
            )
    old, new = pair
    return (old,), (new,)


def _both_results(folder: str) -> dict[str, str] | None:
    """Return the results of both sides in the folder of a run; None if it lacks one."""
    found = {side: _result(folder, side) for side in SIDES}
    return {side: str(path) for side, path in found.items()} if all(found.values()) else None


def _suggest_for_one_result(path: str) -> str:
    """Return the reason why a path does not name two results, with a suggestion."""
    header = Path(path) / "run.json"
    if not header.is_file():
        return _no_run(Path(path))
    run = read_run(header)
    if {version.name for version in run.header.versions} != set(SIDES):
        return (
            "contains a run of one version; give two results, the older one first, or run both: "
            "`steady run --base OLD --head NEW --out FOLDER`"
        )
    missing = " and ".join(side for side in SIDES if _result(path, side) is None)
    if run.outcome is None or run.outcome.interrupted:
        return (
            f"contains an unfinished run without results of {missing}; if no run is active, "
            "repeat its `steady run` command with --resume"
        )
    lost = [fork for fork in run.outcome.lost_forks if fork.version in missing]
    if not lost:
        return (
            f"contains a run without results of {missing}: no fork was run; run again with the "
            "same folder and a longer --time-budget: earlier observations are reused"
        )
    return (
        f"contains a run without results of {missing}: every fork failed (the first: "
        f"{lost[0].reason}); see the output in {Path(path) / 'logs'}, fix the cause, and run "
        "again with another folder"
    )


def _no_run(path: Path) -> str:
    """Return a message on a path without a run."""
    folder = "the folder of a `steady run` of base and head"
    if path.is_dir():
        lacks = "does not contain base.json and head.json (Go: .txt)"
        return f"{lacks}; name {folder}, or two results"
    pattern = any(character in path.name for character in "*?[")
    if not pattern and not path.exists():
        return f"does not exist; name {folder}, or two results, the older one first"
    return f"is only one result; give two, the older one first, or {folder}"


def _result(folder: str, side: str) -> Path | None:
    """Return the file of one side's results in the folder of a run."""
    paths = (Path(folder) / f"{side}{suffix}" for suffix in _SUFFIXES)
    return next((path for path in paths if path.is_file()), None)


def require_plan(path: Path, arguments: Command) -> Path:
    """Return the path of a plan that must exist.

    Raises
    ------
    InputError
        If it does not exist; the message suggests how to make a plan, and a run without one.
    """
    if path.exists():
        return path
    raise InputError(
        f"this plan does not exist yet{suggest_for_no_plan(path, arguments)}", source=path
    )


def suggest_for_no_plan(path: Path, arguments: Command) -> str:
    """Return the end of a sentence that suggests a full run and a plan, or a run without one."""
    named = Named.by(arguments)
    make = plan_of_full_run(path.parent if path.suffix == ".json" else path)
    unplanned = named.run_without_plan()
    return (
        f"; make one with {code(named.full_run())} and then {code(make)}, or run without one: "
        f"{code(unplanned)}{placeholders(unplanned)}"
    )


def require_results(arguments: AnalyzeCommand | OptimizeCommand) -> None:
    """Raise InputError if a folder or file of a full run does not exist, and suggest that run."""
    for name in arguments.results:
        if not _is_missing(name):
            continue
        path = Path(name)
        whole = path.suffix and path.name.partition(".")[0] == _OF_FULL_RUN
        out = str(path.parent if whole else path.with_suffix(""))
        then = ""
        if path.suffix and not whole:  # `steady run` chooses the name of the file
            those = tuple(out if word == name else word for word in arguments.results)
            then = f", and then {code(replace(arguments, results=those))}"
        run = Named.by(arguments).full_run(out)
        raise InputError(
            f"no results exist yet; run the benchmarks with {code(run)}{then}", source=name
        )


def require_sides(arguments: Comparing) -> None:
    """Raise InputError if results of base or head do not exist, and suggest a run of both.

    Parameters
    ----------
    arguments : Comparing
        Command with paths or patterns of results as `base` and `head`.
    """
    for side in ("base", "head"):
        for name in getattr(arguments, side):
            if not _is_missing(name) or left_nothing(name):
                continue
            own = Path(name)
            usual = own.suffix in (".json", ".txt") and own.stem == side
            out = str(own.parent) if usual and str(own.parent) != "." else "results"
            measure = Named.by(arguments).run_without_plan(out)
            compare = type(arguments)(pair=(out,))
            raise InputError(
                f"{side} has no results yet; measure both versions with {code(measure)}, and then "
                f"{code(compare)}{placeholders(measure)}",
                source=name,
            )


def require_shards(folders: Sequence[Path], arguments: MergeCommand) -> None:
    """Raise InputError if the folder of a shard does not exist, and suggest the run of it.

    Parameters
    ----------
    folders : sequence of Path
        Output folder of each shard.
    arguments : MergeCommand
        Command that merges the shards, with their plan as `plan` if they followed one.
    """
    named = Named.by(arguments)
    for number, folder in enumerate(folders, start=1):
        if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
            continue
        run = named.full_run(str(folder))
        if arguments.plan is not None:
            run = RunCommand(plan=arguments.plan, base=named.older, head=named.newer, out=folder)
        run = replace(run, shard=(number, len(folders)))
        raise InputError(
            f"this folder contains no run; measure that shard with {code(run)}, and then "
            f"{code(arguments)}{placeholders(run)}",
            source=folder,
        )


def suggest_for_empty_history(arguments: ListCommand) -> str:
    """Suggest the commands that record the first results in a history."""
    record = RecordCommand(results=("full",), store=arguments.store, remote=arguments.remote)
    if arguments.suite is not None:
        record = replace(record, suite=arguments.suite)
    full = Named.by(arguments).full_run()
    return f"{code(full)} measures, and {code(record)} records the results{placeholders(full)}"


def _is_missing(name: str) -> bool:
    """Return whether a file does not exist, or a folder contains no results."""
    try:
        path = Path(name)
        if path.is_dir():
            patterns = chain.from_iterable(result_patterns())
            # Other files in it may be results; the reader reports its problem.
            return not any(next(path.glob(one), None) for one in (*patterns, "**/*.json"))
        return not (any(character in name for character in "*?[") or path.exists())
    except (OSError, ValueError):  # the reader reports the problem
        return False

"""Suggestions for files that do not exist yet: a plan, results, a shard, the first kept results."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from steady.errors import InputError
from steady.options.command import Command
from steady.options.compare_options import Comparing
from steady.options.other_options import ListCommand, RecordCommand
from steady.options.plan_options import AnalyzeCommand, OptimizeCommand
from steady.options.run_options import MergeCommand, RunCommand
from steady.readers.sources import left_nothing, result_patterns
from steady.suggestions.commands import Named, plan_of_full_run
from steady.suggestions.rendering import code, placeholders

_OF_FULL_RUN = "results"


def require_plan(path: Path, arguments: Command) -> Path:
    """Return the path of a plan that must exist.

    Raises
    ------
    InputError
        If it does not exist; the message says how to make a plan, and which run needs none.
    """
    if path.exists():
        return path
    raise InputError(
        f"this plan does not exist yet{suggest_for_no_plan(path, arguments)}", source=path
    )


def suggest_for_no_plan(path: Path, arguments: Command) -> str:
    """Suggest a full run and a plan of it, or a run without a plan; the end of a sentence."""
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
        Its ``base`` and ``head`` are paths or patterns of results.
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
        One for each shard.
    arguments : MergeCommand
        Its `plan` is the plan that the shards followed, if there is one.
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
    """Suggest the commands that keep the first results in a history."""
    record = RecordCommand(results=("full",), store=arguments.store, remote=arguments.remote)
    if arguments.suite is not None:
        record = replace(record, suite=arguments.suite)
    full = Named.by(arguments).full_run()
    return f"{code(full)} measures, and {code(record)} records the results{placeholders(full)}"


def _is_missing(name: str) -> bool:
    """Return whether there are no results: no such file, or a folder without any."""
    try:
        path = Path(name)
        if path.is_dir():
            patterns = chain.from_iterable(result_patterns())
            # Files elsewhere in it may be results all the same: the reader names its problem.
            return not any(next(path.glob(one), None) for one in (*patterns, "**/*.json"))
        return not (any(character in name for character in "*?[") or path.exists())
    except (OSError, ValueError):  # the reader names the problem
        return False

"""The two results that a command compares, and suggestions where it does not name two."""

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from steady.engine.run_file import read_run
from steady.errors import InputError
from steady.options.compare_options import Comparing

ComparingT = TypeVar("ComparingT", bound=Comparing)

SIDES = ("base", "head")
_SUFFIXES = (".json", ".json.gz", ".txt", ".txt.gz")


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
    """Say why a path does not stand for two results, and suggest another, or a run."""
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
    """Say what a path is that does not hold a run."""
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

"""The two results to compare: two positional arguments, or ``--base`` and ``--head``."""

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
        found = of_run(pair[0])
        if found is None:
            raise InputError(_explain_not_two(pair[0]), source=pair[0])
        return (found["base"],), (found["head"],)
    for word in pair:
        found = of_run(word)
        if found is not None:
            raise InputError(
                f"holds results of base and of head; name one of them, such as {found['head']}, or "
                "give this folder alone to compare both",
                source=word,
            )
    old, new = pair
    return (old,), (new,)


def _explain_not_two(word: str) -> str:
    """Return an error for a path that does not contain two results, with a suggested command."""
    header = Path(word) / "run.json"
    if not header.is_file():
        return _describe(Path(word))
    run = read_run(header)
    if {version.name for version in run.header.versions} != set(SIDES):
        return (
            "holds a run of one version; give two results, the older one first, or run both: "
            "`steady run --base OLD --head NEW --out FOLDER`"
        )
    missing = " and ".join(side for side in SIDES if _result(word, side) is None)
    if run.outcome is None or run.outcome.interrupted:
        return (
            f"holds a run that has not ended and has no results of {missing} yet; if nothing is "
            "running, give its `steady run` command again with --resume"
        )
    lost = [fork for fork in run.outcome.lost_forks if fork.version in missing]
    if not lost:
        return (
            f"holds a run without results of {missing}: no fork was run; run again into the same "
            "folder with more time (--time-budget): what was learned is kept there"
        )
    return (
        f"holds a run without results of {missing}: every fork failed (the first: "
        f"{lost[0].reason}); see the output in {Path(word) / 'logs'}, mend that, and run again "
        "into another folder"
    )


def _describe(path: Path) -> str:
    """Describe a path that does not contain a run."""
    folder = "the folder of a `steady run` of base and head"
    if path.is_dir():
        return f"does not hold base.json and head.json (Go: .txt); name {folder}, or two results"
    pattern = any(character in path.name for character in "*?[")
    if not pattern and not path.exists():
        return f"does not exist; name {folder}, or two results, the older one first"
    return f"is only one result; give two, the older one first, or {folder}"


def of_run(word: str) -> dict[str, str] | None:
    """Return the results of both sides in a run's folder; None if either is missing."""
    found = {side: _result(word, side) for side in SIDES}
    return {side: str(path) for side, path in found.items()} if all(found.values()) else None


def _result(word: str, side: str) -> Path | None:
    """Return the file of one side's results in the folder of a run."""
    paths = (Path(word) / f"{side}{suffix}" for suffix in _SUFFIXES)
    return next((path for path in paths if path.is_file()), None)

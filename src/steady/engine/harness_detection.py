"""Detection of the harness: by the words of a command, or by files."""

from collections.abc import Sequence
from pathlib import Path

from steady.engine.request import Ways
from steady.errors import InputError
from steady.harness.trial import Version
from steady.harnesses import HARNESSES, RUNNABLE, harness_named


def harness_of(version: Version, command: Sequence[str], ways: Ways) -> str:
    """Return the harness of a version: by the words after ``--``, or by its files."""
    target, words = version.target, command or version.command
    if words:
        return next(name for name in RUNNABLE if _takes(name, words, target))
    if not target.exists():
        way = ways("no benchmarks here", str(target))
        raise InputError(
            f"does not exist; check the path, and build the benchmarks first{way}", source=target
        )
    name = harness_of_files(target)
    if name is None and target.is_dir():
        known = [entry.value.building for entry in HARNESSES.values()]
        lacking = (one.lacking(target) for one in known if one.lacking is not None)
        instead = (f"name {one.named}" for one in known if one.named)
        raise InputError(", or ".join((*lacking, *instead)), source=target)
    if name is None:
        raise InputError(
            f"belongs to an unknown harness; give --harness {' or '.join(RUNNABLE)}",
            source=target,
        )
    return name


def harness_of_files(target: Path) -> str | None:
    """Return the harness whose benchmarks a file or folder contains; None if it is unknown."""
    return next((name for name, entry in RUNNABLE.items() if entry.value.holds(target)), None)


def harness_of_command(words: Sequence[str], target: Path, planned: str) -> str | None:
    """Return the harness of a command; None if it is unknown, as any words may be a command.

    Parameters
    ----------
    words : sequence of str
        The command.
    target : Path
        Where it runs.
    planned : str
        The harness of the plan, which has priority if it takes the words.
    """
    if _takes(planned, words, target):
        return planned
    name = next((name for name in RUNNABLE if _takes(name, words, target)), None)
    return name if name is not None and harness_named(name).title else None


def _takes(name: str, words: Sequence[str], target: Path) -> bool:
    takes = RUNNABLE[name].value.takes if name in RUNNABLE else None
    return takes is not None and takes(words, target)

"""The part of each harness that looks into builds: it is found here, and asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from steady.files import write_text
from steady.harness import HARNESSES
from steady.harness.contract import Learned
from steady.harness.runs import Runs
from steady.harness.trial import Version
from steady.samecode.builds import Builds


def builds_of(
    harness: Runs,
    versions: Sequence[Version],
    plan: Path | None,
    tell: Callable[[str], None],
    out: Path | None = None,
) -> Builds | None:
    """Return builds, as their harness looks into them; None if it does not.

    Parameters
    ----------
    harness : Runs
        What runs the benchmarks.
    versions : sequence of Version
        Base and head, or the only version.
    plan : Path, optional
        File or folder of a plan, beside which lies what earlier runs have learned.
    tell : callable
        Gets lines for the user.
    out : Path, optional
        A folder in which an earlier run may have left what it learned, before it failed.
    """
    search = HARNESSES[harness.name].value.same_code if harness.name in HARNESSES else None
    if search is None:
        return None
    beside = None if plan is None else plan if plan.is_dir() else plan.parent
    if out is not None and search.learned is not None and (out / search.learned.file).is_file():
        beside = out  # it is of these jars, or is found to be of others
    return search.builds(harness, versions, beside, tell)


def carry_on(folders: Iterable[Path], out: Path) -> list[Path]:
    """Copy what runs have learned beside their results into a folder; return what was written."""
    places = list(dict.fromkeys(folders))
    texts = {one.file: one.joined([place / one.file for place in places]) for one in _learned()}
    return [write_text(out / file, text) for file, text in texts.items() if text]


def marks_of_learned() -> dict[str, str]:
    """Return a key of each file that holds what runs have learned, by the file's name."""
    return {one.file: one.mark for one in _learned()}


def _learned() -> Iterator[Learned]:
    searches = (entry.value.same_code for entry in HARNESSES.values())
    return (one.learned for one in searches if one is not None and one.learned is not None)

"""The builds of a run, as the part of their harness looks into them that is found here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from steady.files import write_text
from steady.harness import HARNESSES
from steady.harness.contract import Learned
from steady.harness.runs import Runs
from steady.harness.trial import Held, Version
from steady.model import Identity
from steady.samecode.decision import Audit, Decision


class Builds(Protocol):
    """The builds of base and head, or the only one; who learns nothing from forks only decides."""

    def within(self, left: Callable[[], float]) -> Builds:  # noqa: ARG002 - it takes no time
        """Return the same builds, which are looked into only as long as there is time.

        Parameters
        ----------
        left : callable
            Returns the seconds that are left. What is not known then counts as a difference.
        """
        return self

    def distances(self) -> Mapping[Identity, float]:
        """Return how far each benchmark is from what differs, as far as that is known.

        The nearest ones are measured first. Calls on the way to the nearest change, for example.
        """
        return {}

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark whether it runs the same code.

        Parameters
        ----------
        held : mapping of str to collection of Identity
            The benchmarks of ``base`` and ``head``.
        """
        ...

    def record(
        self,
        folder: Path,  # noqa: ARG002 - nothing was learned
        same: Collection[Identity] = (),  # noqa: ARG002
    ) -> None:
        """Write what the forks of a run have shown into its folder, for later runs.

        Parameters
        ----------
        folder : Path
            The folder.
        same : collection of Identity
            What runs the same code in both.
        """
        return

    def audited(
        self,
        decisions: Sequence[Decision],  # noqa: ARG002 - nothing was learned
        folder: Path,  # noqa: ARG002
        held: Held,  # noqa: ARG002
    ) -> Audit:
        """Hold the decisions against what the forks of a run have shown since.

        Parameters
        ----------
        decisions : sequence of Decision
            What runs the same code, as far as was known.
        folder : Path
            Of a run that left nothing out.
        held : mapping of str to collection of Identity
            The benchmarks of base and head.
        """
        return Audit()


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

"""Whether the results of an earlier session are still those that its journal describes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steady.engine.folder import RunFolder
from steady.engine.journal import Journal, JournalEntry
from steady.errors import InputError
from steady.harness.trial import Trial


def forget_what_is_not_whole(
    journal: Journal, trials: Sequence[Trial], folder: RunFolder
) -> Iterator[str]:
    """Forget trials whose results are gone or have changed, so that they are run again.

    Parameters
    ----------
    journal : Journal
        How trials ended.
    trials : sequence of Trial
        The whole schedule.
    folder : RunFolder
        Where their results are.

    Yields
    ------
    str
        For each that is forgotten, what happened.

    Raises
    ------
    InputError
        If the journal names a trial that the run does not have.
    """
    known = {trial.number for trial in trials}
    for record in list(journal.records.values()):
        if record.number not in known:
            raise InputError(
                f"the journal names trial {record.number}, which this run does not have; "
                "run again into another folder",
                source=folder.path,
            )
        forgotten = record.number not in journal.records  # with the other of its pair
        if record.status == "ok" and not forgotten and not _is_whole(record, folder):
            journal.forget(record.number)
            other = "" if record.beside is None else f", and trial {record.beside} with it"
            yield (
                f"the result of trial {record.number} is not what the journal says was "
                f"measured; it is run again{other}"
            )


def _is_whole(record: JournalEntry, folder: RunFolder) -> bool:
    """Tell whether a result is what was measured; older journals do not contain digests."""
    if record.sha256:
        return folder.digest(record.number) == record.sha256
    path = folder.result(record.number)
    return path.is_file() and path.stat().st_size > 0

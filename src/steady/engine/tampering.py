"""Detection of results, journals and targets that another process has changed.

Base and head run as one user, so a process that head starts may replace base's jar, a finished
result, or the journal. This cannot be prevented, but each of these has a digest. If a digest does
not match, the affected trials count as failed, with a reason that the reports show.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from steady.engine.journal import Journal, JournalEntry
from steady.engine.run_file import Header, target_digest
from steady.engine.run_folder import RunFolder
from steady.errors import InputError
from steady.harness.trial import Version

_JOURNAL = "tampering: a process other than steady changed the run's journal"
_TARGET = "tampering: the files of {} changed during the run"
_RESULT = "tampering: its result was changed after the measurement"


def distrust(
    journal: Journal, folder: RunFolder, versions: Sequence[Version], header: Header
) -> None:
    """Count changed results as failed. Must be called after the last fork.

    Parameters
    ----------
    journal : Journal
        The outcomes of the trials.
    folder : RunFolder
        The folder with their results.
    versions : sequence of Version
        The versions of the run.
    header : Header
        The header of the run, with the digests of the targets before the first fork.
    """
    begun = {target.name: target.sha256 for target in header.versions}
    everywhere = _JOURNAL if journal.correct() else ""
    reasons = {
        one.name: everywhere or _TARGET.format(one.name)
        for one in versions
        if everywhere or _digest(one, folder.path) != begun[one.name]
    }
    for outcomes in (journal.screened, journal.records):
        journal.add(*_failed(outcomes, folder, reasons))


def _failed(
    records: Mapping[int, JournalEntry], folder: RunFolder, reasons: Mapping[str, str]
) -> Iterator[JournalEntry]:
    failed = {
        record.number: reasons.get(record.version, _RESULT)
        for record in records.values()
        if record.status == "ok"
        and (record.version in reasons or not folder.holds(record.number, record.sha256))
    }
    for record in records.values():
        alone = replace(record, beside=None, in_turn=False)
        if record.number in failed:
            yield replace(alone, status="failed", reason=failed[record.number], sha256="")
        elif failed.keys() & record.others:
            yield alone


def _digest(version: Version, out: Path) -> str:
    try:
        return target_digest(version.target, out)
    except InputError:
        return ""

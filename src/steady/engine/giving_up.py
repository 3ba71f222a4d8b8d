"""When the forks of a benchmark that are left are not run any more."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from steady.engine.journal import GivenUp, JournalEntry
from steady.harness.trial import Trial

EQUAL_FAILURES = 3
"""After this many failures of one kind, the remaining forks of a benchmark are not run."""

_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+|@[0-9a-f]+", re.IGNORECASE)


def given_up_after(
    trial: Trial, trials: Sequence[Trial], records: Mapping[int, JournalEntry], left: Sequence[int]
) -> GivenUp | None:
    """Return that a benchmark is given up, in all versions, after the third failure of one kind.

    A benchmark without one of its sides has no verdict.

    Parameters
    ----------
    trial : Trial
        The one that has failed.
    trials : sequence of Trial
        The whole schedule.
    records : mapping of int to JournalEntry
        How trials ended.
    left : sequence of int
        The trials of its benchmark that are still to be run.

    Returns
    -------
    GivenUp or None
        None if it goes on.
    """
    own = [t.number for t in trials if (t.identity, t.version) == (trial.identity, trial.version)]
    failed = [r for n in own if (r := records.get(n)) and r.status == "failed"]
    reason = _without_numbers(records[trial.number].reason)
    alike = sum(_without_numbers(record.reason) == reason for record in failed)
    if alike < EQUAL_FAILURES or not left:
        return None
    why = f"it failed {EQUAL_FAILURES} times for the same reason in {trial.version}"
    return GivenUp(trial.identity.label, tuple(left), why)


def _without_numbers(reason: str) -> str:
    """Return a reason without addresses, hash codes and counts, which differ each time."""
    return _NUMBERS.sub("#", reason)

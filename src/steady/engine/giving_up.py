"""Rules that give up the remaining forks of a benchmark."""

import re
from collections.abc import Mapping, Sequence

from steady.engine.journal import GivenUp, Journal, JournalEntry
from steady.engine.time_limit import OUT_OF_TIME
from steady.execution.warm_up import stays_cold
from steady.harness.trial import Trial
from steady.model import Identity

EQUAL_FAILURES = 3
"""After this many failures of one kind, the remaining forks of a benchmark are not run."""

_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+|@[0-9a-f]+", re.IGNORECASE)


def may_stay_cold(identity: Identity, journal: Journal) -> bool:
    """Return whether forks of a benchmark are likely to need more time to reach steady state.

    This is so if its earlier forks did, or a third of all forks, as on a busy machine.
    """
    ended = [record for record in journal.records.values() if record.status == "ok"]
    late = [r.benchmark for r in ended if r.cold or stays_cold(r.seconds, r.promised)]
    return identity.label in late or 3 * len(late) >= len(ended) > 0


def out_of_time(trials: Sequence[Trial]) -> tuple[GivenUp, ...]:
    """Give up the remaining trials of benchmarks at the end of the run's time."""
    by_label: dict[str, list[int]] = {}
    for trial in trials:
        by_label.setdefault(trial.identity.label, []).append(trial.number)
    return tuple(GivenUp(label, tuple(own), OUT_OF_TIME) for label, own in by_label.items())


def given_up_after(
    trial: Trial,
    trials: Sequence[Trial],
    records: Mapping[int, JournalEntry],
    left: Sequence[int],
    *,
    timed: bool = False,
) -> GivenUp | None:
    """Give up a benchmark, in all versions, after its third failure for the same reason.

    A benchmark without one of its sides has no verdict. If time is limited, one hanging fork is
    enough, or one round that fails in all versions, because other benchmarks need the time.

    Parameters
    ----------
    trial : Trial
        The failed trial.
    trials : sequence of Trial
        The whole schedule.
    records : mapping of int to JournalEntry
        Outcomes of trials.
    left : sequence of int
        The trials of its benchmark that are still to be run.
    timed : bool
        Whether the run's time is limited.

    Returns
    -------
    GivenUp or None
        None if the benchmark continues.
    """
    if not left:
        return None
    record = records[trial.number]
    took = record.end - record.start
    if timed and took >= trial.timeout:
        why = f"a fork of {trial.version} exceeded its timeout, and the time is limited"
        return GivenUp(trial.identity.label, tuple(left), why)
    place = trial.identity, trial.round
    beside = [records.get(t.number) for t in trials if (t.identity, t.round) == place]
    if timed and len(beside) > 1 and all(r and r.status == "failed" for r in beside):
        why = "it failed in both versions, and the time is limited"
        return GivenUp(trial.identity.label, tuple(left), why)
    own = [t.number for t in trials if (t.identity, t.version) == (trial.identity, trial.version)]
    failed = [r for n in own if (r := records.get(n)) and r.status == "failed"]
    reason = _without_numbers(record.reason)
    if sum(_without_numbers(other.reason) == reason for other in failed) < EQUAL_FAILURES:
        return None
    why = f"it failed {EQUAL_FAILURES} times for the same reason in {trial.version}"
    return GivenUp(trial.identity.label, tuple(left), why)


def _without_numbers(reason: str) -> str:
    """Return a reason without addresses, hash codes and counts, which differ each time."""
    return _NUMBERS.sub("#", reason)

"""Write the merged results of each version of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.compare.alpha_spending import looks_of
from steady.engine.folder import RunFolder
from steady.engine.journal import Journal
from steady.harness.runs import ForkResult, RunFacts, Runs
from steady.harness.trial import Trial, Version
from steady.model import Identity


@dataclass(frozen=True)
class Merging:
    """Merges what a run has measured.

    Parameters
    ----------
    harness : Runs
        Writes its own format.
    versions : sequence of Version
        What is run.
    folder : RunFolder
        Holds the results of the forks, and gets the merged ones.
    looks : mapping of Identity to tuple of int
        After how many rounds the run decides about a benchmark.
    """

    harness: Runs
    versions: Sequence[Version]
    folder: RunFolder
    looks: Mapping[Identity, tuple[int, ...]]

    def write(self, trials: Sequence[Trial], journal: Journal) -> dict[str, Path]:
        """Write the merged results of every version that has any, and return their paths.

        Parameters
        ----------
        trials : sequence of Trial
            The whole schedule so far.
        journal : Journal
            How they ended.
        """
        merged = {}
        by_number = {trial.number: trial for trial in trials}
        for version in self.versions:
            results = [
                ForkResult(
                    by_number[r.number], r.block, self.folder.result(r.number), r.spent, r.in_turn
                )
                for r in journal.records.values()
                if r.status == "ok" and by_number[r.number].version == version.name
            ]
            if results:
                content = self.harness.merge(results, self._facts(version, trials, journal))
                merged[version.name] = path = self.folder.merged(version.name)
                self.folder.write(path, content)
        return merged

    def _facts(self, version: Version, trials: Sequence[Trial], journal: Journal) -> RunFacts:
        own = [
            trial
            for trial in trials
            if trial.version == version.name and trial.number not in journal.given_up
        ]
        return RunFacts(
            Counter(trial.identity for trial in own),
            self.harness.declared(version),
            Counter(trial.identity for trial in own if trial.number not in journal.records),
            self.looks,
        )


def looks_of_run(planned: Sequence[Trial]) -> dict[Identity, tuple[int, ...]]:
    """Return after how many rounds a run looks at each benchmark that two versions have.

    Parameters
    ----------
    planned : sequence of Trial
        The planned schedule, without the rounds that follow it.
    """
    rounds: dict[Identity, set[int]] = {}
    versions: dict[Identity, set[str]] = {}
    for trial in planned:
        rounds.setdefault(trial.identity, set()).add(trial.round)
        versions.setdefault(trial.identity, set()).add(trial.version)
    return {i: looks_of(len(own)) for i, own in rounds.items() if len(versions[i]) > 1}

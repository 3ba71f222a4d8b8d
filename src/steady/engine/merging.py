"""Merging of a run's results: one file for each version, in its harness's own format."""

import math
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from steady.compare.round_tables import apparent_difference
from steady.engine.journal import Journal
from steady.engine.run_folder import RunFolder
from steady.engine.run_plan import RunPlan
from steady.engine.screening import Shift
from steady.errors import InputError
from steady.files import write_bytes
from steady.harness.runs import ForkResult, RunFacts
from steady.harness.trial import Trial, Version
from steady.model import Benchmark, Identity
from steady.readers import load


@dataclass(frozen=True)
class Merging:
    """The merging of a run's results.

    Parameters
    ----------
    plan : RunPlan
        What the run measures.
    folder : RunFolder
        Holds the results of the forks, and gets the merged ones.
    journal : Journal
        How trials ended.
    """

    plan: RunPlan
    folder: RunFolder
    journal: Journal

    def write(self) -> dict[str, Path]:
        """Write the merged results of every version that has any, and return their paths.

        If the run had nothing to measure, the files hold no results. Then nothing differs, or no
        time was left for the search.
        """
        nothing = not self.plan.trials
        merged = {}
        for version in self.plan.versions:
            own = self._trials(version)
            results = list(self._results(own))
            path = self.folder.merged(version.name)
            if results or nothing:
                content = self.plan.harness.merge(results, self._facts(version, own))
                merged[version.name] = path
                self.folder.write(path, content)
            else:  # those of an earlier look do not count any more
                path.unlink(missing_ok=True)
        return merged

    def write_series(self, version: Version) -> Path | None:
        """Write all iterations of a version's forks as one file, in the form of a full run.

        After a run without a plan, the first plan is made from this file. Returns None if the
        version has no results.
        """
        results = list(self._results(self._trials(version)))
        if not results:
            return None
        forks = Counter(result.trial.identity for result in results)
        facts = RunFacts(forks, self.plan.harness.declared(version), whole=True)
        content = self.plan.harness.merge(results, facts)
        return write_bytes(self.folder.series(version.name), content)

    def difference(self, identity: Identity) -> float:
        """Return the apparent difference of a benchmark's versions in the results so far.

        Returns
        -------
        float
            Absolute logarithm of the ratio, from the interleaved rounds if there are any, or else
            from the medians; infinite if a version has no usable result.
        """
        sides = self._sides(identity, self.journal.schedule(self.plan.trials))
        return math.inf if sides is None else apparent_difference(*sides)

    def screened_shift(self, identity: Identity) -> Shift | None:
        """Return the shift between the screening forks of a benchmark; None if it is unknown."""
        sides = self._sides(identity, self.plan.screening)
        return None if sides is None else Shift.between(*sides)

    def _sides(
        self, identity: Identity, schedule: Sequence[Trial]
    ) -> tuple[Benchmark, Benchmark] | None:
        """Return the results of a benchmark's trials; None if a version has none."""
        sides, trials = [], [trial for trial in schedule if trial.identity == identity]
        with tempfile.TemporaryDirectory() as folder:
            for version in self.plan.versions:
                own = [trial for trial in trials if trial.version == version.name]
                content = self.plan.harness.merge(
                    list(self._results(own)), self._facts(version, own)
                )
                path = write_bytes(Path(folder) / self.folder.merged(version.name).name, content)
                try:
                    sides.append(load(path)[identity])
                except (InputError, KeyError):
                    return None
        return sides[0], sides[-1]

    def _trials(self, version: Version) -> list[Trial]:
        schedule = self.journal.schedule(self.plan.trials)
        return [trial for trial in schedule if trial.version == version.name]

    def _results(self, own: Sequence[Trial]) -> Iterator[ForkResult]:
        """Yield the results of a version's trials, in the order in which they ended."""
        trials = {trial.number: trial for trial in own}
        for r in (*self.journal.screened.values(), *self.journal.records.values()):
            if r.status == "ok" and r.number in trials:
                path = self.folder.result(r.number)
                trial = trials[r.number]
                one = ForkResult(trial, r.block, path, r.spent, r.in_turn)
                yield replace(one, layout=r.layout, process=r.process)

    def _facts(self, version: Version, own: Sequence[Trial]) -> RunFacts:
        wanted = [trial for trial in own if trial.number not in self.journal.given_up]
        return RunFacts(
            Counter(trial.identity for trial in wanted),
            self.plan.harness.declared(version),
            Counter(t.identity for t in wanted if t.number not in self.journal.records),
            self.plan.looks,
        )

"""What a run without a plan measured, warm-up included: from it the first plan is made."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from steady.engine.folder import RunFolder
from steady.engine.journal import Journal
from steady.engine.state import RunState
from steady.files import write_bytes
from steady.harness.runs import ForkResult, RunFacts, Runs
from steady.harness.trial import Version


def write_series(
    harness: Runs, version: Version, state: RunState, folder: RunFolder
) -> Path | None:
    """Write all iterations of a version's forks as one file, as a full run leaves it.

    Parameters
    ----------
    harness : Runs
        Writes its own format.
    version : Version
        Whose forks.
    state : RunState
        The run, which has ended.
    folder : RunFolder
        Where its results are.

    Returns
    -------
    Path or None
        The file; None if the version has no results.
    """
    trials = {trial.number: trial for trial in state.trials if trial.version == version.name}
    results = [
        ForkResult(trials[r.number], r.block, folder.result(r.number), r.spent, r.in_turn)
        for r in Journal.open(folder.journal).records.values()
        if r.number in trials and r.status == "ok"
    ]
    if not results:
        return None
    forks = Counter(result.trial.identity for result in results)
    facts = RunFacts(forks, harness.declared(version), whole=True)
    return write_bytes(folder.series(version.name), harness.merge(results, facts))

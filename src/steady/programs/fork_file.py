"""Results of forks in the JSON of a harness that does not record forks: one entry for each fork.

Entries remain as the harness wrote them, so that its own tools can read the file. The facts about
the fork are added to each (`steady.harness.fork_facts`).
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steady import safe_open
from steady.harness.fork_facts import KEY, facts_of
from steady.harness.runs import ForkResult, RunFacts

COUNTS = "steady_counts"
"""Key of the counters' results in the file of a fork; `ForkFacts.counts` in merged files."""

UNITS = {"allocations": "B", "instructions": "instr/op"}
"""Units of the counts (`steady.programs.counting`)."""


def merged(results: Sequence[ForkResult], facts: RunFacts, key: str, *, mark: str = "") -> bytes:
    """Join the forks of one version; see `steady.harness.runs.Runs.merge`.

    Parameters
    ----------
    results : sequence of ForkResult
        Each a JSON object of the harness.
    facts : RunFacts
        Facts about the run.
    key : str
        Key of the list of entries.
    mark : str
        Key that identifies a file of the harness if no fork was run.
    """
    entries = [
        entry | noted(fork, facts, document)
        for fork in results
        for document in [json.loads(safe_open.read_regular(fork.path))]
        for entry in document[key]
    ]
    first = json.loads(safe_open.read_regular(results[0].path)) if results else {mark: {}}
    first.pop(COUNTS, None)
    return _written({**first, key: entries})


def noted(fork: ForkResult, facts: RunFacts, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts to add to an entry of a fork's result."""
    return {KEY: facts_of(fork, facts, counts=document.get(COUNTS, ()))}


def joined(files: Sequence[Path], key: str) -> bytes:
    """Join files that `merged` made; see `steady.harness.runs.Runs.join`."""
    documents = [json.loads(path.read_bytes()) for path in files]
    return _written({**documents[0], key: [entry for one in documents for entry in one[key]]})


def _written(document: Any) -> bytes:
    return (json.dumps(document, indent=1) + "\n").encode()

"""JSON with a list of entries, from a harness that does not record forks: its format and its files.

A file of a run has an entry for each fork. Entries remain as the harness wrote them, so that its
own tools can read the file. The facts about the fork are added to each
(`steady.harness.fork_facts`).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steady import safe_open
from steady.harness.document import Document
from steady.harness.fields import Field
from steady.harness.fork_facts import KEY, facts_of
from steady.harness.runs import ForkResult, RunFacts
from steady.harness.suite_builder import LEVELS
from steady.model import Environment, Identity, Level, Suite
from steady.programs.fork_entries import ForkEntry, Record, read_records, suite_of

COUNTS = "steady_counts"
"""Key of the counters' results in the file of a fork; `ForkFacts.counts` in merged files."""


def top_of(document: Document) -> Field:
    """Return the outermost value of a document."""
    return Field(document.data, document.source)


def _unknown(_: Document) -> Environment:
    return Environment()


@dataclass(frozen=True, kw_only=True)
class EntriesFormat:
    """A format: recognises a file and reads it as a suite.

    Parameters
    ----------
    name : str
        The harness, as in `Plan.harness`.
    key : str
        Key of the list of entries.
    mark : str
        Another key, which is in every file, even without entries.
    records : callable
        Returns the unparsed records of a document.
    environment : callable
        Returns the environment of the benchmarks.
    levels : tuple of Level
        The levels: a fork, and its values.
    """

    name: str
    key: str
    mark: str
    records: Callable[[Document], Iterable[Record]]
    environment: Callable[[Document], Environment] = _unknown
    levels: tuple[Level, ...] = LEVELS

    def recognizes(self, document: Document) -> bool:
        """Return whether a document has both keys."""
        return document.is_marked(self.mark) and document.is_marked(self.key)

    def read(self, document: Document) -> Suite:
        """Read a document into a suite with a row for each process.

        Raises
        ------
        InputError
            If the harness does not write such documents.
        """
        return suite_of(
            read_records(self.records(document)),
            harness=self.name,
            source=document.source,
            environment=self.environment(document),
            levels=self.levels,
        )


def each_entry(
    key: str,
    identity: Callable[[Field], Identity],
    entries: Callable[[Identity, Field], Iterator[ForkEntry]],
) -> Callable[[Document], Iterator[Record]]:
    """Return `EntriesFormat.records` for a list with an entry for each benchmark and process.

    Parameters
    ----------
    key : str
        Key of the list.
    identity : callable
        Returns the benchmark of an entry.
    entries : callable
        Reads an entry, given its identity.
    """

    def records(document: Document) -> Iterator[Record]:
        for entry in top_of(document).member(key).items():
            own = identity(entry)
            yield own, entry, entries(own, entry)

    return records


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

"""The format of a harness whose JSON has a list of entries and does not record forks."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from steady.harness.document import Document
from steady.harness.fields import Field
from steady.harness.suite_builder import LEVELS
from steady.model import Environment, Identity, Level, Suite
from steady.programs.fork_entries import ForkEntry, Record, read_records, suite_of


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
        Another key of every file, also without entries.
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

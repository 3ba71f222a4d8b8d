"""The format of a harness whose JSON holds a list of entries, and no forks of its own."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from steady.harness.document import Document
from steady.harness.fields import Field
from steady.model import Environment, Identity, Level, Suite
from steady.programs.fork_entries import ForkEntry, Record, read_records, suite_of
from steady.readers.forks import LEVELS


def top_of(document: Document) -> Field:
    """Return the outermost value of a document."""
    return Field(document.data, document.source)


def _unknown(_: Document) -> Environment:
    return Environment()


@dataclass(frozen=True, kw_only=True)
class EntriesFormat:
    """The format: how a file is recognised, and how it becomes a suite.

    Parameters
    ----------
    name : str
        The harness, as in `Plan.harness`.
    key : str
        Key of the list of entries.
    mark : str
        Another key that every file has, even one of a run without forks.
    records : callable
        Returns the records of a document, unread.
    environment : callable
        Returns where its benchmarks ran.
    levels : tuple of Level
        The levels of a fork and of its values.
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
        """Read a document: a benchmark with a row for each process.

        Raises
        ------
        InputError
            If it is not what the harness writes.
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
    """Return `EntriesFormat.records` of a list in which each entry is a benchmark in a process.

    Parameters
    ----------
    key : str
        Key of the list.
    identity : callable
        Returns the benchmark of an entry.
    entries : callable
        Reads an entry, whose identity is known.
    """

    def records(document: Document) -> Iterator[Record]:
        for entry in top_of(document).member(key).items():
            own = identity(entry)
            yield own, entry, entries(own, entry)

    return records

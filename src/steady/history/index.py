"""The index of a history: its entries, and the files among them that are not entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from steady.errors import InputError
from steady.history.entry import HistoryEntry, decode
from steady.history.objects import entry_path


@dataclass(frozen=True, slots=True)
class Index:
    """What a store holds.

    Parameters
    ----------
    entries : tuple of HistoryEntry
        The runs.
    passed_over : tuple of str
        Files that do not count, with one sentence each: a broken file must not prevent comparing
        with the other runs, or pruning them.
    """

    entries: tuple[HistoryEntry, ...] = ()
    passed_over: tuple[str, ...] = ()


def index_of(files: Mapping[str, bytes], name: str, separator: str) -> Index:
    """Read the files of an index.

    Parameters
    ----------
    files : mapping of str to bytes
        Contents by path.
    name, separator : str
        What messages call the store, and the text between this name and a path.
    """
    entries, passed_over = [], []
    for path in sorted(files):
        place = f"{name}{separator}{path}"
        try:
            entry = decode(files[path], place)
        except InputError as error:
            passed_over.append(f"{error}; until then it is left out")
            continue
        if path == entry_path(entry.identity):
            entries.append(entry)
        else:
            passed_over.append(
                f"{place}: is left out, because its name does not fit its content: delete that "
                "file, and record that run again"
            )
    return Index(tuple(entries), tuple(passed_over))

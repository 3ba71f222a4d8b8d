"""Lines of the sources that declare benchmarks, as far as they are known for sure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from steady.errors import InputError
from steady.harness import HARNESSES
from steady.model import Identity
from steady.source_folder import Limits, SourceLine

_LIMITS = Limits(files=100_000, file_bytes=96 * 1024, all_bytes=8 * 1024 * 1024)
"""What is read for a report. The Java parser takes a second for 100 KB that are made to be slow."""


def find_lines(folder: str | Path, identities: Iterable[Identity]) -> dict[Identity, SourceLine]:
    """Return the lines on which benchmarks are declared.

    Nothing is compiled and nothing is run: the folder may be a stranger's pull request.

    Parameters
    ----------
    folder : path-like
        The source, as it was checked out.
    identities : iterable of Identity
        The benchmarks that are looked for.

    Returns
    -------
    dict of Identity to SourceLine
        Those that are found in exactly one file. Empty where the folder cannot be read.
    """
    wanted = list(identities)
    lines: dict[Identity, SourceLine] = {}
    for entry in HARNESSES.values():
        if entry.value.source_lines is not None:
            try:
                found = entry.value.source_lines(Path(folder), wanted, _LIMITS)
            except InputError:
                return {}
            lines = {**found, **lines}
            wanted = [identity for identity in wanted if identity not in lines]
    return lines

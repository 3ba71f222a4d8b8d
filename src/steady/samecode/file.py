"""The file ``same-code.json`` beside results: benchmarks that were left out, and controls.

A run writes it before it measures base and head. It lists the benchmarks that run the same code in
both, and the reason why each of the others may run other code.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from msgspec import Struct

from steady.files import json_text, read_marked
from steady.harness.builds import Decision, is_near, nearness
from steady.model import Identity, SameCode, Suite

FILE_NAME = "same-code.json"
MARK = "steady_same_code"

_SIZE_LIMIT = 16 * 2**20


class SameCodeFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file.

    Parameters
    ----------
    steady_same_code : int
        The version of the file.
    same : tuple of Identity
        The benchmarks that run the same code in base and head, and were not measured.
    controls : tuple of Identity
        The benchmarks that run the same code too, and were measured.
    others : tuple of Decision
        The benchmarks that were measured because they may run other code, nearest change first.
    """

    steady_same_code: Literal[1]
    same: tuple[Identity, ...]
    controls: tuple[Identity, ...] = ()
    others: tuple[Decision, ...] = ()

    @property
    def meaning(self) -> SameCode:
        """The part that a suite keeps."""
        keys = {one.identity: nearness(one.distance, one.share) for one in self.others}
        far = tuple(identity for identity, key in keys.items() if not is_near(key))
        return SameCode(self.same, self.controls, far if len(far) < len(keys) else ())

    def text(self) -> str:
        """Return the text of the file."""
        return json_text(self)


def read_same_code(folder: Path) -> SameCodeFile | None:
    """Read the file in a folder; None if there is none.

    A file of that name without ``"steady_same_code"`` is ignored, since another program wrote it.

    Raises
    ------
    InputError
        If it has another version or format.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        return None
    what = "a list of benchmarks with the same code, version 1"
    remedy = "delete it to compare without it"
    return read_marked(path, SameCodeFile, MARK, _SIZE_LIMIT, what=what, remedy=remedy)


def add_same_code(suite: Suite, folder: Path) -> Suite:
    """Add the file in a folder to a suite, if there is one.

    Raises
    ------
    InputError
        As `read_same_code`.
    """
    file = read_same_code(folder)
    return suite if file is None else replace(suite, same_code=file.meaning)


def joined_same_code(files: Iterable[SameCodeFile | None]) -> SameCodeFile | None:
    """Join the files of several parts of a run; None if no part has one."""
    parts = [file for file in files if file is not None]
    if not parts:
        return None
    return SameCodeFile(
        1,
        tuple(dict.fromkeys(identity for part in parts for identity in part.same)),
        tuple(dict.fromkeys(identity for part in parts for identity in part.controls)),
        tuple(dict.fromkeys(other for part in parts for other in part.others)),
    )

"""``not-run.json`` beside results: which benchmarks a run left out on purpose, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from steady.errors import InputError
from steady.files import json_text, plain, read_json
from steady.model import Identity, NotRun, Suite

FILE_NAME = "not-run.json"
MARK = "steady_not_run"

SIZE_LIMIT = 2**22
"""Largest size of the file, in bytes."""

_WHAT = "the benchmarks that a run left out, version 1"
_Text = Annotated[str, Meta(max_length=2000)]


class _Entry(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=2000)]
    mode: _Text
    params: tuple[tuple[_Text, _Text], ...]
    threads: Annotated[int, Meta(ge=1)]
    reason: _Text


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    steady_not_run: Literal[1]
    benchmarks: tuple[_Entry, ...]


def not_run_json(entries: Iterable[NotRun]) -> str:
    """Return the file's text; the same entries give the same bytes."""
    benchmarks = [plain(entry.identity) | {"reason": entry.reason} for entry in entries]
    return json_text({MARK: 1, "benchmarks": benchmarks})


def read_not_run(path: Path) -> tuple[NotRun, ...]:
    """Return what a file holds.

    Raises
    ------
    InputError
        If it is not such a file, or larger than `SIZE_LIMIT`.
    """
    if path.stat().st_size > SIZE_LIMIT:
        raise InputError(f"is larger than {SIZE_LIMIT:,} bytes; expected {_WHAT}", source=path)
    file = read_json(path, _File, what=_WHAT, remedy="run again")
    return tuple(
        NotRun(Identity(one.name, one.mode, one.params, one.threads), one.reason)
        for one in file.benchmarks
    )


def add_not_run(suite: Suite, folder: Path) -> Suite:
    """Add to a suite what the file in `folder` says, if there is one.

    Raises
    ------
    InputError
        If the file cannot be used.
    """
    path = folder / FILE_NAME
    return replace(suite, not_run=read_not_run(path)) if path.is_file() else suite

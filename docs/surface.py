"""Lists of everything that users can reach, recorded in ``tests/surface``.

Each list is derived from declarations in the code. `make docs` adds new lines to the recorded
lists, and never deletes one: a test fails while a recorded entry is missing, until its line is
deleted manually.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from docs import surface_files, surface_lists
from docs.surface_json import json_fields, settings_keys
from docs.surface_python import python_names

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "surface"

LISTS: Mapping[str, tuple[str, Callable[[], Iterable[str]]]] = {
    "commands": ("Commands, options, operands and their values", surface_lists.commands),
    "action-inputs": ("Inputs of the action, modes and values", surface_lists.action_inputs),
    "action-outputs": ("Outputs of the action and their values", surface_lists.action_outputs),
    "workflows": ("What workflows and other actions take and give", surface_lists.workflows),
    "settings": ("Keys and values of the settings file", settings_keys),
    "names": ("Names that users write: methods, formats, modes", surface_lists.names),
    "python": ("Public names of the package, with parameters", python_names),
    "json": ("Fields of every JSON that is written or printed", json_fields),
    "files": ("Files that a run, a plan or a report leaves", surface_files.files),
}
"""By name: the content of a list, and the function that derives it."""

_HEAD = """\
# {what}, one a line.
# `make docs` adds lines. Delete one only where its removal was asked for by name.
"""


def recorded(name: str, folder: Path = FOLDER) -> frozenset[str]:
    """Return the recorded lines of a list; none if its file does not exist."""
    path = folder / f"{name}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else ()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def removed(name: str, present: Iterable[str], folder: Path = FOLDER) -> str:
    """Name the recorded lines that are missing; empty if there are none."""
    gone = sorted(recorded(name, folder) - set(present))
    if not gone:
        return ""
    return (
        f"no longer there: {'; '.join(gone)}. Restore it, or delete the line from "
        f"tests/surface/{name}.txt if the removal was asked for"
    )


def unrecorded(name: str, present: Iterable[str], folder: Path = FOLDER) -> str:
    """Name the lines that are not recorded yet; empty if there are none."""
    new = sorted(set(present) - recorded(name, folder))
    if not new:
        return ""
    return f"not recorded in tests/surface/{name}.txt: {'; '.join(new)}. Run `make docs`"


def record(
    lists: Mapping[str, tuple[str, Callable[[], Iterable[str]]]] = LISTS, folder: Path = FOLDER
) -> None:
    """Add new lines to the recorded lists; no line is deleted."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (what, derive) in lists.items():
        lines = sorted(recorded(name, folder) | set(derive()))
        text = _HEAD.format(what=what) + "".join(f"{line}\n" for line in lines)
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")

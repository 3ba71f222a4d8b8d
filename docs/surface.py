"""What users can reach, as lists of lines: ``tests/surface`` records them, and a test compares.

Each list follows from what declares it. `make docs` adds what is new to the recorded lists, and
never deletes a line: what is no longer there fails the test until somebody deletes its line.
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
"""By name: what a list holds, and what derives it."""

_HEAD = """\
# {what}, one a line.
# `make docs` adds lines. Delete one only where its removal was asked for by name.
"""


def recorded(name: str, folder: Path = FOLDER) -> frozenset[str]:
    """Return the lines that a list records; none where its file does not exist."""
    path = folder / f"{name}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else ()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def removed(name: str, present: Iterable[str], folder: Path = FOLDER) -> str:
    """Say which recorded lines are no longer there; empty where all are."""
    gone = sorted(recorded(name, folder) - set(present))
    if not gone:
        return ""
    return (
        f"no longer there: {'; '.join(gone)}. Restore it, or delete the line from "
        f"tests/surface/{name}.txt if the removal was asked for"
    )


def unrecorded(name: str, present: Iterable[str], folder: Path = FOLDER) -> str:
    """Say which lines are not recorded yet; empty where all are."""
    new = sorted(set(present) - recorded(name, folder))
    if not new:
        return ""
    return f"not recorded in tests/surface/{name}.txt: {'; '.join(new)}. Run `make docs`"


def record(
    lists: Mapping[str, tuple[str, Callable[[], Iterable[str]]]] = LISTS, folder: Path = FOLDER
) -> None:
    """Add what is new to the recorded lists; no line is deleted."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (what, derive) in lists.items():
        lines = sorted(recorded(name, folder) | set(derive()))
        text = _HEAD.format(what=what) + "".join(f"{line}\n" for line in lines)
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")

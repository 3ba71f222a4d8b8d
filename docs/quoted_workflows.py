"""What pages quote of `examples/workflows`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parent.parent / "examples/workflows"


def quoted_workflow(name: str, *, short: bool = False) -> str:
    """Return an example as a block of YAML.

    Parameters
    ----------
    name : str
        The file's name without ``.yml``.
    short : bool
        Whether only what makes it work is quoted, as few lines as that takes.
    """
    text = (FOLDER / f"{name}.yml").read_text(encoding="utf-8")
    return f"```yaml\n{_short(text) if short else _plain(text)}```\n"


def _plain(text: str) -> str:
    """Leave out what a page says itself: the first comment, and notes for a linter."""
    text = re.sub(r"\A(#.*\n)+", "", text)
    return re.sub(r" # zizmor:.*", "", text)


def _short(text: str) -> str:
    """Return the events and the job that is called; both are complete."""
    workflow: dict[Any, Any] = yaml.safe_load(text)
    events = ", ".join(workflow[True])  # YAML 1.1 reads the key `on` as true
    lines = [f"name: {workflow['name']}", f"on: {events}", "jobs:"]
    for name, job in workflow["jobs"].items():
        allowed = ", ".join(f"{right}: {level}" for right, level in job["permissions"].items())
        lines += [f"  {name}:", f"    uses: {job['uses']}", f"    permissions: {{{allowed}}}"]
        given = job.get("with", {})
        lines += ["    with:"] * bool(given)
        lines += [f"      {key}: {value}" for key, value in given.items()]
    return "\n".join(lines) + "\n"

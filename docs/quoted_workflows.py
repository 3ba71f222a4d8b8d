"""Quotations of `examples/workflows` for pages."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
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
        Whether only the essential lines are quoted.
    """
    text = (FOLDER / f"{name}.yml").read_text(encoding="utf-8")
    return f"```yaml\n{_short(text) if short else _plain(text)}```\n"


def quoted_jobs(name: str, jobs: Sequence[str]) -> str:
    """Return some jobs of an example as a block of YAML: permissions and steps.

    Parameters
    ----------
    name : str
        The file's name without ``.yml``.
    jobs : sequence of str
        Names of its jobs, in their order.
    """
    text = (FOLDER / f"{name}.yml").read_text(encoding="utf-8")
    found = (re.search(rf"(?m)^  {job}:\n(    .*\n|\n)+", text) for job in jobs)
    return f"```yaml\n{''.join(_bare(job[0].rstrip()) for job in found if job is not None)}```\n"


def _bare(job: str) -> str:
    """Omit names, time limits and comments; a pinned commit is written as its version."""
    job = re.sub(r"(?m)^    (name|timeout-minutes): .*\n", "", f"{job}\n")
    job = re.sub(r"(?m)^      - name: .*\n        ", "      - ", job)
    job = re.sub(r"@[0-9a-f]{40} # (v[\d.]+)", r"@\1", job)
    return re.sub(r" # .*", "", job)


def _plain(text: str) -> str:
    """Omit the first comment, which the page replaces, and notes for a linter."""
    text = re.sub(r"\A(#.*\n)+", "", text)
    return re.sub(r" # zizmor:.*", "", text)


def _short(text: str) -> str:
    """Return the events and the job that is called; both are complete."""
    workflow: dict[Any, Any] = yaml.safe_load(text)
    lines = [f"name: {workflow['name']}", *_events(workflow), "jobs:"]
    for name, job in workflow["jobs"].items():
        allowed = ", ".join(f"{right}: {level}" for right, level in job["permissions"].items())
        lines += [f"  {name}:", f"    uses: {job['uses']}", f"    permissions: {{{allowed}}}"]
        given = job.get("with", {})
        lines += ["    with:"] * bool(given)
        lines += [f"      {key}: {value}" for key, value in given.items()]
    return "\n".join(lines) + "\n"


def _events(workflow: dict[Any, Any]) -> list[str]:
    """Return the lines of a workflow's events: one line if there are only names."""
    events: Any = workflow[True]  # YAML 1.1 reads the key `on` as true
    names = [events] if isinstance(events, str) else list(events)
    details = {} if isinstance(events, str) else {n: e for n, e in events.items() if e}
    if not details:
        return [f"on: {names[0] if len(names) == 1 else _flow(names)}"]
    return ["on:", *(f"  {n}:{f' {_flow(details[n])}' if n in details else ''}" for n in names)]


def _flow(value: Any) -> str:
    """Return a value as YAML on one line; a text of more than one word is quoted."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {_flow(own)}' for name, own in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    return value if re.fullmatch(r"[\w.-]+", value) else json.dumps(value)

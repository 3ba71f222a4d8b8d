"""What the ``run.json`` beside results says for the head of a page."""

from __future__ import annotations

from pathlib import Path, PurePath

from steady.engine.run_file import RunFile, read_run
from steady.errors import InputError
from steady.model import Suite
from steady.options.command import Command
from steady.report.provenance import Fact
from steady.text.counting import count
from steady.text.numbers import duration

_HEADER = "run.json"
_DIGITS = 12  # of a digest: enough to tell two builds apart


def run_facts(base: Suite, head: Suite, command: Command | None = None) -> list[Fact]:
    """Return what was run, how long it took, and the command that wrote the page.

    Parameters
    ----------
    base, head : Suite
        The results; their run is known if both come from one folder with a ``run.json``.
    command : Command, optional
        What was typed.
    """
    facts = [*_of_run(_run_of(base, head))]
    return facts if command is None else [*facts, Fact("Command", command.line)]


def _run_of(base: Suite, head: Suite) -> RunFile | None:
    folders = {Path(source).parent for suite in (base, head) for source in suite.sources}
    if len(folders) != 1:
        return None
    try:
        return read_run(folders.pop() / _HEADER)
    except InputError:  # most results have none
        return None


def _of_run(run: RunFile | None) -> list[Fact]:
    if run is None:
        return []
    versions = {
        target.name: f"{PurePath(target.path).name} ({target.sha256[:_DIGITS]})"
        for target in run.header.versions
    }
    facts = []
    if versions.keys() >= {"base", "head"}:
        facts.append(Fact("Measured", versions["base"], versions["head"]))
    ended = [s.end - s.start for s in run.sessions if s.end is not None]
    if run.outcome is not None and ended:
        forks = count(run.outcome.measured, "fork")
        facts.append(Fact("Run", f"{duration(sum(ended))} from start to end, {forks}"))
    return facts

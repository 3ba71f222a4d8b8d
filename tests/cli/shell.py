"""A shell for typed commands, and benchmark results for them."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest
from scripted_commands import commands_of
from written_runs import NAMES, write_run

import steady
from steady.cli import main
from steady.engine.machine import Machine
from steady.engine.run_file import Header, RunFile
from steady.model import ExecutionConfiguration, FloatArray, Identity
from steady.optimize import BenchmarkPlan, Plan
from steady.readers.series_format import write_series


@dataclass(frozen=True)
class Ended:
    """A finished command.

    Parameters
    ----------
    code : int
        Its exit code.
    out, err : str
        Standard output and error.
    """

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Both streams, joined on one line."""
        return " ".join(f"{self.out} {self.err}".split())

    @property
    def commands(self) -> list[str]:
        """The suggested commands, in backticks."""
        return commands_of(self.err)

    @property
    def lines(self) -> list[str]:
        """The commands on separate lines."""
        return [line.strip() for line in self.out.splitlines() if line.startswith("  steady ")]


class Shell(Protocol):
    """Run a command with the arguments `words`."""

    def __call__(self, command: str, *words: str) -> Ended: ...


def shell_of(capsys: pytest.CaptureFixture[str]) -> Shell:
    """Return a function that runs a command, typed with or without the program's name."""

    def typed(command: str, *words: str) -> Ended:
        capsys.readouterr()
        try:
            code: object = main([*shlex.split(command.removeprefix("steady ")), *words])
        except SystemExit as end:  # raised by argparse
            code = end.code
        assert isinstance(code, int)
        return Ended(code, *capsys.readouterr())

    return typed


def write_sides(slower: float = 1.0, **head: Any) -> None:
    """Write base.json and head.json, in which the second benchmark is slower by a factor."""
    write_run(Path("base.json"))
    write_run(Path("head.json"), {**dict.fromkeys(NAMES, 1.0), NAMES[1]: slower}, **head)


def write_values(
    path: str, values: Mapping[str, FloatArray], *, unit: str = "ns/op", seconds: float = 1.0
) -> None:
    """Write measurements of shape (forks, iterations) in the project's own format."""
    Path(path).parent.mkdir(exist_ok=True)
    write_series(steady.Suite.of(values, unit=unit, iteration_seconds=seconds), path)


def write_narrowed(folder: Path, only: str) -> None:
    """Write the run file of a run with selection `only`."""
    header = Header("jmh", 0, "", (), "", {"only": only}, Machine("", "", 2, ""), 1000.0)
    (folder / "run.json").write_text(RunFile(1, header.run_id, header, ()).text())


def plan_of(
    names: tuple[str, ...],
    counts: ExecutionConfiguration,
    *,
    seconds: float = 10.0,
    harness: str = "jmh",
) -> Plan:
    """Return a plan that runs each benchmark in the same way."""
    entries = (
        BenchmarkPlan(Identity(name), counts, counts, seconds, seconds, "reduced", "")
        for name in names
    )
    return Plan(tuple(entries), "uoptime", harness=harness)

"""A test binary of head that writes into base's output, which is then discarded."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from steady.engine import Trial
from steady.harness.go.run.paused_process import PausedProcess, supports_one_write_pipes
from steady.harness.go.run.processes_in_turn import take_turns
from steady.model import ExecutionConfiguration, Identity
from steady.programs.process import NotInTurnError
from tests.harness.program_trials import written

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pipes that hold one write")

PROGRAM = """#!{python}
import os, pathlib, time
here = pathlib.Path({folder!r})
(here / {side!r}).write_text(str(os.getpid()))
os.write(1, b"goos: linux\\n")
for _ in range(3):
    os.write(1, b"BenchmarkSum \\t")
    if {attacks}:
        other = os.open(f"/proc/{{(here / 'base').read_text()}}/fd/1", os.O_WRONLY | os.O_NONBLOCK)
        try:
            os.write(other, b"     100\\t 1.0 ns/op\\n")
        except BlockingIOError:
            pass
        os.close(other)
    os.write(1, b"     100\\t 12.0 ns/op\\n")
os.write(1, b"PASS\\n")
"""
"""Stands for a test binary."""


def program(folder: Path, side: str, *, attacks: bool) -> Path:
    known = {"python": sys.executable, "folder": str(folder), "side": side}
    return (
        written(folder, {f"{side}.test": PROGRAM.format(**known, attacks=attacks)}) / f"{side}.test"
    )


def trials() -> list[Trial]:
    configuration = ExecutionConfiguration(1, 0, 3, 0.01, 0.01)
    base = Trial(0, 0, "base", Identity("demo.BenchmarkSum"), configuration, 1.0, 20.0)
    return [base, replace(base, number=1, version="head")]


def test_processes_that_do_not_affect_each_other_take_turns(tmp_path: Path) -> None:
    binaries = [program(tmp_path, side, attacks=False) for side in ("base", "head")]
    assert [side.turns for side in take_turns(binaries, trials())] == [3, 3]
    assert supports_one_write_pipes()


def test_output_that_may_be_forged_is_discarded(tmp_path: Path) -> None:
    binaries = [program(tmp_path, side, attacks=side == "head") for side in ("base", "head")]
    with pytest.raises(NotInTurnError, match="opened the output of a benchmark"):
        take_turns(binaries, trials())


def test_an_output_that_was_not_opened_is_recognized(tmp_path: Path) -> None:
    with PausedProcess(program(tmp_path, "base", attacks=False), timeout=20.0) as held:
        while held.take():
            pass
        assert not held.was_opened

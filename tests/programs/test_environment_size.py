"""Environments of different sizes: their lengths, and the position of the stack."""

import subprocess
from pathlib import Path

import pytest

from steady.engine import Trial, Version
from steady.harness.criterion.kind import CriterionBenches
from steady.harness.google_benchmark.kind import make_runs
from steady.harness.pytest_benchmark.kind import PytestBenchmark
from steady.harness.runs import HarnessSettings, Runs
from steady.model import Identity
from steady.programs.environment_size import VARIABLE, padding_bytes
from tests.harness.program_trials import SHORT, program, written


def trial(
    side: str = "base", number: int = 0, *, screening: bool = False, name: str = "x"
) -> Trial:
    return Trial(0, number, side, Identity(name), SHORT, 1.0, 60.0, screening=screening)


def test_each_process_has_its_own_length_below_a_page() -> None:
    rounds = [[padding_bytes(trial(side, n), 7) for n in range(200)] for side in ("base", "head")]
    for lengths in rounds:
        assert all(0 <= length < 4096 and length % 16 == 0 for length in lengths)
        assert len(set(lengths)) > 100
        assert 1800 < sum(lengths) / len(lengths) < 2300
    assert sum(one == other for one, other in zip(*rounds, strict=True)) < 10
    again = [padding_bytes(trial("base", n), 7) for n in range(200)]
    assert again == rounds[0]
    others = (trial(screening=True), 7), (trial(name="y"), 7), (trial(), 8)
    assert all(padding_bytes(*one) != rounds[0][0] for one in others)


@pytest.mark.needs("setarch")
def test_the_length_moves_the_stack() -> None:
    """Field 28 of /proc/PID/stat is the address of the stack (proc_pid_stat(5))."""

    def stack(length: int) -> int:
        command = ["setarch", "-R", "env", f"{VARIABLE}={'x' * length}", "cat", "/proc/self/stat"]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        return int(ran.stdout.rpartition(")")[2].split()[25])

    at = stack(0)
    assert [at - stack(length) for length in (16, 48, 4080)] == [16, 48, 4080]


def test_native_programs_get_it_and_the_results_name_it(tmp_path: Path) -> None:
    text = program("google").replace("#!/bin/sh", f"#!/bin/sh\necho ${{#{VARIABLE}}} >>lengths")
    runs: Runs = make_runs(HarnessSettings(command=("./bench",), seed=3))
    places = [written(tmp_path / side, {"bench": text}) for side in ("base", "head")]
    versions = [Version(place.name, place) for place in places]
    (tmp_path / "scratch").mkdir()
    with runs.open(versions, tmp_path / "scratch") as session:
        for version in versions:
            named = []
            for number in range(3):
                own = trial(version.name, number, name="BM_x")
                session.measure(own, tmp_path / "result.json")
                named.append(session.layout(own))
            lengths = (version.target / "lengths").read_text().split()
            assert named == [f"environment+{length}" for length in lengths]
            assert len(set(named)) == 3
    assert CriterionBenches.native
    assert not PytestBenchmark.native

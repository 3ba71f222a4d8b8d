"""What every harness keeps to that looks for the same code in two builds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from made_jars import a_class, record, write_jar
from scripted_harness import ScriptedHarness

from steady.harness import HARNESSES, RUNNABLE
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.pyperf.kind import Pyperf
from steady.harness.runs import HarnessSettings, Runs
from steady.harness.trial import Version
from steady.model import Identity
from steady.programs.program_runs import ProgramRuns
from steady.samecode.choice import SameCodeChoice
from steady.samecode.decision import builds_of
from tests.harness.program_trials import written

BOTH, GONE, NEW = (Identity(f"a.Benchmark{end}") for end in ("Both", "Gone", "New"))
HELD = {"base": (GONE, BOTH), "head": (NEW, BOTH)}


def _jar(folder: Path) -> Path:
    files: dict[str, bytes | str] = {
        "a/Bench.class": a_class("a/Bench"),
        "org/openjdk/jmh/Main.class": a_class("org/openjdk/jmh/Main"),
        "META-INF/BenchmarkList": record(BOTH.name) + "\n",
    }
    return write_jar(folder / "a.jar", files)


def _binary(folder: Path) -> Path:
    return written(folder, {"a.test": "#!/bin/sh\n"}) / "a.test"


def _folder(folder: Path) -> Path:
    path = folder / "project"
    path.mkdir()
    return path


TARGETS: dict[str, Callable[[Path], Path]] = {
    "jmh": _jar,
    "go": _binary,
    "google-benchmark": _binary,
    "pytest-benchmark": _folder,
    "pyperf": _folder,
}
"""What each harness may be asked to run."""

COMMANDS = {
    "pytest-benchmark": ("pytest-of-nobody", "benchmarks"),
    "pyperf": ("python-of-nobody", "bench.py"),
}
"""What is typed behind ``--``: programs that are not there."""


@pytest.fixture(autouse=True)
def _no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is run to decide."""
    monkeypatch.setattr(JmhRuns, "arguments", ())


@pytest.fixture(params=[name for name, one in HARNESSES.items() if one.value.same_code])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def versions(name: str, tmp_path: Path) -> list[Version]:
    target = TARGETS[name](tmp_path)
    return [Version(side, target, command=COMMANDS.get(name, ())) for side in ("base", "head")]


@pytest.fixture
def runs(name: str, versions: list[Version]) -> Runs:
    runs = RUNNABLE[name].value.make(HarnessSettings())
    if isinstance(runs, ProgramRuns) and isinstance(runs.kind, Pyperf):
        for version in versions:  # as if its script had been asked
            runs.kind.calibrated[runs.place(version)] = {BOTH.name: (1, 0.1)}
    return runs


def test_there_is_a_decision_for_each_benchmark(runs: Runs, versions: list[Version]) -> None:
    builds = builds_of(runs, versions)
    assert builds is not None
    decisions = builds.decisions(HELD)
    assert [one.identity for one in decisions] == [GONE, BOTH, NEW]
    assert (decisions[0].why, decisions[2].why) == ("only in base", "only in head")
    for one in decisions:
        assert one.distance >= 0
        assert 0 <= one.share <= 1


def test_a_harness_without_this_part_leaves_nothing_out(tmp_path: Path) -> None:
    versions = [Version("base", tmp_path), Version("head", tmp_path)]
    assert builds_of(ScriptedHarness(), versions) is None
    assert SameCodeChoice().measured({"base": [BOTH]}) == {"base": {BOTH: None}}

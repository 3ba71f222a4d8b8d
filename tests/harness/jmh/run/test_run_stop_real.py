"""Forks of real versions of JMH, ended while they run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jmh_forks import trial
from test_run_jmh_turns_real import record_of

from steady.engine import HarnessSettings, StopRule, Trial, TrialError, Version
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.run.live_log import LiveFork
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load
from steady.steadystate import detect

BuildJar = Callable[[str], Path]

pytestmark = pytest.mark.needs("java", "mvn")

ONE = Identity("suite.Suite.twoModesMore")
ODD = Identity("suite.Odd.odd", "avgt", (("comma", "a,b"), ("value", "x=y")))
SOON = StopRule("laaber-cv", "rmad", 0.99)
"""Whatever is measured, it ends after a warm-up that is too short to judge and 5 iterations."""


def long_trial(identity: Identity, iterations: int = 2000) -> Trial:
    configuration = ExecutionConfiguration(1, 5, iterations, 0.01, 0.01)
    return replace(trial(identity), configuration=configuration)


def forks() -> list[str]:
    """Return the command lines of running forks that this process has started, and theirs."""
    shown = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True)
    processes = [line.split(None, 2) for line in shown.stdout.splitlines()]
    family = {str(os.getpid())}
    while more := {pid for pid, parent, *_ in processes if parent in family} - family:
        family |= more
    return [p[2] for p in processes if p[0] in family and "ForkedMain" in p[-1]]


@pytest.mark.parametrize(
    ("version", "warm"),
    [
        ("1.37", True),
        pytest.param("1.37", False, marks=pytest.mark.thorough),
        pytest.param("1.21", True, marks=pytest.mark.thorough),
    ],
)
def test_a_stopped_fork_leaves_its_scores_and_no_process(
    version: str, warm: bool, build_jar: BuildJar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not warm:
        monkeypatch.setattr("steady.harness.jmh.run.java_program.Java.compiler", None)
    versions = [Version("results", build_jar(version))]
    harness = JmhRuns(HarnessSettings(stop=SOON))
    assert harness.describe(versions)["stop"] == str(SOON)
    with harness.open(versions, tmp_path) as session:
        drivers = set()
        for number, identity in enumerate([ONE, ODD]):
            result = tmp_path / f"{number}.json"
            session.measure(long_trial(identity), result)
            assert forks() == []
            record = record_of(result)
            assert record["jmhVersion"] == version
            assert len(record["primaryMetric"]["rawData"][0]) == 5
            assert (record["warmupIterations"], record["measurementIterations"]) == (5, 5)
            suite = load(result)
            assert list(suite) == [identity]
            assert not suite.failures
            assert suite[identity].environment.jdk
            child = session._sides["results"]._host._child
            drivers.add(child if child is None else child._process.pid)
        assert len(drivers) == 1
        once = Identity("suite.Suite.once", "ss")
        session.measure(trial(once), tmp_path / "once.json")
        assert "steadyStop" not in record_of(tmp_path / "once.json")
        with pytest.raises(TrialError, match="the benchmark threw"):
            session.measure(
                long_trial(Identity("suite.Suite.failing", "thrpt")), tmp_path / "failing.json"
            )


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["rocket", "fcn", "oscnn"])
def test_a_learned_stop_ends_a_fork_with_its_window(
    method: str, build_jar: BuildJar, tmp_path: Path
) -> None:
    versions = [Version("results", build_jar("1.37"))]
    harness = JmhRuns(HarnessSettings(stop=StopRule(method, "rmad", 0.99)))
    configuration = ExecutionConfiguration(1, 0, 700, 0.01, 0.01)
    with harness.open(versions, tmp_path) as session:
        result = tmp_path / "result.json"
        session.measure(replace(trial(ONE), configuration=configuration), result)
    assert forks() == []
    record = record_of(result)
    stop, (values,) = record["steadyStop"], record["primaryMetric"]["rawData"]
    assert stop["method"] == method
    assert stop["start"] == stop["warmup"] == record["warmupIterations"] <= 500
    assert len(values) == record["measurementIterations"]
    if stop["start"] < 500:
        assert len(values) == 100
        assert detect(np.array(values), method).start == 0
    else:
        assert len(values) == 99


@pytest.mark.parametrize(
    ("mode", "name"),
    [("avgt", "twoModes"), pytest.param("thrpt", "pair", marks=pytest.mark.thorough)],
)
def test_the_log_holds_every_digit_of_the_json(
    mode: str, name: str, build_jar: BuildJar, tmp_path: Path
) -> None:
    log, result = tmp_path / "log", tmp_path / "result.json"
    threads = 3 if name == "pair" else 1
    identity = Identity(f"suite.Suite.{name}", mode, (), threads)
    fork = LiveFork(log, long_trial(identity, 20), StopRule("laaber-cv", "cv", 1e-12))
    iterations = str(fork.trial.configuration.iterations)
    subprocess.run(
        [
            *("java", "-Djmh.scorePrecision=18", "-jar", str(build_jar("1.37")), "-f", "1"),
            *("-wi", "0", "-i", iterations, "-r", "10ms", "-bm", mode, "-o", str(log)),
            *("-rf", "json", "-rff", str(result), f"^{identity.name}$"),
        ],
        check=True,
        capture_output=True,
    )
    (theirs,) = record_of(result)["primaryMetric"]["rawData"]
    fork.write(tmp_path / "ours.json")
    ours = record_of(tmp_path / "ours.json")
    start, kept = ours["warmupIterations"], ours["measurementIterations"]
    assert ours["primaryMetric"]["rawData"] == [theirs[start : start + kept]]

"""Forks of real versions of JMH, ended while they run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from jmh_forks import trial
from test_run_jmh_turns_real import record_of

from steady.engine import HarnessSettings, StopRule, Trial, TrialError, Version
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load

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


@pytest.mark.parametrize("version", ["1.37", pytest.param("1.21", marks=pytest.mark.thorough)])
def test_a_stopped_fork_leaves_what_jmh_wrote_and_no_process(
    version: str, build_jar: BuildJar, tmp_path: Path
) -> None:
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
            assert len(record["primaryMetric"]["rawData"][0]) == 6
            assert (record["warmupIterations"], record["measurementIterations"]) == (5, 6)
            assert any("gc.alloc.rate.norm" in name for name in record["secondaryMetrics"])
            suite = load(result)
            assert [one.name for one in suite] == [identity.name]
            assert not suite.failures
            child = session._sides["results"]._host._child
            assert child is not None
            drivers.add(child._process.pid)
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
    assert stop["warmup"] == record["warmupIterations"] <= 501
    assert stop["start"] < stop["warmup"]
    # Stable is what is measured with the fifth iteration; one more follows.
    assert len(values) == record["measurementIterations"] == 6

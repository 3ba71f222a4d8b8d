"""Trials run by real versions of JMH."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from jmh_forks import benchmark_jar, trial

from steady.engine import ForkResult, HarnessSettings, RunFacts, TrialError, Version
from steady.errors import InputError
from steady.harness.jmh.run.jmh_runs import JmhRuns, JmhSession
from steady.harness.jmh.run.scores import merged_record
from steady.harness.trial import BusyError
from steady.model import Identity, Spent
from steady.readers import load
from tests.looped import looped

BuildJar = Callable[[str], Path]

pytestmark = pytest.mark.needs("java", "mvn")

ONE = Identity("suite.Suite.twoModesMore")


def suite(name: str, mode: str = "avgt", threads: int = 1, **params: str) -> Identity:
    return Identity(f"suite.{name}", mode, tuple(sorted(params.items())), threads)


def measured(session: JmhSession, folder: Path, identity: Identity, number: int = 0) -> ForkResult:
    result = folder / f"{number}.json"
    start = time.monotonic()
    iterations = session.measure(trial(identity, number=number), result)
    spent = Spent(time.monotonic() - start, iterations)
    return ForkResult(trial(identity, number=number), f"run:{number}", result, spent)


def children() -> set[int]:
    """Return the running processes that this one has started, and theirs."""
    found = subprocess.run(["ps", "-eo", "pid=,ppid=,stat="], capture_output=True, text=True)
    parents = {
        int(pid): int(parent)
        for pid, parent, status in map(str.split, found.stdout.splitlines())
        if not status.startswith("Z")
    }
    family = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return family - {os.getpid()}


def javas() -> set[int]:
    names = subprocess.run(["ps", "-eo", "pid=,comm="], capture_output=True, text=True).stdout
    java = {int(line.split()[0]) for line in names.splitlines() if line.split()[1] == "java"}
    return java & children()


@pytest.mark.parametrize("version", ["1.37", pytest.param("1.21", marks=pytest.mark.thorough)])
def test_every_kind_of_benchmark_is_run_alone_and_merged(
    version: str, build_jar: BuildJar, tmp_path: Path
) -> None:
    versions = [Version("results", build_jar(version))]
    harness = JmhRuns(HarnessSettings(jvm_args=("-Dsteady.a=b c",)))
    harness.check(versions)
    held = set(harness.benchmarks(versions[0]))
    wanted = [
        suite("Suite.twoModes"),
        suite("Suite.once", "ss"),
        suite("Suite.pair", "thrpt", 3),
        suite("Odd.odd", comma="a,b", value="x=y"),
        suite("Misbehaving.prints"),
    ]
    assert set(wanted) <= held
    with harness.open(versions, tmp_path) as session:
        results = [
            measured(session, tmp_path, identity, number)
            for number, identity in enumerate(wanted + wanted[:1])
        ]
    assert not javas()
    merged = tmp_path / "merged.json"
    planned = dict.fromkeys(wanted, 1) | {wanted[0]: 2}
    merged.write_bytes(harness.merge(results, RunFacts(planned)))
    found = load(merged)
    assert {b.identity for b in found.benchmarks} == set(wanted)
    assert not found.failures
    assert {b.measurements.shape for b in found.benchmarks} == {(1, 2), (2, 2)}
    arguments = found[wanted[0]].environment.jvm_args
    assert arguments[-2:] == ("-Xint", "-Dsteady.a=b c")
    assert harness.describe(versions)["jmh"] == version
    for benchmark in found.benchmarks:
        told = [s for s in benchmark.spent if s is not None and s.iterations is not None]
        assert len(told) == len(benchmark.measurements)
        nominal = benchmark.configuration.iteration_seconds if benchmark.configuration else 1.0
        assert all(2 * nominal <= s.iterations < s.seconds for s in told if s.iterations)


@pytest.fixture(scope="module")
def misbehaving(build_jar: BuildJar) -> Path:
    return build_jar("1.37")


FAILURES = {
    "Suite.failing": "the benchmark threw: java.lang.IllegalStateException: as it should",
    "Misbehaving.throwsManyLines": "the benchmark threw: java.lang.IllegalStateException: first",
    "Misbehaving.exits": "its JVM ended with code 1",
    "Misbehaving.exitsAsIfAllWereWell": "VM prematurely exited before JMH had finished with it, "
    "explicit System.exit was called?",
    "Misbehaving.halts": "its JVM ended with code 134",
    "Misbehaving.hangs": "exceeded its limit of 3 s and was stopped",
    "Suite.absent": "benchmarks.jar holds no benchmark of this name",
}


@pytest.mark.parametrize(
    "names", [[*FAILURES][3:], pytest.param([*FAILURES][:3], marks=pytest.mark.thorough)]
)
def test_what_goes_wrong_is_said_in_one_line_and_the_next_trial_runs(
    names: list[str], misbehaving: Path, tmp_path: Path
) -> None:
    versions = [Version("results", misbehaving)]
    result = tmp_path / "fork.json"
    with JmhRuns().open(versions, tmp_path) as session:
        for name in names:
            mode = "thrpt" if name == "Suite.failing" else "avgt"
            timeout = 3.0 if name.endswith("hangs") else 60.0
            with pytest.raises(TrialError) as caught:
                session.measure(trial(suite(name, mode), timeout=timeout), result)
            assert str(caught.value).startswith(FAILURES[name])
            assert not result.exists()
            assert not javas()
        measured(session, tmp_path, ONE)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_driver_that_was_killed_is_started_again(misbehaving: Path, tmp_path: Path) -> None:
    before = children()
    with JmhRuns().open([Version("results", misbehaving)], tmp_path) as session:
        measured(session, tmp_path, ONE, 0)
        (driver,) = javas()
        started = children() - before
        os.kill(driver, signal.SIGKILL)
        while started & children():  # its keeper ends a little later
            time.sleep(0.01)
        measured(session, tmp_path, ONE, 1)
        (driver,) = javas()
        threading.Timer(1.0, os.kill, args=(driver, signal.SIGKILL)).start()
        with pytest.raises(TrialError, match=r"JMH's own JVM ended \(by signal 9\)"):
            session.measure(trial(suite("Misbehaving.hangs")), tmp_path / "fork.json")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.thorough
def test_ctrl_c_ends_every_process(misbehaving: Path, tmp_path: Path) -> None:
    with JmhRuns().open([Version("results", misbehaving)], tmp_path) as session:
        threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            session.measure(trial(suite("Misbehaving.hangs")), tmp_path / "fork.json")
        assert not javas()


KILLED = """
import sys
from pathlib import Path
from jmh_forks import trial
from steady.model import Identity
from steady.engine import Version
from steady.harness.jmh.run.jmh_runs import JmhRuns
jar, scratch = map(Path, sys.argv[1:])
with JmhRuns().open([Version("results", jar)], scratch) as session:
    session.measure(trial(Identity("suite.Misbehaving.hangs")), scratch / "fork.json")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_sigkill_of_steady_leaves_no_java(misbehaving: Path, tmp_path: Path) -> None:
    log = tmp_path / "results" / "jmh.log"
    steady = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(misbehaving), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    deadline = time.monotonic() + 60
    while not (log.exists() and "Iteration   1" in log.read_text(errors="replace")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    started = javas()
    assert len(started) == 2
    steady.kill()
    steady.wait()
    while any(map(alive, started)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Tell whether a process has not ended."""
    path = Path(f"/proc/{pid}/cmdline")
    return path.exists() and path.read_bytes() != b""


def test_without_a_compiler_nothing_is_run(
    misbehaving: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steady.harness.jmh.run.java_program.Java.compiler", None)
    opened = JmhRuns().open([Version("results", misbehaving)], tmp_path)
    with pytest.raises(InputError, match=r"there is no javac beside 'java'.*install a JDK"):
        opened.__enter__()


def test_a_jar_that_our_classes_do_not_fit_is_named(tmp_path: Path) -> None:
    jar = benchmark_jar(tmp_path / "b.jar")
    opened = JmhRuns().open([Version("results", jar)], tmp_path)
    with pytest.raises(InputError, match=r"b\.jar: .*javac cannot compile steady's classes"):
        opened.__enter__()


@pytest.mark.thorough
def test_another_jmh_keeps_a_fork_from_running(
    misbehaving: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", f"-Djava.io.tmpdir={tmp_path}")
    versions = [Version("results", misbehaving)]

    def opened(name: str) -> AbstractContextManager[JmhSession]:
        (tmp_path / name).mkdir()
        return JmhRuns().open(versions, tmp_path / name)

    with opened("first") as first, opened("second") as second:
        log = tmp_path / "first" / "results" / "jmh.log"
        hanging = threading.Thread(target=hang, args=(first, tmp_path))
        hanging.start()
        while not (log.exists() and log.stat().st_size):
            time.sleep(0.05)
        with pytest.raises(BusyError, match="another JMH is running on this machine"):
            second.measure(trial(ONE), tmp_path / "fork.json")
        hanging.join()


def hang(session: JmhSession, folder: Path) -> None:
    with pytest.raises(TrialError):
        session.measure(trial(suite("Misbehaving.hangs"), timeout=6.0), folder / "hung.json")


@pytest.mark.parametrize(
    ("mode", "name"),
    [
        pytest.param("avgt", "Suite.twoModes", marks=pytest.mark.thorough),
        pytest.param("thrpt", "Suite.pair", marks=pytest.mark.thorough),
        ("sample", "Suite.twoModes"),
        pytest.param("ss", "Suite.once", marks=pytest.mark.thorough),
        pytest.param("avgt", "Misbehaving.counts", marks=pytest.mark.thorough),
    ],
)
def test_merging_gives_back_what_jmh_derived(
    mode: str, name: str, misbehaving: Path, tmp_path: Path
) -> None:
    result = tmp_path / "result.json"
    options = ["-f", "2", "-wi", "0", "-i", "4", "-r", "5ms", "-bm", mode, "-rf", "json"]
    subprocess.run(
        ["java", "-jar", str(misbehaving), *options, "-rff", str(result), f"^suite.{name}$"],
        check=True,
        capture_output=True,
    )
    (jmh,) = json.loads(result.read_text())
    found = merged_record(split(jmh))
    assert_same(found["primaryMetric"], jmh["primaryMetric"])
    assert found["secondaryMetrics"].keys() <= jmh["secondaryMetrics"].keys()
    for key, metric in found["secondaryMetrics"].items():
        assert_same(metric, jmh["secondaryMetrics"][key])
    secondary = {"Suite.pair": {"reader", "writer"}, "Misbehaving.counts": {"done"}}
    assert found["secondaryMetrics"].keys() == secondary.get(name, set())


def split(jmh: dict[str, Any]) -> list[dict[str, Any]]:
    """Return records of one fork each; of the derived numbers, none but means can be known."""
    primary = jmh["primaryMetric"]
    key = "rawData" if "rawData" in primary else "rawDataHistogram"
    derived = {"score": 0.0, "scoreError": 0.0, "scoreConfidence": [], "scorePercentiles": {}}
    records = []
    for number, row in enumerate(primary[key]):
        secondary = {}
        for name, metric in jmh["secondaryMetrics"].items():
            own = metric["rawData"][number]
            means = metric["scoreUnit"] != "#" and jmh["mode"] != "sample"
            score = list(accumulate(own))[-1] / len(own) if means else 0.0
            secondary[name] = {**metric, **derived, "score": score, "rawData": [own]}
        records.append(
            {
                **jmh,
                "forks": 1,
                "primaryMetric": {**primary, **derived, key: [row]},
                "secondaryMetrics": secondary,
            }
        )
    return records


def assert_same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Bit for bit, but for the quantile, which JMH bisects to 1e-9."""
    assert ours.keys() == theirs.keys()
    derived = {"scoreError", "scoreConfidence"}
    assert {k: ours[k] for k in ours.keys() - derived} == {
        k: theirs[k] for k in theirs.keys() - derived
    }
    assert ours["scoreError"] == pytest.approx(theirs["scoreError"], rel=1e-9)
    scale = abs(theirs["scoreError"]) + abs(theirs["score"])
    assert ours["scoreConfidence"] == pytest.approx(theirs["scoreConfidence"], abs=1e-9 * scale)


@looped("argument", ["", '-Da="b"'])
def test_arguments_that_jmh_cannot_be_told_are_refused(argument: str) -> None:
    with pytest.raises(InputError, match="JMH cannot be told the JVM argument"):
        JmhRuns(HarnessSettings(jvm_args=(argument,)))


def test_what_is_no_java_is_named(tmp_path: Path) -> None:
    versions = [Version("results", benchmark_jar(tmp_path / "b.jar"))]
    with pytest.raises(InputError, match="'no-such-java' is not an installed program"):
        JmhRuns(HarnessSettings(java="no-such-java")).check(versions)
    with pytest.raises(InputError, match="does not behave like java"):
        JmhRuns(HarnessSettings(java="true")).check(versions)

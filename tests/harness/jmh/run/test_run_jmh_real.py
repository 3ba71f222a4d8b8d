"""Trials with real versions of JMH."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from ended_processes import gone
from jmh_forks import benchmark_jar, trial

from steady.engine import ForkResult, HarnessSettings, RunFacts, TrialError, Version
from steady.errors import InputError
from steady.harness.jmh.run.java_program import Java
from steady.harness.jmh.run.jmh_runs import JmhRuns, JmhSession
from steady.model import Identity, Spent, Suite
from steady.readers import load
from tests.looped import looped

BuildJar = Callable[[str], Path]

pytestmark = pytest.mark.needs("java", "mvn")

ONE = Identity("suite.Suite.twoModesMore")


def thorough(*values: object) -> Any:
    """Return a case that only `make thorough` runs."""
    return pytest.param(*values, marks=pytest.mark.thorough)


def suite(name: str, mode: str = "avgt", threads: int = 1, **params: str) -> Identity:
    return Identity(f"suite.{name}", mode, tuple(sorted(params.items())), threads)


def measured(session: JmhSession, folder: Path, identity: Identity, number: int = 0) -> ForkResult:
    result = folder / f"{number}.json"
    start = time.monotonic()
    iterations = session.measure(trial(identity, number=number), result)
    spent = Spent(time.monotonic() - start, iterations)
    return ForkResult(trial(identity, number=number), f"run:{number}", result, spent)


def merged(
    harness: JmhRuns, forks: Sequence[ForkResult], folder: Path, *, whole: bool = False
) -> Suite:
    """Merge forks into a file of the folder, and return its suite."""
    planned = Counter(fork.trial.identity for fork in forks)
    path = folder / "merged.json"
    path.write_bytes(harness.merge(forks, RunFacts(planned, whole=whole)))
    found = load(path)
    assert not found.failures
    return found


def children(command: str = "") -> set[int]:
    """Return the descendants of this process, all or with one name."""
    shown = subprocess.run(["ps", "-eo", "pid=,ppid=,stat=,comm="], capture_output=True, text=True)
    rows = (line.split(None, 3) for line in shown.stdout.splitlines())
    running = {
        int(pid): (int(parent), name) for pid, parent, state, name in rows if state[0] != "Z"
    }
    family = {os.getpid()}
    while more := {pid for pid, (parent, _) in running.items() if parent in family} - family:
        family |= more
    return {pid for pid in family - {os.getpid()} if command in running[pid][1]}


def javas() -> set[int]:
    return children("java")


@pytest.mark.parametrize("version", ["1.37", thorough("1.21")])
def test_every_kind_of_benchmark_runs_and_is_merged(
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
    found = merged(harness, results, tmp_path)
    assert set(found) == set(wanted)
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
    "Suite.absent": "benchmarks.jar contains no benchmark of this name",
}


@pytest.mark.parametrize("names", [[*FAILURES][3:], thorough([*FAILURES][:3])])
def test_after_a_failure_the_next_trial_runs(
    names: list[str], misbehaving: Path, tmp_path: Path
) -> None:
    result, before = tmp_path / "fork.json", children()
    with JmhRuns().open([Version("results", misbehaving)], tmp_path) as session:
        for name in names:
            mode = "thrpt" if name == "Suite.failing" else "avgt"
            timeout = 3.0 if name.endswith("hangs") else 60.0
            with pytest.raises(TrialError) as caught:
                session.measure(trial(suite(name, mode), timeout=timeout), result)
            assert str(caught.value).startswith(FAILURES[name])
            assert not result.exists()
            assert not javas()
        measured(session, tmp_path, ONE)
        if sys.platform == "win32":
            return
        (driver,) = javas()
        started = children() - before
        os.kill(driver, signal.SIGKILL)
        while started & children():  # its keeper ends slightly later
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
from typing import Any
from jmh_forks import trial
from steady.model import Identity
from steady.engine import Version
from steady.harness.jmh.run.jmh_runs import JmhRuns
jar, scratch = map(Path, sys.argv[1:])
with JmhRuns().open([Version("results", jar)], scratch) as session:
    session.measure(trial(Identity("suite.Misbehaving.hangs")), scratch / "fork.json")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_no_java_survives_sigkill_of_steady(misbehaving: Path, tmp_path: Path) -> None:
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
    assert all(map(gone, started))


def test_missing_or_unsuitable_java_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = [Version("results", benchmark_jar(tmp_path / "b.jar"))]
    for java, problem in (
        ("no-such-java", "'no-such-java' is not an installed program"),
        ("true", "does not answer like java"),
    ):
        with pytest.raises(InputError, match=problem):
            JmhRuns(HarnessSettings(java=java)).check(versions)
    for problem in (
        r"b\.jar: .*javac cannot compile steady's classes",
        r"there is no javac beside 'java'.*install a JDK",
    ):
        with pytest.raises(InputError, match=problem):
            JmhRuns().open(versions, tmp_path).__enter__()
        monkeypatch.setattr("steady.harness.jmh.run.java_program.Java.compiler", None)


def test_jmhs_lock_file_is_read_from_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = f"-Djava.io.tmpdir={tmp_path}"
    for options, lock in ((place, tmp_path / "jmh.lock"), (f"{place} -Djmh.ignoreLock=true", None)):
        monkeypatch.setenv("JAVA_TOOL_OPTIONS", options)
        assert Java.query("java").jmh_lock == lock


@looped("argument", ["", '-Da="b"'])
def test_jvm_arguments_that_jmh_cannot_pass_are_rejected(argument: str) -> None:
    with pytest.raises(InputError, match="JMH cannot pass on the JVM argument"):
        JmhRuns(HarnessSettings(jvm_args=(argument,)))

"""JMH's lock, held by steady."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from jmh_forks import benchmark_jar, trial

from steady.harness.jmh.run.jar import BenchmarkJar
from steady.harness.jmh.run.jmh_runs import JmhSession, jmh_lock
from steady.harness.runs import HarnessSettings
from steady.harness.trial import BusyError, TrialError

HOLD = (
    "import sys, time; from pathlib import Path\n"
    "from steady.harness.jmh.run.jmh_runs import jmh_lock\n"
    "with jmh_lock(Path(sys.argv[1])): print('held', flush=True); time.sleep(1000)"
)


def test_lock_is_exclusive_within_a_process(tmp_path: Path) -> None:
    lock = tmp_path / "jmh.lock"
    with jmh_lock(lock), pytest.raises(BusyError, match="another JMH is running"), jmh_lock(lock):
        pass
    with jmh_lock(lock), jmh_lock(None), jmh_lock(None):  # None is not locked
        if os.name == "posix":
            assert lock.stat().st_mode & 0o777 == 0o666


def test_lock_is_exclusive_between_processes_and_ends_with_its_owner(tmp_path: Path) -> None:
    lock = tmp_path / "jmh.lock"
    command = [sys.executable, "-c", HOLD, str(lock)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        with pytest.raises(BusyError), jmh_lock(lock):
            pass
        child.kill()
        child.wait()
    with jmh_lock(lock):
        pass


def test_no_fork_runs_while_another_jmh_holds_the_lock(tmp_path: Path) -> None:
    jars = {"results": BenchmarkJar(benchmark_jar(tmp_path / "b.jar"))}
    settings, lock = HarnessSettings("no such java"), tmp_path / "jmh.lock"
    session = JmhSession(jars, settings, tmp_path, tmp_path, lock)
    one = trial(jars["results"].identities[0])
    with jmh_lock(lock), pytest.raises(BusyError):
        session.measure(one, tmp_path / "0.json")
    with jmh_lock(lock), pytest.raises(BusyError):
        session.measure_in_turn([one] * 2, [tmp_path / "0.json"] * 2)


def test_inaccessible_lock_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "jmh.lock").mkdir()
    lock = tmp_path / "jmh.lock"
    said = r"JMH's lock .*jmh\.lock cannot be opened: "
    with pytest.raises(TrialError, match=said), jmh_lock(lock):
        pass

"""JMH's lock, held by steady."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from steady.harness.jmh.run.lock import JmhLock
from steady.harness.trial import BusyError, TrialError

HOLD = (
    "import sys, time; from pathlib import Path\n"
    "from steady.harness.jmh.run.lock import JmhLock\n"
    "with JmhLock(Path(sys.argv[1])).held(): print('held', flush=True); time.sleep(1000)"
)


def test_it_is_held_once_in_a_process(tmp_path: Path) -> None:
    lock = JmhLock(tmp_path / "jmh.lock")
    with lock.held(), pytest.raises(BusyError, match="another JMH is running"), lock.held():
        pass
    with lock.held():
        assert lock.path is not None
        if os.name == "posix":
            assert lock.path.stat().st_mode & 0o777 == 0o666


def test_it_is_held_once_on_a_machine_and_ends_with_its_owner(tmp_path: Path) -> None:
    lock = JmhLock(tmp_path / "jmh.lock")
    command = [sys.executable, "-c", HOLD, str(lock.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        with pytest.raises(BusyError), lock.held():
            pass
        child.kill()
        child.wait()
    with lock.held():
        pass


def test_nobody_looks_at_none() -> None:
    with JmhLock(None).held(), JmhLock(None).held():
        pass


def test_one_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "jmh.lock").mkdir()
    lock = JmhLock(tmp_path / "jmh.lock")
    said = r"JMH's lock .*jmh\.lock cannot be opened: "
    with pytest.raises(TrialError, match=said), lock.held():
        pass

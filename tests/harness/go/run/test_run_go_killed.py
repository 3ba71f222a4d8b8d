"""Any end of steady ends its processes and their descendants, even in sessions of their own."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from steady.harness.go.run.paused_process import supports_one_write_pipes
from tests.harness.program_trials import written

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who is left")

ROUNDS = 2
BINARY = Path(__file__).with_name("leaves_its_session.sh")

STEADY = """
import signal, sys
from pathlib import Path
from steady.engine import Trial
from steady.harness.go.run.test_binaries import start
from steady.harness.go.run.processes_in_turn import take_turns
from steady.model import ExecutionConfiguration, Identity

signal.signal(signal.SIGINT, signal.default_int_handler)  # the process that started the tests
kind, *binaries = sys.argv[1:]
sides = [Path(path) for path in binaries]
one = ExecutionConfiguration(1, 0, 10**6, 0.0, 0.0, batch_size=2, warmup_batch_size=2)
print("ready", flush=True)
if kind == "forks":
    start(sides[0], timeout=600.0)
else:
    take_turns(sides, [Trial(0, 0, "", Identity("p.BenchmarkX"), one, 1.0, 600.0)] * 2)
"""


def started(kind: str, folder: Path) -> subprocess.Popen[bytes]:
    binaries = [folder / side / "p.test" for side in ("base", "head")]
    for binary in binaries:
        written(binary.parent, {binary.name: BINARY.read_text(encoding="utf-8")})
    command = [sys.executable, "-c", STEADY, kind, *map(str, binaries)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def inside(folder: Path) -> Sequence[str]:
    """Return the processes with this working folder: a test binary's and its descendants."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (entry / "cwd").readlink().is_relative_to(folder):
                found.append((entry / "cmdline").read_text().replace("\0", " "))
    return found


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("forks", signal.SIGINT),
        ("forks", signal.SIGKILL),
        pytest.param("forks", signal.SIGTERM, marks=pytest.mark.thorough),
        pytest.param("turns", signal.SIGINT, marks=pytest.mark.thorough),
        ("turns", signal.SIGKILL),
        pytest.param("turns", signal.SIGTERM, marks=pytest.mark.thorough),
    ],
)
def test_nothing_outlives_steady(kind: str, number: signal.Signals, tmp_path: Path) -> None:
    if kind == "turns" and not supports_one_write_pipes():
        pytest.skip("this system has other pipes")
    chance = random.Random(number)
    running = [(tmp_path / str(k), started(kind, tmp_path / str(k))) for k in range(ROUNDS)]
    for k, (folder, steady) in enumerate(running):
        assert steady.stdout is not None
        assert steady.stdout.readline() == b"ready\n"
        deadline = time.monotonic() + 120
        if k % 2:  # at any time during the start
            time.sleep(chance.uniform(0.0, 0.1))
        else:
            while not any("sleep 600" in one for one in inside(folder)):
                assert time.monotonic() < deadline
                time.sleep(0.02)
            (folder / "go").touch()
            time.sleep(0.1)
        steady.send_signal(number)
        steady.stdout.close()
        assert steady.wait(120) == -number  # this signal ended it
        while left := inside(folder):
            assert time.monotonic() < deadline, left
            time.sleep(0.02)

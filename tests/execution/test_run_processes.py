import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from ended_processes import gone

from steady.execution.processes import Child
from tests.looped import looped

PARENT = """
import subprocess, sys
sleeping = [sys.executable, "-c", "import time; time.sleep(600)"]
child = subprocess.Popen(sleeping, start_new_session=len(sys.argv) > 1)
print(child.pid, flush=True)
sys.stdin.read()
"""
ECHO = "import sys\nfor line in sys.stdin: print(line.strip()[::-1], flush=True)"
DEAF = "import time\nprint('ready', flush=True)\ntime.sleep(600)"


def python(tmp_path: Path, program: str, *arguments: str) -> Child:
    return Child([sys.executable, "-c", program, *arguments], tmp_path / "errors")


def soon() -> float:
    return time.monotonic() + 60.0


def test_lines_are_sent_and_received(tmp_path: Path) -> None:
    child = python(tmp_path, ECHO)
    for text in ("abc", "xyz"):
        child.write(text)
        assert child.line(soon()) == text[::-1]
    before = child.alive
    with pytest.raises(TimeoutError):
        child.line(time.monotonic() - 1.0)
    assert child.close() == 0
    assert child.line(soon()) is None
    assert child.line(soon()) is None
    assert (before, child.alive) == (True, False)
    assert child.kill() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("way", ["kill", "close"])
@pytest.mark.parametrize("session", [(), ("its own",)])
def test_no_grandchild_remains(session: Sequence[str], way: str, tmp_path: Path) -> None:
    if session and sys.platform != "linux":
        pytest.skip("only Linux tells who has left the group")
    child = python(tmp_path, PARENT, *session)
    line = child.line(soon())
    assert line is not None
    code = getattr(child, way)()
    assert code == (-signal.SIGKILL if way == "kill" else 0)
    assert gone(int(line))


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG")
def test_a_program_ends_without_its_keeper(tmp_path: Path) -> None:
    child = python(tmp_path, f"import os\nprint(os.getpid(), os.getppid(), flush=True)\n{DEAF}")
    line = child.line(soon())
    assert line is not None
    program, keeper = map(int, line.split())
    os.kill(keeper, signal.SIGKILL)
    assert gone(program)
    assert child.kill() == -signal.SIGKILL


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@looped(
    ("end", "code"),
    [("sys.exit(3)", 3), ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM)],
)
def test_the_keeper_ends_with_the_programs_status_and_keeps_its_output(
    end: str, code: int, tmp_path: Path
) -> None:
    says = "import os, signal, sys\nsys.stderr.write('so it is')\nsys.stderr.flush()\n"
    child = python(tmp_path, says + end)
    assert child.line(soon()) is None
    assert child.close() == code
    assert (tmp_path / "errors").read_text() == "so it is"


def test_a_program_that_does_not_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steady.execution.processes._LEAVING_SECONDS", 0.05)
    child = python(tmp_path, DEAF)
    assert child.line(soon()) == "ready"
    assert child.close() != 0
    assert not child.alive


def test_a_missing_program(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Child([str(tmp_path / "nothing")], tmp_path / "errors")

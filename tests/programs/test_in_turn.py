"""Two programs take turns by the clock: their time, threads and children, and hostile ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from steady.programs.clock_turns import built_library
from steady.programs.in_turn import run_in_turn
from steady.programs.process import Ended, Program
from steady.programs.turn_session import NotInTurnError

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="turns by the clock need Linux"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler of C"),
]

WORK = """
import time
ends = time.perf_counter() + {seconds}
while time.perf_counter() < ends:
    sum(range(2_000))
"""
"""A program that works for so many seconds of its own, and asks the clock all the time."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_library(tmp_path_factory.mktemp("clock"))


def python(code: str) -> Program:
    return Program((sys.executable, "-c", code))


def taken(
    library: Path, folder: Path, *codes: str, timeouts: Sequence[float] = (20.0, 20.0)
) -> Sequence[Ended]:
    return run_in_turn([*map(python, codes)], timeouts, library, folder, slice_seconds=0.005)


def test_each_has_its_own_time_without_pauses(library: Path, tmp_path: Path) -> None:
    begin = time.monotonic()
    both = taken(library, tmp_path, *[WORK.format(seconds=0.3)] * 2)
    assert [one.code for one in both] == [0, 0], both
    assert all(one.turns >= 3 for one in both), both
    # Each had 0.3 s, and none while the other one had its turn.
    assert time.monotonic() - begin > 0.6


def test_the_first_waits_while_the_second_starts(library: Path, tmp_path: Path) -> None:
    """What starts would take processor time from what is measured."""
    began = tmp_path / "began"
    first = python(f"open({str(began)!r}, 'w').close()\n" + WORK.format(seconds=0.1))
    after = ("sh", "-c", 'test ! -e "$0" && exec "$@"', str(began), sys.executable, "-c")
    second = Program((*after, WORK.format(seconds=0.1)))
    both = run_in_turn([first, second], (20.0, 20.0), library, tmp_path)
    assert [one.code for one in both] == [0, 0], both
    assert began.exists()


CLOCKS = """
import time
clocks = (time.CLOCK_REALTIME, time.CLOCK_MONOTONIC, time.CLOCK_MONOTONIC_RAW, time.CLOCK_BOOTTIME)
def read():
    while True:  # again where something else had the processor meanwhile
        values = [time.clock_gettime(one) for one in clocks]
        if time.clock_gettime(clocks[0]) - values[0] < 0.01:
            return values + [time.time()]
first = read()
ends = time.perf_counter() + 0.3
own = []
while time.perf_counter() < ends:
    sum(range(200))
    own.append(time.perf_counter())
assert own == sorted(own), "time went back"
last = read()
passed = [b - a for a, b in zip(first, last)]
assert max(passed) - min(passed) < 0.1, passed
"""

SLEEPS = f"""
import select, threading, time
lock = threading.Lock(); lock.acquire()
for sleeps in (
    lambda: time.sleep(0.1),  # clock_nanosleep until a point in time
    lambda: threading.Event().wait(0.1),  # sem_clockwait or pthread_cond_clockwait
    lambda: lock.acquire(timeout=0.1),
    lambda: select.select([], [], [], 0.1),
):
    exec({WORK.format(seconds=0.05)!r})
    begin = time.perf_counter()
    sleeps()
    passed = time.perf_counter() - begin
    assert passed >= 0.099, passed
"""

CHILD = f"""
import subprocess, sys
subprocess.run([sys.executable, '-c', {WORK.format(seconds=0.3)!r}], check=True)
"""

THREADS = f"""
import threading
def work():
    exec({WORK.format(seconds=0.3)!r}, {{}})
threads = [threading.Thread(target=work) for _ in range(3)]
[one.start() for one in threads]; [one.join() for one in threads]
"""

ALIKE = {
    "no clock shows the pause, and all go on as one": (CLOCKS, CLOCKS),
    # Processor time does not stand still meanwhile, for it did not pass: it was not used.
    "processor time is its own": 2
    * (WORK.format(seconds=0.3) + "assert time.process_time() < 2, time.process_time()",),
    "sleeping lasts as long as asked for": (SLEEPS, WORK.format(seconds=0.7)),
    "a child has the turns of its side": (CHILD, WORK.format(seconds=0.3)),
    "threads that ask the clock wait too": (THREADS, THREADS),
}


@pytest.mark.parametrize("name", ALIKE)
def test_it_is_as_if_it_were_alone(name: str, library: Path, tmp_path: Path) -> None:
    both = taken(library, tmp_path, *ALIKE[name])
    assert [(one.code, one.output) for one in both] == [(0, "")] * 2
    assert both[0].turns >= 3


def test_one_that_works_while_it_waits_has_no_turns(library: Path, tmp_path: Path) -> None:
    """Its thread is in C without the lock of Python, and never asks the clock."""
    code = f"""
import hashlib, threading
data = bytes(10**8)
threading.Thread(target=lambda: [hashlib.sha256(data) for _ in range(20)], daemon=True).start()
{WORK.format(seconds=0.5)}
"""
    with pytest.raises(NotInTurnError, match="threads work while it waits"):
        taken(library, tmp_path, code, WORK.format(seconds=0.5))


def test_one_without_a_clock_or_libraries_has_no_turns(library: Path, tmp_path: Path) -> None:
    with pytest.raises(NotInTurnError, match="hardly asks the clock"):
        run_in_turn([Program(("true",))] * 2, (10, 10), library, tmp_path)
    binary = str(tmp_path / "empty")
    command = ["cc", "-static", "-xc", "-", "-o", binary]
    subprocess.run(command, input="int main(void) { return 0; }\n", text=True, check=True)
    with pytest.raises(NotInTurnError, match="does not load libraries"):
        run_in_turn([Program((binary,))] * 2, (10, 10), library, tmp_path)


HOSTILE = {
    "dies": "import os; os.kill(os.getpid(), 9)",
    "dies in a turn": WORK.format(seconds=0.1) + "import os; os.abort()",
    "loops": "while True: pass",
    "loops with the clock": "import time\nwhile True: time.perf_counter()",
    "stops itself": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "stops its children": (
        "import os, signal, time\nif os.fork() == 0: os.kill(os.getpid(), signal.SIGSTOP)\n"
        + WORK.format(seconds=0.3)
    ),
    "closes everything": "import os, time; os.closerange(0, 100); time.sleep(60)",
    "leaves a child in a session of its own": (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\n"
        + WORK.format(seconds=0.3)
    ),
    "breaks the page": (
        "import mmap, os\nwith open(os.environ['STEADY_TURNS_PAGE'], 'r+b') as file:\n"
        "    memory = mmap.mmap(file.fileno(), 0)\n    memory[:] = b'\\xff' * len(memory)\n"
        "while True: pass"
    ),
}


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        pytest.param(place, kind, marks=[pytest.mark.thorough] if (place + n) % 2 else [])
        for place in (0, 1)
        for n, kind in enumerate(HOSTILE)
    ],
)
def test_a_hostile_side_ends_in_its_limit(
    library: Path, tmp_path: Path, kind: str, place: int
) -> None:
    mark = f"steady-{os.getpid()}-{place}-{abs(hash(kind))}"
    codes = [WORK.format(seconds=0.3), WORK.format(seconds=0.3)]
    codes[place] = HOSTILE[kind] + f"\n# {mark}"
    begin = time.monotonic()
    limits = [3.0, 3.0]
    limits[place] = 1.0
    both = taken(library, tmp_path, *codes, timeouts=limits)
    assert time.monotonic() - begin < 50  # what nobody stops goes on for a minute or more
    if kind != "breaks the page":
        assert both[1 - place].code == 0, "the other one ends as if it were alone"
    left = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has just ended
            if path.parent.name != str(os.getpid()) and mark.encode() in path.read_bytes():
                left.append(path)
    assert not left, "no process is left"


def test_a_compiler_that_cannot_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for compiler, why in (
        ("no-such-compiler -O2", "no-such-compiler is not there; install gcc or clang"),
        ("cc -DUNKNOWN --no-such-option", r"could not be built: .*no-such-option"),
    ):
        monkeypatch.setenv("CC", compiler)
        with pytest.raises(NotInTurnError, match=why):
            built_library(tmp_path)


WHERE = """
import os, threading, time
ends = time.perf_counter() + 0.2
while time.perf_counter() < ends:
    pass
alone = len(os.sched_getaffinity(0))
thread = threading.Thread(target=lambda: None); thread.start(); thread.join()
print(alone, len(os.sched_getaffinity(0)))
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_a_single_thread_is_kept_on_one_processor(library: Path, tmp_path: Path) -> None:
    """Until it begins another thread, which may need another processor."""
    every = len(os.sched_getaffinity(0))
    both = run_in_turn([python(WHERE)] * 2, (20, 20), library, tmp_path)
    said = [one.output.split() for one in both]
    assert said == [["1", str(every)]] * 2

"""Two processes that meet before each of their benchmarks, and what becomes of each benchmark."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from steady.harness.runs import Turn
from steady.harness.trial import NotReachedError, Trial, TrialError
from steady.model import ExecutionConfiguration, Identity
from steady.programs.clock_turns import built_library
from steady.programs.in_turn import run_in_turn
from steady.programs.process import Ended, Program
from steady.programs.shared_process import SharedProcess

PRELUDE = """
import ctypes, os, sys, time
meet = ctypes.CDLL(None).steady_meet
def work(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
def at(place):
    open(f"{sys.argv[1]}-{place}-arrives", "w").close()
    meet(ctypes.c_int64(place))
    open(f"{sys.argv[1]}-{place}-begins", "w").close()
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if sys.platform != "linux" or shutil.which("cc") is None:
        pytest.skip("turns by the clock need Linux and a compiler of C")
    return built_library(tmp_path_factory.mktemp("clock"))


def both(
    library: Path, folder: Path, codes: Sequence[str], each: Sequence[float]
) -> Sequence[Ended]:
    programs = [
        Program((sys.executable, "-c", PRELUDE + code, str(folder / str(side))))
        for side, code in enumerate(codes)
    ]
    return run_in_turn(programs, [20.0, 20.0], library, folder, each=each)


def changed_at(folder: Path, side: int, place: int, what: str) -> int:
    """Return when a side made a file, by the clock of the system."""
    return (folder / f"{side}-{place}-{what}").stat().st_mtime_ns


def test_no_side_begins_a_benchmark_before_the_other_one_arrives(
    library: Path, tmp_path: Path
) -> None:
    lengths = [(0.02, 0.3), (0.25, 0.02), (0.1, 0.1)]
    codes = [
        "".join(f"at({place}); work({own[side]})\n" for place, own in enumerate(lengths, start=1))
        for side in range(2)
    ]
    ended = both(library, tmp_path, codes, [5.0] * 3)
    assert [(one.code, one.output, one.place) for one in ended] == [(0, "", 3)] * 2
    tick = 20_000_000  # time stamps of files are those of the last tick
    for place in range(1, 4):
        for side in range(2):
            begins = changed_at(tmp_path, side, place, "begins")
            assert begins + tick >= changed_at(tmp_path, 1 - side, place, "arrives")
    # The shorter side waited for the longer one.
    waited = changed_at(tmp_path, 0, 2, "begins") - changed_at(tmp_path, 0, 2, "arrives")
    assert waited > 200_000_000


def test_benchmarks_after_a_crash_are_not_waited_for(library: Path, tmp_path: Path) -> None:
    steps = "at(1); work(0.05)\nat(2); work({})\n{}at(3); work(30)"
    codes = [steps.format(0.05, "os._exit(3)\n"), steps.format(0.3, "")]
    begin = time.monotonic()
    ended = both(library, tmp_path, codes, [5.0] * 3)
    assert time.monotonic() - begin < 10
    assert ended[0].code == 3
    assert ended[0].place == 2
    assert not any(one.timed_out for one in ended)


def test_each_benchmark_has_its_own_timeout(library: Path, tmp_path: Path) -> None:
    codes = ["at(1); work(0.3)\nat(2); work(0.3)", "at(1); work(0.3)\nat(2); work(30)"]
    ended = both(library, tmp_path, codes, [1.0, 0.6])
    assert [one.timed_out for one in ended] == [False, True]
    assert [one.place for one in ended] == [2, 2]
    assert ended[0].code == 0


PINNED = """
def pinned():
    return len(os.sched_getaffinity(0)) == 1
import threading
at(1); assert pinned(); os.waitpid(os.fork() or os._exit(0), 0); assert not pinned()
at(2); assert pinned(); stop = threading.Event(); threading.Thread(target=stop.wait).start()
at(3); assert not pinned(); stop.set()
"""


def test_each_benchmark_begins_on_one_processor_without_threads(
    library: Path, tmp_path: Path
) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two processors")
    ended = both(library, tmp_path, [PINNED] * 2, [5.0] * 3)
    assert [(one.code, one.output) for one in ended] == [(0, "")] * 2


def test_without_turns_nothing_waits(tmp_path: Path, library: Path) -> None:
    code = f"import ctypes; ctypes.CDLL({str(library)!r}).steady_meet(ctypes.c_int64(1))"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=10).returncode == 0


HOW = ExecutionConfiguration(1, 1, 1, 0.1, 0.1)


def shared(folder: Path, benchmarks: int) -> SharedProcess:
    """Return benchmarks whose second one lists head first."""
    trials, numbers = [], iter(range(2 * benchmarks))
    for place in range(benchmarks):
        for version in ("base", "head") if place != 1 else ("head", "base"):
            identity = Identity(f"b{place}")
            trials.append(Trial(next(numbers), 0, version, identity, HOW, 1.0, 2.0 + place))
    return SharedProcess(trials, [folder / f"{trial.number}" for trial in trials])


def test_every_side_has_its_own_version(tmp_path: Path) -> None:
    own = shared(tmp_path, 3)
    base, head = own.sides
    assert [trial.version for trial, _ in base] == ["base"] * 3
    assert [trial.number for trial, _ in head] == [1, 2, 5]
    assert own.timeouts == (2.0, 3.0, 4.0)


def test_a_benchmark_without_one_side_fails_and_later_ones_were_not_reached(
    tmp_path: Path,
) -> None:
    own = shared(tmp_path, 4)
    for path in own.results:
        path.touch()

    def finish(ended: Ended, trial: Trial, result: Path) -> float:
        assert result == own.results[trial.number]
        if (trial.identity.name, trial.version) == ("b1", "head"):
            raise TrialError("crashed")
        return trial.number + ended.code

    outcomes = own.outcomes([Ended(100, "", place=3), Ended(200, "", place=4)], finish)
    assert [one.seconds if isinstance(one, Turn) else type(one) for one in outcomes] == [
        100.0, 201.0, TrialError, TrialError, 104.0, 205.0, NotReachedError, NotReachedError,
    ]  # fmt: skip
    assert [path.name for path in own.results if path.exists()] == ["0", "1", "4", "5"]

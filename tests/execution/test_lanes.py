"""Simultaneous pairs of forks: their threads, their processors and their end."""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from steady.execution import lanes
from steady.execution.lanes import (
    Lane,
    pin_program,
    processors_by_core,
    run_simultaneously,
    threads_of,
)
from steady.execution.processes import kill_group, start_group

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux pins threads")


def fake_machine(monkeypatch: pytest.MonkeyPatch, usable: set[int], threads: int) -> None:
    """Stand in for a machine whose cores have several threads, with adjacent numbers."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: usable, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", None, raising=False)
    monkeypatch.setattr(lanes, "_core_of", lambda processor: str(processor // threads))


@pytest.mark.parametrize(
    ("usable", "threads", "count", "expected"),
    [
        ({0, 1}, 1, 1, [(1, {0, 1})]),
        ({0, 1}, 1, 2, [(1, {1}), (0, {0})]),
        ({0, 1, 2, 3}, 1, 2, [(3, {3, 1}), (2, {2, 0})]),
        # GitHub's runners: two cores of two threads each; a pair gets a core
        ({0, 1, 2, 3}, 2, 2, [(3, {3, 2}), (1, {1, 0})]),
        ({2, 5, 7}, 1, 3, [(7, {7}), (5, {5}), (2, {2})]),
        ({4}, 1, 1, [(None, {4})]),
    ],
)
def test_pairs_have_processors_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
    usable: set[int],
    threads: int,
    count: int,
    expected: list[tuple[int | None, frozenset[int]]],
) -> None:
    fake_machine(monkeypatch, usable, threads)
    own = [Lane(number, count) for number in range(count)]
    assert [(lane.processor, lane.processors) for lane in own] == expected
    assert len(frozenset().union(*(lane.processors for lane in own))) == len(usable)


def test_other_systems_have_no_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    assert processors_by_core() == ()
    assert (Lane(1, 2).processor, Lane(1, 2).processors) == (None, frozenset())


@linux
def test_the_processors_of_this_machine_are_the_available_ones() -> None:
    assert sorted(processors_by_core()) == sorted(os.sched_getaffinity(0))
    assert lanes._core_of(10**6) == "1000000"


def test_results_are_in_order_and_tasks_overlap() -> None:
    both = threading.Barrier(2, timeout=60)

    def task(number: int) -> tuple[int, bool]:
        both.wait()
        return number, threading.current_thread() is threading.main_thread()

    tasks = [partial(task, number) for number in (7, 8)]
    assert run_simultaneously(tasks, lambda: None) == [(7, False), (8, False)]
    assert run_simultaneously([threading.current_thread], lambda: None) == [threading.main_thread()]
    assert run_simultaneously([], lambda: None) == []


@pytest.mark.parametrize("how", ["raises", "ctrl-c"])
@linux
def test_an_error_or_ctrl_c_ends_all_programs(how: str) -> None:
    own = [Lane(number, 2) for number in range(2)]
    started = [threading.Event(), threading.Event()]
    ended: list[int] = []

    def sleep(number: int) -> None:
        null = subprocess.DEVNULL
        group = start_group(["sleep", "1000"], null, null, null)
        own[number].add(group)
        started[number].set()
        if how == "raises" and number == 1:
            raise ValueError(how)
        ended.append(group.wait())

    def kill() -> None:
        for lane in own:
            lane.kill()

    def interrupt() -> None:
        assert all(event.wait(60) for event in started)
        os.kill(os.getpid(), signal.SIGINT)

    if how == "ctrl-c":
        threading.Thread(target=interrupt, daemon=True).start()
    error = ValueError if how == "raises" else KeyboardInterrupt
    begin, threads = time.monotonic(), threading.active_count()
    with pytest.raises(error):
        run_simultaneously([partial(sleep, number) for number in range(2)], kill)
    assert time.monotonic() - begin < 60
    assert len(ended) == (1 if how == "raises" else 2)
    kill()  # also the one whose function raised
    assert threading.active_count() <= threads
    assert all(group.returncode is not None for lane in own for group in lane._groups)


@linux
def test_a_running_program_is_pinned_without_noticing_at_its_start(tmp_path: Path) -> None:
    usable = os.sched_getaffinity(0)
    code = (
        "import os, sys, time\n"
        "print(len(os.sched_getaffinity(0)), flush=True)\n"
        "limit = time.monotonic() + 60\n"
        "while os.sched_getaffinity(0) != {int(sys.argv[1])} and time.monotonic() < limit:\n"
        "    time.sleep(0.01)\n"
        "print(os.sched_getaffinity(0), flush=True)\n"
    )
    one = min(usable)
    output = tmp_path / "output"
    with output.open("wb") as file:
        words = [sys.executable, "-c", code, str(one)]
        group = start_group(words, subprocess.DEVNULL, file, subprocess.DEVNULL)
        while not output.read_text():
            time.sleep(0.01)
        pin_program(group, {one})
        assert group.wait() == 0
        kill_group(group)
    assert output.read_text().splitlines() == [str(len(usable)), str({one})]
    pin_program(group, {one})  # it has ended
    assert os.sched_getaffinity(0) == usable
    assert threads_of(group.pid) == {}

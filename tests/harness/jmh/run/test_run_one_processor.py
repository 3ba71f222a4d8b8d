"""Pinning of the threads of two interleaved benchmarks to one processor."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from steady.execution.lanes import Lane, move_thread, threads_of
from steady.harness.jmh.run import one_processor
from steady.harness.jmh.run.one_processor import SharedProcessor
from tests.looped import looped

WORKER = "org.example.Ben"
NEWER = "org.exa..rker-1"
JVM = ("C1 CompilerThre", "VM Thread", "GC Thread#0")
USABLE = {2, 5, 7}


@dataclass
class Linux:
    """A fake system: names of the threads of each process, and the processors of moved threads."""

    names: Sequence[Sequence[str]] = ()
    moved: dict[int, set[int]] = field(default_factory=dict)

    def threads(self, process: int) -> dict[int, str]:
        return {100 * process + n + 1: name for n, name in enumerate(self.names[process])}

    def run(self, *names: Sequence[str]) -> SharedProcessor:
        """Simulate an iteration in two processes, given the names of their threads."""
        self.names, self.moved = names, {}
        both = SharedProcessor("org.example.Bench.parse", Lane())
        for side in (0, 1):
            both.add_process(side, side)
        for side in (0, 1):
            assert both.pinned is None
            both.finish_iteration(side, threads_began=True)
        return both


@pytest.fixture
def linux(monkeypatch: pytest.MonkeyPatch) -> Linux:
    system = Linux()
    monkeypatch.setattr(one_processor, "threads_of", system.threads)
    monkeypatch.setattr(
        one_processor, "move_thread", lambda one, to: system.moved.update({one: to})
    )
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: USABLE, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", None, raising=False)
    return system


@looped("worker", [WORKER, NEWER])
def test_only_benchmark_threads_are_pinned(linux: Linux, worker: str) -> None:
    assert linux.run((worker, *JVM), (*JVM, worker)).pinned
    assert linux.moved == {1: {7}, 101 + len(JVM): {7}}


@looped("threads", [(WORKER, "ForkJoinPool.co"), (WORKER, WORKER), JVM, ()])
def test_benchmarks_with_several_threads_are_not_pinned(
    linux: Linux, threads: Sequence[str]
) -> None:
    assert not linux.run((WORKER, *JVM), threads).pinned
    assert linux.moved == {}


def test_benchmark_that_starts_a_thread_is_unpinned(linux: Linux) -> None:
    both = linux.run((WORKER, *JVM), (WORKER, *JVM))
    both.finish_iteration(0, threads_began=False)
    assert linux.moved == {1: {7}, 101: {7}}
    both.finish_iteration(1, threads_began=True)
    both.finish_iteration(0, threads_began=False)
    assert both.pinned is False
    assert linux.moved == dict.fromkeys([*range(1, 5), *range(101, 105)], USABLE)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can do it")
def test_threads_of_real_processes_are_found_and_moved() -> None:
    found: list[set[int]] = []

    def work() -> None:
        own, one = threading.get_native_id(), {min(os.sched_getaffinity(0))}
        Path(f"/proc/self/task/{own}/comm").write_text(WORKER)
        assert threads_of(os.getpid())[own] == WORKER
        move_thread(own, one)
        found.extend([os.sched_getaffinity(0), one])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found
    assert found[0] == found[1]
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert threads_of(ended.pid) == {}
    move_thread(ended.pid, {0})


def test_other_systems_do_not_pin(linux: Linux, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_setaffinity")
    assert not linux.run((WORKER,), (WORKER,)).pinned

"""Two processes that take turns keep the threads of their benchmarks on one processor."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from steady.harness.jmh.run import one_processor
from steady.harness.jmh.run.one_processor import SharedProcessor

BENCHMARK = "org.example.Bench.parse"
WORKER = "org.example.Ben"
NEWER = "org.exa..rker-1"
JVM = ("C1 CompilerThre", "VM Thread", "GC Thread#0")

PROGRAM = """
import sys, threading
named = threading.Barrier(len(sys.argv))
def run(name):
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as comm:
        comm.write(name)
    named.wait()
    threading.Event().wait()
for name in sys.argv[1:]:
    threading.Thread(target=run, args=(name,), daemon=True).start()
with open("/proc/self/comm", "w") as comm:
    comm.write("java")
named.wait()
print("named", flush=True)
sys.stdin.read()
"""

linux = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="needs Linux and two processors",
)


@dataclass
class Fork:
    """A process with threads of some names."""

    process: int

    def processors(self) -> dict[str, set[int]]:
        names = one_processor._threads(self.process)
        return {name: os.sched_getaffinity(thread) for thread, name in names.items()}


Begin = Callable[..., Fork]


@pytest.fixture
def begin() -> Iterator[Begin]:
    with ExitStack() as stack:

        def begun(*names: str) -> Fork:
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", PROGRAM, *names],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            stack.callback(process.kill)
            assert process.stdout is not None
            assert process.stdout.readline() == "named\n"
            return Fork(process.pid)

        yield begun


def is_together(both: SharedProcessor) -> bool:
    return bool(both.together)


def shared_processor(*forks: Fork) -> SharedProcessor:
    both = SharedProcessor(BENCHMARK)
    for side, fork in enumerate(forks):
        both.comes(side, fork.process)
    for side in range(len(forks)):
        assert both.together is None
        both.ran(side, threads_began=True)
    return both


@linux
@pytest.mark.parametrize("worker", [WORKER, NEWER])
def test_the_benchmarks_share_a_processor_and_the_jvm_has_all(begin: Begin, worker: str) -> None:
    forks = [begin(worker, *JVM) for _ in range(2)]
    assert shared_processor(*forks).together
    usable = os.sched_getaffinity(0)
    for fork in forks:
        processors = fork.processors()
        assert processors[worker] == {max(usable)}
        assert all(processors[name] == usable for name in JVM)


@linux
@pytest.mark.parametrize(
    "threads", [(WORKER, "ForkJoinPool.co"), (WORKER, WORKER), JVM], ids=["pool", "two", "none"]
)
def test_what_runs_in_several_threads_is_left_alone(begin: Begin, threads: tuple[str, ...]) -> None:
    alone, other = begin(WORKER, *JVM), begin(*threads)
    assert not shared_processor(alone, other).together
    assert alone.processors()[WORKER] == os.sched_getaffinity(0)


@linux
def test_a_benchmark_that_begins_a_thread_is_set_free(begin: Begin) -> None:
    forks = [begin(WORKER, *JVM) for _ in range(2)]
    both = shared_processor(*forks)
    both.ran(0, threads_began=False)
    assert is_together(both)
    both.ran(1, threads_began=True)
    both.ran(0, threads_began=False)
    assert not is_together(both)
    assert all(fork.processors()[WORKER] == os.sched_getaffinity(0) for fork in forks)


@linux
def test_one_that_has_ended_does_no_harm(begin: Begin) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert not shared_processor(begin(WORKER), Fork(ended.pid)).together


def test_other_systems_leave_them_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    assert not shared_processor(Fork(1), Fork(2)).together

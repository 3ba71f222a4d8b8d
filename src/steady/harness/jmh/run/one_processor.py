"""Pinning of two interleaved benchmarks to one processor.

Otherwise each fork would stay on its own processor, and one of the two may be slower for seconds
because another virtual machine on the same hardware is busy. Only the thread of the benchmark is
pinned; compilers and garbage collectors use all processors.
"""

import os
from collections.abc import Iterable

from steady.execution.lanes import Lane, move_thread, threads_of

_BOTH = 2

_LONGEST_NAME = 15
"""Maximum length of a thread's name in Linux, in characters."""

_OF_JVM = (
    *("java", "VM ", "Reference Handl", "Finalizer", "Signal ", "Service Thread", "Monitor "),
    *("C1 ", "C2 ", "JVMCI", "Sweeper", "Notification", "Common-Cleaner", "GC ", "G1 ", "Attach"),
    *("ZWorker", "ZDirector", "ZStat", "ZDriver", "XDirector", "XStat", "XDriver", "XWorker"),
    *("Shenandoah", "Cleaner", "process reaper", "JFR ", "DestroyJavaVM", "Libgraal", "ZMajor"),
    *("ZMinor", "ZUnmapper", "XUnmapper", "Gang worker", "Concurrent Mark"),
)
"""Prefixes of the names of HotSpot's own threads, 8 to 25."""


class SharedProcessor:
    """The processor that two interleaved single-threaded benchmarks share.

    A benchmark with several threads is not pinned, as it needs several processors. If one starts
    another thread later, both are unpinned.

    Parameters
    ----------
    benchmark : str
        Name of the benchmark.
    lane : Lane
        The place of the pair among simultaneous ones; each has a processor of its own.
    """

    def __init__(self, benchmark: str, lane: Lane) -> None:
        self._benchmark = benchmark
        self._lane = lane
        self._processes: dict[int, int] = {}
        self._ran: set[int] = set()
        self.pinned: bool | None = None
        """Whether both are pinned; None until each has run an iteration."""

    def add_process(self, side: int, process: int) -> None:
        """Add the process of a fork."""
        self._processes[side] = process

    def finish_iteration(self, side: int, *, threads_began: bool) -> None:
        """Record the end of an iteration, and whether threads began during it."""
        # the thread of the benchmark starts in the first iteration
        if threads_began and side in self._ran:
            if self.pinned:
                _unpin(self._processes.values())
            self.pinned = False
        self._ran.add(side)
        if self.pinned is None and len(self._ran) == len(self._processes) == _BOTH:
            self.pinned = _pin(self._processes.values(), self._benchmark, self._lane)


def _pin(processes: Iterable[int], benchmark: str, lane: Lane) -> bool:
    """Pin the benchmark's threads in all processes to one processor; return whether that succeeded.

    It requires Linux, and at least two available processors.
    """
    processor = lane.processor
    if processor is None:
        return False
    threads = [_worker(process, benchmark) for process in processes]
    if not all(threads):
        return False
    for thread in filter(None, threads):
        move_thread(thread, {processor})
    return True


def _unpin(processes: Iterable[int]) -> None:
    for process in processes:
        for thread in threads_of(process):
            move_thread(thread, os.sched_getaffinity(0))


def _worker(process: int, benchmark: str) -> int | None:
    """Return the thread of the benchmark; None if there are others besides those of the JVM."""
    threads = threads_of(process)
    own = [thread for thread, name in threads.items() if _is_worker(name, benchmark)]
    others = [
        name
        for thread, name in threads.items()
        if thread not in own and not name.startswith(_OF_JVM)
    ]
    return own[0] if len(own) == 1 and not others else None


def _is_worker(name: str, benchmark: str) -> bool:
    """Return whether a thread has the name that JMH gives to the thread of a benchmark.

    Linux truncates long names; newer JVMs shorten them in the middle.
    """
    whole = f"{benchmark}-jmh-worker-1"
    return name in (whole[:_LONGEST_NAME], f"{whole[:7]}..{whole[-6:]}")

"""Pinning of two interleaved benchmarks to one processor, so that both have equal neighbours.

Otherwise each fork would stay on a processor of its own, and one of these may be slower for seconds
because another virtual machine on the same hardware is busy. Only the benchmark's thread is pinned;
compilers and garbage collectors use all processors.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_BOTH = 2

_LONGEST_NAME = 15
"""Characters of a thread's name that Linux keeps."""

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

    A benchmark with further threads needs several processors, so it is not pinned, or unpinned when
    it starts another thread.

    Parameters
    ----------
    benchmark : str
        Its name.
    lane : int
        Number of the pair among simultaneous ones; each has a processor of its own.
    """

    def __init__(self, benchmark: str, lane: int = 0) -> None:
        self._benchmark = benchmark
        self._lane = lane
        self._processes: dict[int, int] = {}
        self._ran: set[int] = set()
        self.together: bool | None = None
        """Whether they are pinned; None until both have run an iteration."""

    def comes(self, side: int, process: int) -> None:
        """Add the process of a fork."""
        self._processes[side] = process

    def ran(self, side: int, *, threads_began: bool) -> None:
        """Take note of an iteration of a fork, and of new threads in it."""
        # the benchmark's own thread starts in the first iteration
        if threads_began and side in self._ran:
            if self.together:
                _set_free(self._processes.values())
            self.together = False
        self._ran.add(side)
        if self.together is None and len(self._ran) == len(self._processes) == _BOTH:
            self.together = _kept_together(self._processes.values(), self._benchmark, self._lane)


def _kept_together(processes: Iterable[int], benchmark: str, lane: int) -> bool:
    """Keep the thread that runs a benchmark on one processor, the same in all processes.

    It cannot be done where only one processor may be used, and on systems other than Linux.
    """
    if not hasattr(os, "sched_setaffinity"):
        return False
    usable = os.sched_getaffinity(0)
    threads = [_worker(process, benchmark) for process in processes]
    if len(usable) < _BOTH or not all(threads):
        return False
    processor = sorted(usable, reverse=True)[lane % len(usable)]
    for thread in filter(None, threads):
        _move(thread, {processor})
    return True


def _set_free(processes: Iterable[int]) -> None:
    for process in processes:
        for thread in _threads(process):
            _move(thread, os.sched_getaffinity(0))


def _worker(process: int, benchmark: str) -> int | None:
    """Return the benchmark's thread, if all other threads belong to the JVM."""
    threads = _threads(process)
    own = [thread for thread, name in threads.items() if _is_of(name, benchmark)]
    others = [
        name
        for thread, name in threads.items()
        if thread not in own and not name.startswith(_OF_JVM)
    ]
    return own[0] if len(own) == 1 and not others else None


def _is_of(name: str, benchmark: str) -> bool:
    """Tell whether a thread has the name that JMH gives to the benchmark's thread.

    Linux cuts off its end, and newer JVMs its middle.
    """
    whole = f"{benchmark}-jmh-worker-1"
    return name in (whole[:_LONGEST_NAME], f"{whole[:7]}..{whole[-6:]}")


def _threads(process: int) -> dict[int, str]:
    """Return the names of a process's threads, by their ids."""
    names = {}
    with suppress(OSError):  # it has ended
        for folder in Path("/proc", str(process), "task").iterdir():
            with suppress(OSError):
                names[int(folder.name)] = (folder / "comm").read_text("utf-8", "replace").rstrip()
    return names


def _move(thread: int, processors: set[int]) -> None:
    with suppress(OSError):  # it has ended
        os.sched_setaffinity(thread, processors)

"""The threads of two benchmarks on one processor, so that both have the same neighbours.

Two forks that take turns would otherwise stay on a processor each. One of these may be slower for
seconds, because another machine on the same hardware is busy. Only the thread that runs the
benchmark is kept there; the JVM compiles and collects wherever it likes.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_BOTH = 2

_LONGEST_NAME = 15
"""Linux keeps so many characters of a thread's name."""

_OF_JVM = (
    *("java", "VM ", "Reference Handl", "Finalizer", "Signal ", "Service Thread", "Monitor "),
    *("C1 ", "C2 ", "JVMCI", "Sweeper", "Notification", "Common-Cleaner", "GC ", "G1 ", "Attach"),
    *("ZWorker", "ZDirector", "ZStat", "ZDriver", "XDirector", "XStat", "XDriver", "XWorker"),
    *("Shenandoah", "Cleaner", "process reaper", "JFR ", "DestroyJavaVM", "Libgraal", "ZMajor"),
    *("ZMinor", "ZUnmapper", "XUnmapper", "Gang worker", "Concurrent Mark"),
)
"""How the names of threads begin that belong to the JVM, of HotSpot 8 to 25."""


class SharedProcessor:
    """The processor that two benchmarks in turn share, each in one thread.

    What runs in several threads needs several processors: a benchmark that has other threads than
    its own and the JVM's is left alone, and one that begins another thread is set free.

    Parameters
    ----------
    benchmark : str
        The name of both.
    """

    def __init__(self, benchmark: str) -> None:
        self._benchmark = benchmark
        self._processes: dict[int, int] = {}
        self._ran: set[int] = set()
        self.together: bool | None = None
        """Whether they are on one processor; None until both have run an iteration."""

    def comes(self, side: int, process: int) -> None:
        """Take note of the process of one of the two."""
        self._processes[side] = process

    def ran(self, side: int, *, threads_began: bool) -> None:
        """Take note that one of them has run an iteration, and whether threads began in it."""
        if threads_began and side in self._ran:  # the first iteration begins the benchmark's own
            if self.together:
                _set_free(self._processes.values())
            self.together = False
        self._ran.add(side)
        if self.together is None and len(self._ran) == len(self._processes) == _BOTH:
            self.together = _kept_together(self._processes.values(), self._benchmark)


def _kept_together(processes: Iterable[int], benchmark: str) -> bool:
    """Keep the thread that runs a benchmark on one processor, the same in all processes.

    It cannot be done where only one processor may be used, and on systems other than Linux.
    """
    if not hasattr(os, "sched_setaffinity"):
        return False
    usable = os.sched_getaffinity(0)
    threads = [_worker(process, benchmark) for process in processes]
    if len(usable) < _BOTH or not all(threads):
        return False
    for thread in filter(None, threads):
        _move(thread, {max(usable)})
    return True


def _set_free(processes: Iterable[int]) -> None:
    for process in processes:
        for thread in _threads(process):
            _move(thread, os.sched_getaffinity(0))


def _worker(process: int, benchmark: str) -> int | None:
    """Return the thread that runs the benchmark, if it is the only one beside those of the JVM."""
    threads = _threads(process)
    own = [thread for thread, name in threads.items() if _is_of(name, benchmark)]
    others = [
        name
        for thread, name in threads.items()
        if thread not in own and not name.startswith(_OF_JVM)
    ]
    return own[0] if len(own) == 1 and not others else None


def _is_of(name: str, benchmark: str) -> bool:
    """Tell whether a thread has the name that JMH gives to the one of a benchmark.

    It is cut off at its end, and by newer JVMs in its middle.
    """
    whole = f"{benchmark}-jmh-worker-1"
    return name in (whole[:_LONGEST_NAME], f"{whole[:7]}..{whole[-6:]}")


def _threads(process: int) -> dict[int, str]:
    """Return the names of a process's threads, by their numbers."""
    names = {}
    with suppress(OSError):  # it has ended
        for folder in Path("/proc", str(process), "task").iterdir():
            with suppress(OSError):
                names[int(folder.name)] = (folder / "comm").read_text("utf-8", "replace").rstrip()
    return names


def _move(thread: int, processors: set[int]) -> None:
    with suppress(OSError):  # it has ended
        os.sched_setaffinity(thread, processors)

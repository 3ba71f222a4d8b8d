"""Simultaneous pairs of interleaved forks: a thread and a processor for each.

Two threads of one core (simultaneous multithreading) slow each other down. Therefore the first
pairs run on different cores, and the compilers and garbage collectors of a pair's forks run beside
them.
"""

import os
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from steady.execution.processes import Group, kill_group

_Result = TypeVar("_Result")

_JOIN_SECONDS = 0.5
_BOTH = 2


def processors_by_core() -> tuple[int, ...]:
    """Return the available processors, highest first, one of each core before a second one.

    Empty if the system cannot pin a thread to a processor (other systems than Linux).
    """
    if not hasattr(os, "sched_setaffinity"):
        return ()
    taken: dict[str, int] = {}
    places = []
    for processor in sorted(os.sched_getaffinity(0), reverse=True):
        core = _core_of(processor)
        places.append((taken.get(core, 0), -processor))
        taken[core] = taken.get(core, 0) + 1
    return tuple(-processor for _, processor in sorted(places))


def _core_of(processor: int) -> str:
    path = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
    try:
        return path.read_text(encoding="ascii")
    except (OSError, ValueError):
        return str(processor)


@dataclass(eq=False)
class Lane:
    """The place of a pair of forks among simultaneous ones, and its programs.

    Parameters
    ----------
    number : int
        Number of the pair, from 0.
    count : int
        Number of simultaneous pairs.
    """

    number: int = 0
    count: int = 1
    _groups: list[Group] = field(default_factory=list, init=False)

    @property
    def processor(self) -> int | None:
        """The processor of the pair's single-threaded programs; None if there is only one."""
        every = processors_by_core()
        return every[self.number % len(every)] if len(every) >= _BOTH else None

    @property
    def processors(self) -> frozenset[int]:
        """All processors of the pair, different from those of other pairs if there are enough."""
        every = processors_by_core()
        return frozenset(every[self.number % len(every) :: self.count]) if every else frozenset()

    def add(self, group: Group) -> None:
        """Add a program that `kill` ends."""
        self._groups.append(group)

    def kill(self) -> None:
        """Kill the programs of the pair that are still alive."""
        for group in tuple(self._groups):
            if group.returncode is None:
                kill_group(group)


def run_simultaneously(
    tasks: Sequence[Callable[[], _Result]], kill: Callable[[], object]
) -> list[_Result]:
    """Run functions in threads, and return their results in order.

    Parameters
    ----------
    tasks : sequence of callable
        The functions. If one raises an exception, all are ended, and it is raised here.
    kill : callable
        Kills the programs for which the functions wait. It is called repeatedly until all functions
        have ended, also after Ctrl-C, which only reaches the main thread.
    """
    if len(tasks) == 1:
        return [tasks[0]()]
    returned: dict[int, _Result] = {}
    raised: list[BaseException] = []

    def run(number: int) -> None:
        try:
            returned[number] = tasks[number]()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(n,), daemon=True) for n in range(len(tasks))]
    try:
        for thread in threads:
            thread.start()
        while _any_alive(threads) and not raised:
            _join(threads, _JOIN_SECONDS)  # on Windows, Ctrl-C is handled between two calls
    finally:
        while _any_alive(threads):
            kill()  # again, since a function may have started a program meanwhile
            _join(threads, _JOIN_SECONDS / 10)
    if raised:
        raise raised[0]
    return [returned[number] for number in range(len(tasks))]


def _join(threads: Sequence[threading.Thread], seconds: float) -> None:
    for thread in threads:
        thread.join(seconds)


def _any_alive(threads: Sequence[threading.Thread]) -> bool:
    return any(thread.is_alive() for thread in threads)


def pin_program(group: Group, processors: Collection[int]) -> None:
    """Pin the threads of a running program to some processors; other systems than Linux do not.

    The program does not notice it, unlike one that is pinned at its start, which finds fewer
    processors.
    """
    if not processors or not hasattr(os, "sched_setaffinity"):
        return
    for process in [group.pid] if group.lifeline is None else _children(group.pid):
        for thread in threads_of(process):
            move_thread(thread, processors)


def _children(process: int) -> Sequence[int]:
    path = Path(f"/proc/{process}/task/{process}/children")
    with suppress(OSError):  # it has ended
        return tuple(map(int, path.read_text(encoding="ascii").split()))
    return ()


def threads_of(process: int) -> dict[int, str]:
    """Return the names of the threads of a process, by thread id."""
    names = {}
    with suppress(OSError):  # the process has ended
        for folder in Path("/proc", str(process), "task").iterdir():
            with suppress(OSError):
                names[int(folder.name)] = (folder / "comm").read_text("utf-8", "replace").rstrip()
    return names


def move_thread(thread: int, processors: Iterable[int]) -> None:
    """Pin a thread to some processors."""
    with suppress(OSError):  # the thread has ended
        os.sched_setaffinity(thread, processors)

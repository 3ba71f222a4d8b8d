"""Build the library ``clock_turns.c``, and share a page of memory with it for the turns."""

import mmap
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from struct import Struct

from steady.programs.process import NotInTurnError
from steady.text.escape import visible

TURNS = Path(__file__).with_name("clock_turns.c")
_BUILDING_SECONDS = 60.0
_HEAD = Struct("=IIq")
_SIDE = Struct("=8q")
_LEFT = 5
"""Index of a side's word for its end."""


@dataclass(frozen=True, slots=True)
class SideTurns:
    """The state of one side, as the page records it.

    Parameters
    ----------
    away_seconds : float
        Time in which the other side had the turn.
    turns : int
        Number of times that it handed over.
    busy_seconds : float
        Processor time that it used meanwhile, in threads that do not read the clock.
    here : bool
        Whether one of its processes has loaded the library.
    place : int
        Number of the benchmark that it has arrived at, from 1; 0 before the first one.
    arrived : float
        Monotonic time of its arrival there, minus the time in which the other side had the turn.
    """

    away_seconds: float
    turns: int
    busy_seconds: float
    here: bool
    place: int = 0
    arrived: float = 0.0


class ClockPage:
    """A page that both sides map.

    Parameters
    ----------
    memory : mmap.mmap
        The file's memory.
    processor : int, optional
        The processor on which both sides run while they are single-threaded.
    """

    def __init__(self, memory: mmap.mmap, processor: int | None = None) -> None:
        self._memory = memory
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        # The first side starts first, and is away until the second one is loaded and hands over.
        _HEAD.pack_into(memory, 0, 1, 0 if processor is None else processor + 1, now)
        for side in range(2):
            _SIDE.pack_into(memory, _start(side), 0, now, 0, 0, 0, 0, 0, 0)
        self._began = now

    def leave(self, side: int) -> None:
        """Record that all processes of a side have ended."""
        at = _start(side) + 8 * _LEFT
        self._memory[at : at + 8] = (1).to_bytes(8, "little")

    @property
    def unaccounted_share(self) -> float:
        """Relative difference between the elapsed time and the recorded time of absence."""
        passed = (time.clock_gettime_ns(time.CLOCK_MONOTONIC) - self._began) / 1e9
        away = sum(self.side(side).away_seconds for side in range(2))
        return abs(passed - away) / passed

    def side(self, side: int) -> SideTurns:
        """Return the state of a side."""
        turn, _, _ = _HEAD.unpack_from(self._memory, 0)
        words = _SIDE.unpack_from(self._memory, _start(side))
        away, since, turns, busy, here, _, place, arrived = words
        if turn == 1 - side:
            away += time.clock_gettime_ns(time.CLOCK_MONOTONIC) - since
        return SideTurns(away / 1e9, turns, busy / 1e9, bool(here), place, arrived / 1e9)


@contextmanager
def clock_page(path: Path, processor: int | None = None) -> Iterator[ClockPage]:
    """Create a page in a new file that only this user can open; see `ClockPage`."""
    size = mmap.PAGESIZE
    path.touch(mode=0o600)
    with path.open("r+b") as file:
        file.truncate(size)
        with mmap.mmap(file.fileno(), size) as memory:
            yield ClockPage(memory, processor)


def _start(side: int) -> int:
    return _HEAD.size + side * _SIDE.size


def built_library(folder: Path, source: Path = TURNS, use: str = "interleaved programs") -> Path:
    """Build a library, by default the one that interleaves two programs.

    Parameters
    ----------
    folder : Path
        Folder for the library.
    source : Path
        Its source.
    use : str
        Its purpose, in the plural, for messages.

    Raises
    ------
    NotInTurnError
        If this is not Linux, or the build fails, for instance without a C compiler.
    """
    if sys.platform != "linux":
        raise NotInTurnError(f"{use} need Linux")
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(compiler[0]) is None:
        raise NotInTurnError(
            f"{use} need a C compiler, and {visible(compiler[0])} was not found; install gcc or "
            "clang"
        )
    library = folder / f"{source.stem}.so"
    options = ("-O2", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl")
    try:
        built = subprocess.run(  # noqa: S603 - the user's own compiler
            [*compiler, *options],
            capture_output=True,
            text=True,
            timeout=_BUILDING_SECONDS,
            check=False,
        )
        problem = "" if built.returncode == 0 else built.stderr.strip().partition("\n")[0]
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = str(error)
    if problem or not library.is_file():
        raise NotInTurnError(f"{use} could not be built: {visible(problem)}")
    return library

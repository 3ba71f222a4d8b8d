"""The library ``clock_turns.c``, built where it is used, and the page by which it takes turns."""

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

from steady.programs.turn_session import NotInTurnError
from steady.text.escape import visible

TURNS = Path(__file__).with_name("clock_turns.c")
_BUILDING_SECONDS = 60.0
_HEAD = Struct("=IIq")
_SIDE = Struct("=6q")
_LEFT = 5
"""The place of the last of a side's words."""


@dataclass(frozen=True, slots=True)
class SideTurns:
    """What the page says of one side.

    Parameters
    ----------
    away_seconds : float
        How long the other side has had the turn.
    turns : int
        How often it handed over.
    busy_seconds : float
        For how long its processors worked meanwhile: threads that do not ask the clock.
    here : bool
        Whether one of its processes has the library.
    """

    away_seconds: float
    turns: int
    busy_seconds: float
    here: bool


class ClockPage:
    """A page that both sides map.

    Parameters
    ----------
    memory : mmap.mmap
        The file's memory.
    processor : int, optional
        On which both sides work, as far as they are single threads.
    """

    def __init__(self, memory: mmap.mmap, processor: int | None = None) -> None:
        self._memory = memory
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        # The first one, which starts first, is away until the second one is there and hands over.
        _HEAD.pack_into(memory, 0, 1, 0 if processor is None else processor + 1, now)
        for side in range(2):
            _SIDE.pack_into(memory, _start(side), 0, now, 0, 0, 0, 0)
        self._began = now

    def leave(self, side: int) -> None:
        """Say that all processes of a side have ended."""
        at = _start(side) + 8 * _LEFT
        self._memory[at : at + 8] = (1).to_bytes(8, "little")

    @property
    def unaccounted_share(self) -> float:
        """Which part of its time the page does not explain: one side is away at any moment."""
        passed = (time.clock_gettime_ns(time.CLOCK_MONOTONIC) - self._began) / 1e9
        away = sum(self.side(side).away_seconds for side in range(2))
        return abs(passed - away) / passed

    def side(self, side: int) -> SideTurns:
        """Return what the page says of a side."""
        turn, _, _ = _HEAD.unpack_from(self._memory, 0)
        away, since, turns, busy, here, _ = _SIDE.unpack_from(self._memory, _start(side))
        if turn == 1 - side:
            away += time.clock_gettime_ns(time.CLOCK_MONOTONIC) - since
        return SideTurns(away / 1e9, turns, busy / 1e9, bool(here))


@contextmanager
def clock_page(path: Path, processor: int | None = None) -> Iterator[ClockPage]:
    """Make a page as a new file, which only this user can open; see `ClockPage`."""
    size = mmap.PAGESIZE
    path.touch(mode=0o600)
    with path.open("r+b") as file:
        file.truncate(size)
        with mmap.mmap(file.fileno(), size) as memory:
            yield ClockPage(memory, processor)


def _start(side: int) -> int:
    return _HEAD.size + side * _SIDE.size


def built_library(folder: Path, source: Path = TURNS, use: str = "turns by the clock") -> Path:
    """Build a library, if nothing else is said the one that hands over by the clock.

    Parameters
    ----------
    folder : Path
        Where it is written.
    source : Path
        What it is built of.
    use : str
        What needs it, in the plural, for messages.

    Raises
    ------
    NotInTurnError
        If this is no Linux, or no compiler of C is there.
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

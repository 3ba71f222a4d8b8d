"""One process that reads inputs, each within limits of time and memory."""

from __future__ import annotations

import resource
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from random import Random
from types import FrameType

import steady
from tests.fuzz.mutation import mutate
from tests.fuzz.targets import Target, targets

SECONDS = 5.0
"""Processor time that an input may take."""

MEMORY = 2**30
"""Bytes that an input may take beyond what the process has before the first."""

READY = "ready"
"""What a worker says before its first input."""

_GIT_SETTINGS = (Path(steady.__file__).parent, Path(__file__).parent)
_BATCH = 20


@dataclass(frozen=True)
class Finding:
    """An input that steady did not take as it should.

    Parameters
    ----------
    target : str
        What read it.
    number : int
        Of the input: with the seed it says which.
    kind : str
        The exception; ``slow``; ``ended`` where it took the process with it.
    place : str
        Line of the product, or of the check, where it was raised.
    text : str
        The traceback, or what it took.
    """

    target: str
    number: int
    kind: str
    place: str
    text: str


@dataclass(frozen=True)
class Counted:
    """A number of inputs of a target, up to and without `following`, that were read.

    `memory` is the most that one of them took beyond what the process had before it, in bytes.
    """

    target: str
    inputs: int
    following: int
    memory: int = 0


class TooSlowError(BaseException):
    """Raised in an input that takes too long; no handler of the product's takes it."""


def make_input(target: Target, seed: int, number: int) -> bytes:
    """Return one input of a target: the same arguments, the same bytes."""
    return mutate(Random(f"{seed}:{target.name}:{number}"), target.seeds, target.shape)


def try_input(target: Target, data: bytes, number: int = 0) -> Finding | None:
    """Let a target read an input; None where it did as it should."""
    with tempfile.TemporaryDirectory(prefix="steady-fuzz-") as folder:
        try:
            with _limit_of_time(), warnings.catch_warnings(action="error"):
                target.read(data, Path(folder))
        except TooSlowError as error:
            text = f"more than {SECONDS:g} s of processor time\n{traceback.format_exc(limit=-12)}"
            return Finding(target.name, number, "slow", _place(error), text)
        except Exception as error:
            text = traceback.format_exc(limit=-12)
            return Finding(target.name, number, type(error).__name__, _place(error), text)
    return None


@contextmanager
def _limit_of_time() -> Iterator[None]:
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _stop(signal_number: int, frame: FrameType | None) -> None:
    raise TooSlowError


def _place(error: BaseException) -> str:
    """Return the innermost line of ours in a traceback, to tell one defect from another."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [
        f
        for f in frames
        if any(Path(f.filename).is_relative_to(folder) for folder in _GIT_SETTINGS)
    ]
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""


def work(
    connection: Connection,
    here: Synchronized[int],
    starts: Mapping[str, int],
    seed: int,
    step: int,
) -> None:
    """Read every `step`-th input of each target, until the driver ends this process.

    All targets get the same processor time. The driver gets each `Finding`, and `Counted` after
    each batch; `here` holds the number of the input that is being read.

    Parameters
    ----------
    connection : Connection
        To the driver.
    here : Synchronized of int
        Shared with the driver: ``number * (number of targets) + index of the target``.
    starts : mapping of str to int
        The first input of each target.
    seed, step : int
        Of all inputs; how many workers share them.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver's affair
    chosen = [targets()[name] for name in starts]
    for target in chosen:
        read_seeds(target)
    _limit_memory()
    following, spent = dict(starts), dict.fromkeys(starts, 0.0)
    connection.send(READY)
    while True:
        index = min(range(len(chosen)), key=lambda i: spent[chosen[i].name])
        target = chosen[index]
        began, memory = time.process_time(), 0
        for _ in range(_BATCH):
            number = following[target.name]
            here.value = number * len(chosen) + index
            before = _forget_peak()
            finding = try_input(target, make_input(target, seed, number), number)
            memory = max(memory, peak() - before)
            if finding is not None:
                connection.send(finding)
            following[target.name] += step
        spent[target.name] += time.process_time() - began
        connection.send(Counted(target.name, _BATCH, following[target.name], memory))


def read_seeds(target: Target) -> None:
    """Read the seeds once: what is imported and compiled at first is not an input's own cost."""
    for seed in target.seeds:
        with tempfile.TemporaryDirectory(prefix="steady-fuzz-") as folder:
            target.read(seed, Path(folder))


def peak() -> int:
    """Return the most memory that this process has had, in bytes; on Linux, which says so."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.is_file() else []
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def _forget_peak() -> int:
    """Let `peak` begin with what the process has now, and return that."""
    forget = Path("/proc/self/clear_refs")
    if forget.is_file():
        with suppress(OSError):  # a container may forbid it: then the peak is of all inputs
            forget.write_text("5", encoding="ascii")
    return peak()


def _limit_memory() -> None:
    """Let the system refuse more, on Linux, which says what the process has by now."""
    sizes = Path("/proc/self/statm")
    if sizes.is_file():
        most = int(sizes.read_text().split()[0]) * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

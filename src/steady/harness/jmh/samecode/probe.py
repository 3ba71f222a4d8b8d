"""Short forks that only show which classes a benchmark loads, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue

from steady.harness.jmh.run.forks_in_turn import together
from steady.harness.jmh.run.side import JmhSide
from steady.harness.trial import SINGLE_SHOT, Trial, TrialError
from steady.model import ExecutionConfiguration, Identity
from steady.parallel import available_processors

ITERATION_SECONDS = 0.05
"""One operation is enough; one that takes longer is not cut off."""

_LIMIT_SECONDS = 60.0
_MOST_AT_ONCE = 4


def probe(
    side_of: Callable[[Path], JmhSide],
    identities: Sequence[Identity],
    scratch: Path,
    seconds: float = ITERATION_SECONDS,
) -> None:
    """Run one short iteration of each benchmark, whose classes are logged.

    Parameters
    ----------
    side_of : callable
        Given a folder, returns what runs forks there.
    identities : sequence of Identity
        The benchmarks.
    scratch : Path
        A folder for its own use.
    seconds : float
        Of the iteration.
    """
    at_once = min(_MOST_AT_ONCE, available_processors(), len(identities))
    sides = [side_of(scratch / str(number)) for number in range(at_once)]
    left: SimpleQueue[Identity] = SimpleQueue()
    for identity in identities:
        left.put(identity)

    def work(side: JmhSide) -> None:
        while True:
            try:
                _run(side, left.get_nowait(), seconds)
            except Empty:
                return

    def stop() -> None:
        while not left.empty():
            left.get_nowait()
        for side in sides:
            side.kill()

    with ExitStack() as stack:
        for side in sides:
            stack.callback(side.close)
        together([partial(work, side) for side in sides], stop)


def _run(side: JmhSide, identity: Identity, seconds: float) -> None:
    seconds = 0.0 if identity.mode == SINGLE_SHOT else seconds
    configuration = ExecutionConfiguration(1, 0, 1, seconds, seconds)
    trial = Trial(0, 0, "base", identity, configuration, 1.0, _LIMIT_SECONDS)
    try:
        side.run(trial)
    except TrialError:
        return  # what it loads stays unknown, and it is measured

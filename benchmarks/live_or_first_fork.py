"""Compare two ways to find a warm-up without a plan, on the demo's recorded full run.

Live: each fork is judged while it runs. First fork: the warm-up that a detector finds in the first
fork of a benchmark is used for all its other forks. For each way, the number of iterations per fork
is printed, and the deviation of the measured median from that of the fork's last twenty iterations.

::

    python benchmarks/live_or_first_fork.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from steady.demo import recording
from steady.execution.live_stop import LiveStop, StopRule
from steady.model import ExecutionConfiguration, FloatArray
from steady.readers import load
from steady.steadystate import detect

LONGEST_WARMUP, MEASURED, LAST = 20, 10, 20
BOUND = ExecutionConfiguration(1, LONGEST_WARMUP, MEASURED, 0.1, 0.1)

Kept = tuple[int, int]
"""Number of warm-up iterations of a fork, and of all its iterations."""


def live(forks: FloatArray, method: str) -> Iterator[tuple[FloatArray, Kept]]:
    """Judge each fork except the first one while it runs."""
    for fork in forks[1:]:
        stop = LiveStop(StopRule(method), BOUND)
        for time in fork.tolist():
            stop.feed(time)
        assert stop.stopped is not None
        yield fork, (stop.stopped.warmup, stop.stopped.warmup + stop.stopped.iterations)


def first_fork(forks: FloatArray, method: str) -> Iterator[tuple[FloatArray, Kept]]:
    """Use the warm-up of the first fork for all others."""
    start = detect(forks[0], method).start
    warmup = LONGEST_WARMUP if start is None else min(start, LONGEST_WARMUP)
    for fork in forks[1:]:
        yield fork, (warmup, warmup + MEASURED)


def described(name: str, kept: Sequence[tuple[FloatArray, Kept]]) -> str:
    """Return a line of the table."""
    totals = [end for _, (_, end) in kept]
    errors = [
        abs(np.log(np.median(fork[start:end]) / np.median(fork[-LAST:])))
        for fork, (start, end) in kept
    ]
    middle, late = np.quantile(errors, [0.5, 0.9])
    return f"{name:26}{np.mean(totals):12.1f}{middle:12.3f}{late:12.3f}"


def main() -> None:
    """Print the table."""
    with recording() as files:
        series = [benchmark.fork_times for benchmark in load([files.full]).values()]
    print(f"{'':26}{'iterations':>12}{'off, median':>12}{'90 %':>12}")
    for method in ("laaber-cv", "laaber-rciw", "laaber-kld", "georges"):
        print(
            described(f"live, {method}", [one for forks in series for one in live(forks, method)])
        )
    for method in ("kb-kssd", "onset"):
        kept = [one for forks in series for one in first_fork(forks, method)]
        print(described(f"first fork, {method}", kept))


if __name__ == "__main__":
    main()

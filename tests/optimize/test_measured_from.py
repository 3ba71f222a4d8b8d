"""The start of a plan's measurement in the full run, derived from its configuration."""

import numpy as np

from steady.model import Benchmark, ExecutionConfiguration, Identity, Level
from steady.optimize.entries import measured_from
from steady.plan.suite_plan import BenchmarkPlan
from tests.looped import looped

LEVELS = (Level("fork"), Level("iteration"))


@looped(
    ("full_warmup", "recorded", "seconds", "planned", "start"),
    [
        (0, 0, (1.0, 1.0), 8, 8),  # -wi 0: all warm-up is recorded
        (5, 0, (1.0, 1.0), 5, 0),  # none of the harness's warm-up is recorded
        (5, 0, (1.0, 1.0), 12, 7),
        (5, 5, (1.0, 1.0), 12, 12),  # all of it is
        (5, 5, (1.0, 1.0), 3, 3),
        (5, 2, (1.0, 1.0), 7, 4),
        (5, 5, (2.0, 1.0), 8, 11),  # 3 more iterations of 2 s are 6 measured ones
        (5, 5, (1.0, 2.0), 9, 7),
        (5, 0, (1.0, 0.0), 9, 4),  # single shots
    ],
)
def test_it_is_counted_in_recorded_iterations(
    full_warmup: int, recorded: int, seconds: tuple[float, float], planned: int, start: int
) -> None:
    identity = Identity("a")
    benchmark = Benchmark(identity, "ns/op", np.ones((3, 40)), LEVELS, warmup=recorded)
    full, run = (
        ExecutionConfiguration(3, warmup, 20, *seconds) for warmup in (full_warmup, planned)
    )
    entry = BenchmarkPlan(identity, run, full, 1.0, 2.0, "reduced", "")
    assert measured_from(entry, benchmark) == start

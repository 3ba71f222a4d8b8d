"""Plans of benchmarks, as the tests of a harness's configuration write them."""

from steady.model import ExecutionConfiguration, Identity
from steady.plan.suite_plan import BenchmarkPlan

SMALL = ExecutionConfiguration(1, 2, 3, 0.1, 0.2)


def planned_as(identity: Identity, configuration: ExecutionConfiguration = SMALL) -> BenchmarkPlan:
    """Return the plan of a benchmark."""
    return BenchmarkPlan(identity, configuration, configuration, 1.0, 2.0, "reduced", "")


def planned(
    name: str,
    configuration: ExecutionConfiguration = SMALL,
    mode: str = "avgt",
    threads: int = 1,
    **params: str,
) -> BenchmarkPlan:
    """Return the plan of a benchmark with these parameters."""
    identity = Identity(name, mode, tuple(sorted(params.items())), threads)
    return planned_as(identity, configuration)

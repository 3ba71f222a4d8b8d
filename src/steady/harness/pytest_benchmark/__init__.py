"""pytest-benchmark: its results, and its benchmarks interleaved by the clock."""

from steady.harness import contract
from steady.registry import OnRequest

_SOURCE = "pytest-benchmark 5.3: stats.py, session.py"
_FORMAT = "pytest-benchmark's JSON (--benchmark-json)"

PYTEST_BENCHMARK = contract.Harness(
    "pytest-benchmark",
    "pytest-benchmark",
    "pytest-benchmark, from check-outs",
    _SOURCE,
    fork="process",
    forks="processes",
    formats=(contract.format_in("pytest_benchmark.results", "pytest-benchmark", _FORMAT, _SOURCE),),
    running=contract.only_by_command("pytest_benchmark.kind", ("allocations", "instructions")),
    building=contract.Building(
        target="a check-out in which pytest runs", usual=".", words=("pytest",)
    ),
    cost=contract.HarnessCost(fork_seconds=1.0, between_runs=1.0),
    score=contract.Score("pytest-benchmark's mean of all rounds", "mean"),
    # Less than the smallest Python object; a call of an empty function takes 1,000 instructions.
    counts=(
        contract.CountMetric("allocations", "B", 16.0),
        contract.CountMetric("instructions", "instr/op", 100.0),
    ),
    same_code=OnRequest("steady.programs.same_python:python_builds"),
)
"""pytest-benchmark, the entry of `steady.harnesses.HARNESSES`."""

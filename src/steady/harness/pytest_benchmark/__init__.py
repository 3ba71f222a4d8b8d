"""pytest-benchmark: its results, and its benchmarks in turn by the clock."""

from __future__ import annotations

from steady.harness.contract import (
    Building,
    CountMetric,
    Format,
    Harness,
    HarnessCost,
    Running,
    SameCodeSearch,
    Score,
)
from steady.registry import OnRequest, Registered

_SOURCE = "pytest-benchmark 5.3: stats.py, session.py"

PYTEST_BENCHMARK = Harness(
    "pytest-benchmark",
    "pytest-benchmark",
    "pytest-benchmark, from check-outs",
    _SOURCE,
    fork="process",
    forks="processes",
    formats=(
        Registered(
            "pytest-benchmark",
            "pytest-benchmark's JSON (--benchmark-json)",
            _SOURCE,
            Format(
                OnRequest("steady.harness.pytest_benchmark.results:recognizes"),
                OnRequest("steady.harness.pytest_benchmark.results:read"),
            ),
        ),
    ),
    running=Running(
        OnRequest("steady.programs.program_runs:holds_nothing"),
        OnRequest("steady.harness.pytest_benchmark.kind:pytest_runs"),
        takes=OnRequest("steady.harness.pytest_benchmark.kind:takes"),
        counts=("allocations", "instructions"),
    ),
    building=Building(target="a check-out in which pytest runs", usual=".", words=("pytest",)),
    cost=HarnessCost(fork_seconds=1.0, between_runs=1.0),
    # Less than the smallest object of Python; a call of an empty function has 1,000.
    counts=(
        CountMetric("allocations", "B", 16.0),
        CountMetric("instructions", "instr/op", 100.0),
    ),
    score=Score("pytest-benchmark's mean of all rounds", "mean"),
    same_code=SameCodeSearch(OnRequest("steady.programs.same_python:python_builds")),
)
"""pytest-benchmark, as `steady.harness.HARNESSES` has it."""

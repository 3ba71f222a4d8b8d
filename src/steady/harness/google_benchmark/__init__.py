"""Google Benchmark: its results, and its programs in turn by the clock."""

from __future__ import annotations

from steady.harness.contract import (
    Building,
    Configuring,
    CountMetric,
    Format,
    Harness,
    HarnessCost,
    Running,
    SameCodeSearch,
    Score,
)
from steady.registry import OnRequest, Registered

_SOURCE = "Google Benchmark 1.7: docs/user_guide.md, src/json_reporter.cc"

GOOGLE_BENCHMARK = Harness(
    "google-benchmark",
    "Google Benchmark",
    "Google Benchmark, from programs",
    _SOURCE,
    fork="process",
    forks="processes",
    formats=(
        Registered(
            "google-benchmark",
            "Google Benchmark's JSON (--benchmark_out)",
            _SOURCE,
            Format(
                OnRequest("steady.harness.google_benchmark.results:recognizes"),
                OnRequest("steady.harness.google_benchmark.results:read"),
            ),
        ),
    ),
    running=Running(
        OnRequest("steady.harness.google_benchmark.kind:holds"),
        OnRequest("steady.harness.google_benchmark.kind:google_runs"),
        takes=OnRequest("steady.harness.google_benchmark.kind:takes"),
    ),
    configuring=Configuring(
        "the options of the program for each benchmark",
        "Google Benchmark 1.7: docs/user_guide.md",
        OnRequest("steady.harness.google_benchmark.options:render_google"),
        ("google-benchmark.txt",),
    ),
    building=Building(
        target="a program that is linked with Google Benchmark",
        usual="build/benchmarks",
        empty="`build/benchmarks --benchmark_list_tests` shows which benchmarks it holds",
    ),
    cost=HarnessCost(fork_seconds=0.1, between_runs=1.0),
    score=Score("Google Benchmark's mean of all repetitions", "mean"),
    # Half an allocation: what the code reports by benchmark::RegisterMemoryManager.
    counts=(
        CountMetric("allocs_per_iter", "allocs/op", 0.5),
        CountMetric("max_bytes_used", "B", 16.0),
    ),
    same_code=SameCodeSearch(OnRequest("steady.harness.google_benchmark.samecode:google_builds")),
)
"""Google Benchmark, as `steady.harness.HARNESSES` has it."""

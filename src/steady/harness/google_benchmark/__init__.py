"""Google Benchmark: its results, and its programs in turn by the clock."""

from __future__ import annotations

from steady.harness.contract import Building, Format, Harness, HarnessCost, Running, Score
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
    building=Building(target="a program that is linked with Google Benchmark"),
    cost=HarnessCost(fork_seconds=0.1, between_runs=1.0),
    score=Score("Google Benchmark's mean of all repetitions", "mean"),
)
"""Google Benchmark, as `steady.harness.HARNESSES` has it."""

"""Google Benchmark: its results, and clock-based interleaving of its programs."""

from steady.harness import contract
from steady.registry import OnRequest

_SOURCE = "Google Benchmark 1.7: docs/user_guide.md, src/json_reporter.cc"
_FORMAT = "Google Benchmark's JSON (--benchmark_out)"

GOOGLE_BENCHMARK = contract.Harness(
    "google-benchmark",
    "Google Benchmark",
    "Google Benchmark, from programs",
    _SOURCE,
    fork="process",
    forks="processes",
    formats=(contract.format_in("google_benchmark.results", "google-benchmark", _FORMAT, _SOURCE),),
    running=contract.Running(
        OnRequest("steady.harness.google_benchmark.kind:holds"),
        OnRequest("steady.harness.google_benchmark.kind:make_runs"),
        takes=OnRequest("steady.harness.google_benchmark.kind:takes"),
    ),
    configuring=contract.Configuring(
        "the options of the program for each benchmark",
        "Google Benchmark 1.7: docs/user_guide.md",
        OnRequest("steady.harness.google_benchmark.kind:OPTIONS"),
        ("google-benchmark.txt",),
    ),
    building=contract.Building(
        target="a program that is linked with Google Benchmark",
        usual="build/benchmarks",
        empty="`build/benchmarks --benchmark_list_tests` lists its benchmarks",
    ),
    cost=contract.HarnessCost(fork_seconds=0.1, between_runs=1.0),
    score=contract.Score("Google Benchmark's mean of all repetitions", "mean"),
    # Half an allocation; reported by the code with benchmark::RegisterMemoryManager.
    counts=(
        contract.CountMetric("allocs_per_iter", "allocs/op", 0.5),
        contract.CountMetric("max_bytes_used", "B", 16.0),
    ),
    same_code=OnRequest("steady.programs.same_program:program_builds"),
)
"""Google Benchmark, the entry of `steady.harnesses.HARNESSES`."""

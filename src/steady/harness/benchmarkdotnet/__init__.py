"""BenchmarkDotNet: its results, and the command lines for a plan."""

from steady.harness.contract import Configuring, CountMetric, Harness, format_in
from steady.registry import OnRequest

_SOURCE = "BenchmarkDotNet 0.16: Exporters/Json/JsonExporterBase.cs, CommandLineOptions.cs"

BENCHMARKDOTNET = Harness(
    "benchmarkdotnet",
    "BenchmarkDotNet",
    "BenchmarkDotNet, from its results",
    _SOURCE,
    fork="launch",
    forks="launches",
    formats=(
        format_in(
            "benchmarkdotnet.files",
            "benchmarkdotnet",
            "BenchmarkDotNet's JSON (--exporters fulljson)",
            _SOURCE,
            files="results/*-report-full*.json",
        ),
    ),
    configuring=Configuring(
        "BenchmarkDotNet's command line for each benchmark",
        _SOURCE,
        OnRequest("steady.harness.benchmarkdotnet.files:OPTIONS"),
        ("benchmarkdotnet.txt",),
    ),
    renames=OnRequest("steady.harness.benchmarkdotnet.files:renames"),
    counts=(CountMetric("BytesAllocatedPerOperation", "B/op", least=1.0),),
)
"""BenchmarkDotNet, the entry of `steady.harnesses.HARNESSES`."""

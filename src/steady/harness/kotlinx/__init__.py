"""kotlinx-benchmark: results of every target, and a plan as configurations in Gradle."""

from steady.harness.contract import Configuring, Harness, format_in
from steady.registry import OnRequest

_SOURCE = "kotlinx-benchmark 0.4.17: BenchmarkReportFormatter.kt, BenchmarkConfiguration.kt"

KOTLINX = Harness(
    "kotlinx-benchmark",
    "kotlinx-benchmark",
    "kotlinx-benchmark, from its results",
    _SOURCE,
    formats=(
        format_in(
            "kotlinx.files",
            "kotlinx-benchmark",
            "kotlinx-benchmark's JSON of native, JS and Wasm; if it is named, of JVM too",
            _SOURCE,
        ),
    ),
    configuring=Configuring(
        "kotlinx-benchmark's configurations for a build file of Gradle",
        _SOURCE,
        OnRequest("steady.harness.kotlinx.files:CONFIGURATIONS"),
        ("kotlinx-benchmark.gradle.kts",),
    ),
)
"""kotlinx-benchmark, the entry of `steady.harnesses.HARNESSES`."""

"""Go: its results, its test binaries, its command lines, and the same code in two builds."""

from __future__ import annotations

from steady.harness.contract import Format, Harness, Running, SameCodeSearch
from steady.registry import OnRequest, Registered

GO = Harness(
    "go",
    "Go",
    "Go, from test binaries (go test -c)",
    "Go 1.26, package testing",
    formats=(
        Registered(
            "go",
            "Go's benchmark output (go test -bench), and the files that benchstat reads",
            "Go 1.26, package testing; golang.org/design/14313-benchmark-format",
            Format(
                OnRequest("steady.harness.go.read.benchmark_format:recognizes"),
                OnRequest("steady.harness.go.read.benchmark_format:read"),
            ),
        ),
    ),
    running=Running(
        OnRequest("steady.harness.go.run.test_binaries:holds_binaries"),
        OnRequest("steady.harness.go.run.runs:go_runs"),
    ),
    configuring=Registered(
        "go",
        "the command line of go test for each benchmark",
        "Go 1.26, package testing: match.go, benchmark.go",
        OnRequest("steady.harness.go.configure.command_lines:render_go"),
    ),
    same_code=SameCodeSearch(OnRequest("steady.harness.go.samecode.same_packages:go_builds")),
)
"""Go, as `steady.harness.HARNESSES` has it."""

"""Go: results, test binaries, command lines, and identical code paths in two builds."""

from steady.harness import contract
from steady.registry import OnRequest, Registered

_OUTPUT = Registered(
    "go",
    "Go's benchmark output (go test -bench), and the files that benchstat reads",
    "Go 1.26, package testing; golang.org/design/14313-benchmark-format",
    contract.Format(
        OnRequest("steady.harness.go.read.benchmark_format:recognizes"),
        OnRequest("steady.harness.go.read.benchmark_format:read"),
        begins=OnRequest("steady.harness.go.read.benchmark_format:begins"),
    ),
)

_BUILDING = contract.Building(
    {"go.mod": "go test -c -o benchmarks/ ./..."},
    target="a folder of Go's test binaries",
    empty="`go test -list ^Benchmark ./...` shows which packages of a module contain benchmarks",
    built=OnRequest("steady.harness.go.run.test_binaries:built_folders"),
    lacking=OnRequest("steady.harness.go.run.test_binaries:lacking"),
    layouts="link base and head with several function layouts (-randlayout, docs/layouts.md) to "
    "include its effect in the confidence intervals",
)

_COST = contract.HarnessCost(
    # The start of a test binary, rounded up (docs/go.md).
    fork_seconds=0.05,
    # 0.63 and 1.42 in two Go projects, with each run on a different machine.
    between_runs=1.0,
    timed=False,
    lasting=OnRequest("steady.harness.go.test_flags:measurement_seconds"),
)

GO = contract.Harness(
    "go",
    "Go",
    "Go, from test binaries (go test -c)",
    "Go 1.26, package testing",
    fork="process",
    forks="processes",
    formats=(_OUTPUT,),
    running=contract.Running(
        OnRequest("steady.harness.go.run.test_binaries:holds_binaries"),
        OnRequest("steady.harness.go.run.go_runs:go_runs"),
    ),
    configuring=contract.Configuring(
        "the command line of go test for each benchmark",
        "Go 1.26, package testing: match.go, benchmark.go",
        OnRequest("steady.harness.go.test_flags:COMMANDS"),
        ("go-test.txt",),
    ),
    building=_BUILDING,
    cost=_COST,
    score=contract.Score("benchstat's value, the median of all results,", "median"),
    # Half an allocation, and one byte: even the smallest object, allocated in every eighth
    # operation, takes more.
    counts=(
        contract.CountMetric("B/op", "B/op", least=1.0),
        contract.CountMetric("allocs/op", "allocs/op", 0.5),
    ),
    own_pattern=OnRequest("steady.harness.go.bench_pattern:matching"),
    renames=OnRequest("steady.harness.go.read.processors:renames"),
    same_code=OnRequest("steady.harness.go.samecode.decide:go_builds"),
)
"""The entry for Go in `steady.harnesses.HARNESSES`."""

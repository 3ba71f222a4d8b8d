"""tinybench and ``vitest bench``: their results, and their benchmarks in turn by the clock."""

from __future__ import annotations

from steady.harness.contract import Building, Format, Harness, HarnessCost, Running, Score
from steady.registry import OnRequest, Registered

_SOURCE = "tinybench 2.9 to 6.2: src/task.ts; vitest 4.1 and 5.1: reporters"


def _format(name: str, summary: str) -> Registered[Format]:
    module = "steady.harness.tinybench.results"
    function = name.replace("-", "_")
    recognizes = OnRequest(f"{module}:recognizes_{function}")
    return Registered(
        name, summary, _SOURCE, Format(recognizes, OnRequest(f"{module}:read_{function}"))
    )


TINYBENCH = Harness(
    "tinybench",
    "tinybench",
    "tinybench and vitest bench, from check-outs",
    _SOURCE,
    fork="process",
    forks="processes",
    formats=(
        _format("tinybench", "results of tinybench as JSON"),
        _format("tinybench-vitest", "JSON of vitest bench (--outputJson, or --reporter=json)"),
    ),
    running=Running(
        OnRequest("steady.programs.program_runs:holds_nothing"),
        OnRequest("steady.harness.tinybench.kind:tinybench_runs"),
        takes=OnRequest("steady.harness.tinybench.kind:takes"),
    ),
    building=Building(
        target="a check-out in which node runs", usual=".", words=("npx", "vitest", "bench")
    ),
    cost=HarnessCost(fork_seconds=0.5, between_runs=1.0),
    score=Score("tinybench's mean of all samples", "mean"),
)
"""tinybench, as `steady.harness.HARNESSES` has it."""

"""tinybench and ``vitest bench``: results, and clock-based interleaving of benchmarks."""

from steady.harness import contract
from steady.registry import OnRequest

_SOURCE = "tinybench 2.9 to 6.2: src/task.ts; vitest 4.1 and 5.1: reporters"
_RESULTS = "tinybench.results"
_VITEST = "JSON of vitest bench (--outputJson, or --reporter=json)"

TINYBENCH = contract.Harness(
    "tinybench",
    "tinybench",
    "tinybench and vitest bench, from check-outs",
    _SOURCE,
    fork="process",
    forks="processes",
    formats=(
        contract.format_in(_RESULTS, "tinybench", "results of tinybench as JSON", _SOURCE),
        contract.format_in(_RESULTS, "tinybench-vitest", _VITEST, _SOURCE, named="_vitest"),
    ),
    running=contract.only_by_command("tinybench.kind"),
    building=contract.Building(
        target="a check-out in which node runs", usual=".", words=("npx", "vitest", "bench")
    ),
    cost=contract.HarnessCost(fork_seconds=0.5, between_runs=1.0),
    renames=OnRequest("steady.harness.tinybench.results:renames"),
    score=contract.Score("tinybench's mean of all samples", "mean"),
)
"""tinybench, the entry of `steady.harnesses.HARNESSES`."""

"""What pyperf takes: the options of a script, for it has no file of settings."""

from __future__ import annotations

from steady.harness.plan_files import Rendered
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.programs.option_lines import option_lines

OPTIONS = "pyperf.txt"

_HEAD = """\
# What the plan tells pyperf, one line of options for each benchmark. A script takes one line for
# all its benchmarks: the longest. `steady run --plan` runs each benchmark by itself, and takes base
# and head in turn.
"""


def render_pyperf(plan: Plan, benchmark_list: bytes | None) -> Rendered:
    """Return pyperf's options; see `steady.programs.option_lines`."""
    names = {"title": "pyperf", "file": OPTIONS, "head": _HEAD}
    return option_lines(plan, benchmark_list, **names, lines=_lines)


def _lines(benchmark: BenchmarkPlan) -> str:
    how = benchmark.configuration
    return (
        f"\n# {benchmark.identity.name}\n--processes={how.forks} --warmups={how.warmup_iterations} "
        f"--values={how.iterations} --min-time={how.iteration_seconds:g}\n"
    )

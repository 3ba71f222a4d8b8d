"""What pyperf takes: the options of a script, for it has no file of settings."""

from __future__ import annotations

from steady.harness.plan_files import Rendered
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import Plan
from steady.programs.option_file import option_file

OPTIONS = "pyperf.txt"

_HEAD = """\
# What the plan tells pyperf, one line of options for each benchmark. A script takes one line for
# all its benchmarks: the longest. `steady run --plan` runs each benchmark by itself, and takes base
# and head in turn.
"""


def script_options(_: Identity, how: ExecutionConfiguration) -> list[str]:
    """Return the options with which a script runs all processes of its benchmarks."""
    return [
        f"--processes={how.forks}",
        f"--warmups={how.warmup_iterations}",
        f"--values={how.iterations}",
        f"--min-time={how.iteration_seconds:g}",
    ]


def render_pyperf(plan: Plan, benchmark_list: bytes | None) -> Rendered:
    """Return pyperf's options; see `steady.programs.option_file`."""
    return option_file(
        plan,
        benchmark_list,
        script_options,
        title="pyperf",
        file=OPTIONS,
        head=_HEAD,
        remark="{name}",
    )

"""What Google Benchmark takes: the options of a program, for it has no file of settings."""

from __future__ import annotations

import re

from steady.harness.plan_files import Rendered
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import Plan
from steady.programs.option_file import option_file

OPTIONS = "google-benchmark.txt"

_HEAD = """\
# What the plan tells Google Benchmark, one line of options for each benchmark. Each stands for one
# process: run it as often as the line above it says, and drop the first repetitions of each
# process, its warm-up. `steady run --plan` does all of this, and takes base and head in turn.
"""
_SPECIAL = re.compile(r"([\\^$.|?*+()\[{])")
"""Signs of POSIX's extended regular expressions; no others may be escaped there, as in ``\\]``."""


def benchmark_options(identity: Identity, how: ExecutionConfiguration) -> list[str]:
    """Return the options with which a program runs one process of one benchmark.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    how : ExecutionConfiguration
        What the process runs; `forks` is how often it is started.
    """
    name = _SPECIAL.sub(r"\\\1", identity.name)
    return [
        f"--benchmark_filter=^{name}$",
        f"--benchmark_repetitions={how.warmup_iterations + how.iterations}",
        f"--benchmark_min_time={how.iteration_seconds:g}",
        "--benchmark_report_aggregates_only=false",
    ]


def render_google(plan: Plan, benchmark_list: bytes | None) -> Rendered:
    """Return Google Benchmark's options; see `steady.programs.option_file`."""
    return option_file(
        plan,
        benchmark_list,
        benchmark_options,
        title="Google Benchmark",
        file=OPTIONS,
        head=_HEAD,
        remark="processes: {how.forks}; warm-up: {how.warmup_iterations} of {count} repetitions",
    )

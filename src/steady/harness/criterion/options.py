"""What Criterion.rs takes: options of ``cargo bench``, for it has no file of settings."""

from __future__ import annotations

from steady.harness.plan_files import Rendered
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import Plan
from steady.programs.option_file import option_file

_FEWEST_SAMPLES = 10
_SAMPLES = 10
"""Samples of an iteration, so that base and head can take turns within it."""

_HEAD = """\
# What the plan tells Criterion.rs, one line of options for each benchmark. They stand behind
# `cargo bench --bench NAME --`, for one process: run it as often as the line above them says.
# `steady run --plan` does this, and takes base and head in turn.
"""


def bench_options(identity: Identity, how: ExecutionConfiguration) -> list[str]:
    """Return the options with which a program runs one process of one benchmark.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    how : ExecutionConfiguration
        What the process runs; `forks` is how often it is started. Criterion.rs always warms up: if
        it should not, for a tenth of an iteration, from which it learns how long operations take.
    """
    warmup = how.warmup_iterations * how.warmup_seconds or how.iteration_seconds / 10
    return [
        "--exact",
        "--noplot",
        f"--warm-up-time={warmup:g}",
        f"--measurement-time={how.iterations * how.iteration_seconds:g}",
        f"--sample-size={max(_SAMPLES * how.iterations, _FEWEST_SAMPLES)}",
        "--",
        identity.name,
    ]


def render_criterion(plan: Plan, benchmark_list: bytes | None) -> Rendered:
    """Return the options of Criterion.rs; see `steady.programs.option_file`."""
    return option_file(
        plan, benchmark_list, bench_options, title="Criterion.rs", file="criterion.txt", head=_HEAD
    )

"""What Google Benchmark takes: the options of a program, for it has no file of settings."""

from __future__ import annotations

import re
import shlex

from steady.errors import InputError
from steady.files import is_text
from steady.harness.plan_files import Rendered
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.readers.fields import quoted

OPTIONS = "google-benchmark.txt"

_HEAD = """\
# What the plan tells Google Benchmark, one line of options for each benchmark. Each stands for one
# process: run it as often as the line above it says, and drop the first repetitions of each
# process, its warm-up. `steady run --plan` does all of this, and takes base and head in turn.
"""
_SPECIAL = re.compile(r"([\\^$.|?*+()\[{])")
"""Signs of POSIX's extended regular expressions; no others may be escaped there, as in ``\\]``."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


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
    """Return Google Benchmark's options; see `steady.emit.Emitter`.

    Raises
    ------
    InputError
        If it cannot be told what the plan says, or a list of benchmarks was given.
    """
    if benchmark_list is not None:
        raise InputError("a plan for Google Benchmark does not use a jar; leave it out")
    if not plan.benchmarks:
        return Rendered({}, ("the plan holds no benchmarks, so there is nothing to run",))
    return Rendered({OPTIONS: (_HEAD + "".join(map(_lines, plan.benchmarks))).encode()})


def _lines(benchmark: BenchmarkPlan) -> str:
    identity, how = benchmark.identity, benchmark.configuration
    problem = _problem(identity, how)
    if problem:
        raise InputError(
            f"{problem}; Google Benchmark cannot run this: make a new plan from its JSON",
            where=quoted(identity.label, 200),
        )
    repetitions = how.warmup_iterations + how.iterations
    return (
        f"\n# processes: {how.forks}; warm-up: {how.warmup_iterations} of {repetitions} "
        f"repetitions\n{shlex.join(benchmark_options(identity, how))}\n"
    )


def _problem(identity: Identity, how: ExecutionConfiguration) -> str:
    if identity.mode != "avgt" or identity.params or identity.threads != 1:
        return "it has a mode, parameters or threads of another harness"
    if not identity.name or _CONTROL.search(identity.name) or not is_text(identity.name):
        return "its name is empty, or holds control characters"
    least = {"forks": 1, "warmup_iterations": 0, "iterations": 1, "batch_size": 1}
    for field, minimum in least.items():
        if getattr(how, field) < minimum:
            return f"its {field.replace('_', ' ')} cannot be {getattr(how, field)}"
    if not how.iteration_seconds > 0 or how.batch_size != 1:
        return "its iterations have no length in seconds"
    return ""

"""A plan as the options of a program, for harnesses that have no file of settings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence

from steady.errors import InputError
from steady.files import is_text
from steady.harness.plan_files import Rendered
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.readers.fields import quoted

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def option_file(
    plan: Plan,
    benchmark_list: bytes | None,
    options: Callable[[Identity, ExecutionConfiguration], Sequence[str]],
    *,
    title: str,
    file: str,
    head: str,
    remark: str = "processes: {how.forks}",
) -> Rendered:
    """Write a plan as a file of options; see `steady.emit.Emitter`.

    Parameters
    ----------
    plan : Plan
        The plan.
    benchmark_list : bytes, optional
        What a jar holds; there is none here.
    options : callable
        Returns the options of a benchmark.
    title : str
        The harness.
    file : str
        The file's name.
    head : str
        What it says first.
    remark : str
        What stands above the options of a benchmark: a format of ``how``, its configuration,
        ``count``, the iterations with those of its warm-up, and ``name``, its name.

    Raises
    ------
    InputError
        If the harness cannot be told what the plan says, or a list of benchmarks was given.
    """
    if benchmark_list is not None:
        raise InputError(f"a plan for {title} does not use a jar; leave it out")
    if not plan.benchmarks:
        return Rendered({}, ("the plan holds no benchmarks, so there is nothing to run",))
    text = head
    for one in plan.benchmarks:
        problem = _problem(one)
        if problem:
            raise InputError(
                f"{problem}; {title} cannot run this: make a new plan from its results",
                where=quoted(one.identity.label, 200),
            )
        how = one.configuration
        count, name = how.warmup_iterations + how.iterations, one.identity.name
        remarked = remark.format(how=how, count=count, name=name)
        text += f"\n# {remarked}\n{shlex.join(options(one.identity, how))}\n"
    return Rendered({file: text.encode()})


def _problem(benchmark: BenchmarkPlan) -> str:
    identity, how = benchmark.identity, benchmark.configuration
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

"""A plan as lines of options, for a harness that has no file of settings."""

from __future__ import annotations

import re
from collections.abc import Callable

from steady.errors import InputError
from steady.files import is_text
from steady.harness.plan_files import Rendered
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.readers.fields import quoted

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def option_lines(
    plan: Plan,
    benchmark_list: bytes | None,
    *,
    title: str,
    file: str,
    head: str,
    lines: Callable[[BenchmarkPlan], str],
) -> Rendered:
    """Return a file with lines for each benchmark; see `steady.emit.Emitter`.

    Parameters
    ----------
    plan : Plan
        What to run.
    benchmark_list : bytes or None
        None: there is no such list.
    title, file, head : str
        The harness, the name of the file, and how it begins.
    lines : callable
        Makes the lines of a benchmark.

    Raises
    ------
    InputError
        If the harness cannot be told what the plan says, or a list of benchmarks was given.
    """
    if benchmark_list is not None:
        raise InputError(f"a plan for {title} does not use a jar; leave it out")
    if not plan.benchmarks:
        return Rendered({}, ("the plan holds no benchmarks, so there is nothing to run",))
    for one in plan.benchmarks:
        problem = _problem(one.identity, one.configuration)
        if problem:
            raise InputError(
                f"{problem}; {title} cannot run this: make a new plan from its JSON",
                where=quoted(one.identity.label, 200),
            )
    return Rendered({file: (head + "".join(map(lines, plan.benchmarks))).encode()})


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

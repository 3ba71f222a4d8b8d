"""A plan as the options of a program, for harnesses that have no file of settings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Sequence
from itertools import chain

from steady.errors import InputError
from steady.files import is_text
from steady.harness.plan_files import Rendered
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.readers.fields import quoted

NOTHING_TO_RUN = Rendered({}, ("the plan holds no benchmarks, so there is nothing to run",))

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
    refuse_foreign(plan, benchmark_list, title=title)
    if not plan.benchmarks:
        return NOTHING_TO_RUN
    text = head
    for one in plan.benchmarks:
        how = one.configuration
        count, name = how.warmup_iterations + how.iterations, one.identity.name
        remarked = remark.format(how=how, count=count, name=name)
        text += f"\n# {remarked}\n{shlex.join(options(one.identity, how))}\n"
    return Rendered({file: text.encode()})


def refuse_foreign(
    plan: Plan,
    benchmark_list: bytes | None,
    *,
    title: str,
    modes: Collection[str] = ("avgt",),
    parameters: bool = False,
) -> None:
    """Raise InputError for what a harness cannot be told, before anything is written.

    Parameters
    ----------
    plan, benchmark_list, title
        As of `option_file`.
    modes : collection of str
        What it can measure.
    parameters : bool
        Whether it can be told the parameters of a benchmark beside its name.
    """
    if benchmark_list is not None:
        raise InputError(f"a plan for {title} does not use a jar; leave it out")
    for one in plan.benchmarks:
        identity = one.identity
        problem = _problem(one)
        if (
            identity.mode not in modes
            or identity.threads != 1
            or (identity.params and not parameters)
        ):
            problem = "it has a mode, parameters or threads of another harness"
        if problem:
            raise InputError(
                f"{problem}; {title} cannot run this: make a new plan from its results",
                where=quoted(identity.label, 200),
            )


def _problem(benchmark: BenchmarkPlan) -> str:
    name, how = benchmark.identity.name, benchmark.configuration
    texts = (name, *chain.from_iterable(benchmark.identity.params))
    if not name or any(_CONTROL.search(one) or not is_text(one) for one in texts):
        return "its name is empty, or holds control characters"
    least = {"forks": 1, "warmup_iterations": 0, "iterations": 1, "batch_size": 1}
    for field, minimum in least.items():
        if getattr(how, field) < minimum:
            return f"its {field.replace('_', ' ')} cannot be {getattr(how, field)}"
    if not how.iteration_seconds > 0 or how.batch_size != 1:
        return "its iterations have no length in seconds"
    return ""

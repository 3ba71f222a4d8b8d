"""Write a plan as command-line options, for harnesses without a settings file."""

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steady.errors import InputError
from steady.files import is_text
from steady.harness.fields import quoted
from steady.harness.plan_files import Rendered
from steady.model import ExecutionConfiguration, Identity
from steady.plan.suite_plan import BenchmarkPlan, Plan

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def configuration_problem(how: ExecutionConfiguration) -> str:
    """Return the first invalid number of a configuration, as a message; empty if there is none."""
    least = {"forks": 1, "warmup_iterations": 0, "iterations": 1, "batch_size": 1}
    for field, minimum in least.items():
        if getattr(how, field) < minimum:
            return f"its {field.replace('_', ' ')} cannot be {getattr(how, field)}"
    return ""


def program_problem(benchmark: BenchmarkPlan) -> str:
    """Return why a program's options cannot express a planned benchmark; empty if they can."""
    identity, how = benchmark.identity, benchmark.configuration
    if identity.mode != "avgt" or identity.params or identity.threads != 1:
        return "it has a mode, parameters or threads of another harness"
    if not identity.name or _CONTROL.search(identity.name) or not is_text(identity.name):
        return "its name is empty or contains control characters"
    problem = configuration_problem(how)
    if not problem and (not how.iteration_seconds > 0 or how.batch_size != 1):
        return "its results lack the length of an iteration"
    return problem


@dataclass(frozen=True, slots=True)
class OptionFile:
    """A plan as a file of options; a `steady.harness.plan_files.Emitter`.

    Parameters
    ----------
    title : str
        The harness.
    name : str
        The file's name.
    head : str
        Text at the beginning.
    options : callable
        Returns the options of a benchmark.
    remark : str
        Comment above them: a format string with ``how``, the configuration, ``count``, the number
        of iterations including the warm-up, and ``name``, the benchmark's name.
    problem : callable
        Returns why the harness cannot express a planned benchmark; empty if it can.
    results : str
        Input for a new plan, for messages.
    """

    title: str
    name: str
    head: str
    options: Callable[[Identity, ExecutionConfiguration], Sequence[str]]
    remark: str = "processes: {how.forks}"
    problem: Callable[[BenchmarkPlan], str] = program_problem
    results: str = "its results"

    def __call__(self, plan: Plan, benchmark_list: bytes | None) -> Rendered:
        """Return the file.

        Raises
        ------
        InputError
            If the harness cannot express the plan, or a list of benchmarks was given.
        """
        if benchmark_list is not None:
            raise InputError(f"a plan for {self.title} does not use a jar; leave it out")
        if not plan.benchmarks:
            return Rendered({}, ("the plan contains no benchmarks, so there is nothing to run",))
        for one in plan.benchmarks:
            if problem := self.problem(one):
                raise InputError(
                    f"{problem}; {self.title} cannot run this: make a new plan from {self.results}",
                    where=quoted(one.identity.label, 200),
                )
        return Rendered({self.name: (self.head + self.text(plan)).encode()})

    def text(self, plan: Plan) -> str:
        """Return the text after the head."""
        return "".join(map(self._line, plan.benchmarks))

    def _line(self, benchmark: BenchmarkPlan) -> str:
        identity, how = benchmark.identity, benchmark.configuration
        count = how.warmup_iterations + how.iterations
        remark = self.remark.format(how=how, count=count, name=identity.name)
        return f"\n# {remark}\n{shlex.join(self.options(identity, how))}\n"

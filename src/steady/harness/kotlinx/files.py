"""kotlinx-benchmark: its JSON, which has JMH's format, and a plan as configurations in Gradle."""

import json
import re
from dataclasses import replace
from itertools import chain

from steady.harness.document import Document
from steady.harnesses import HARNESSES
from steady.model import ExecutionConfiguration, Identity, Suite
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.programs.option_file import OptionFile, program_problem

NAME = "kotlinx-benchmark"
FILE = f"{NAME}.gradle.kts"
MODES = ("avgt", "thrpt")

_MARKS = {"benchmark", "primaryMetric", "measurementTime"}

_HEAD = """\
// The plan as configurations of kotlinx-benchmark, for build.gradle.kts or Groovy. The task
// steady1Benchmark runs the benchmarks of the first one. On the JVM it starts `jvmForks` processes;
// on other targets each run of the task is one process.
benchmark {
    configurations {
"""


def recognizes(document: Document) -> bool:
    """Return whether a document has JMH's format, but no number of forks, unlike JMH's own."""
    if not document.text.lstrip().startswith("["):
        return False
    first = next(document.items(), None)
    return isinstance(first, dict) and first.keys() >= _MARKS and "forks" not in first


def read(document: Document) -> Suite:
    """Read the results of a target; on the JVM, JMH writes them.

    The other targets run in one process and record no warm-up.

    Source: ``BenchmarkReportFormatter.kt`` of kotlinx-benchmark 0.4.17.

    Raises
    ------
    InputError
        If kotlinx-benchmark does not write such documents.
    """
    form = HARNESSES["jmh"].value.formats[0].value
    records = document.data
    if isinstance(records, list):
        records = [{"forks": 1, **one} if isinstance(one, dict) else one for one in records]
    suite = form.read(Document(document.path, json.dumps(records)))
    return replace(suite, harness=NAME)


def settings_of(identity: Identity, how: ExecutionConfiguration) -> list[str]:
    """Return the settings of a benchmark as lines of a configuration."""
    return [
        *(f"param({_literal(key)}, {_literal(value)})" for key, value in identity.params),
        f"warmups = {how.warmup_iterations}",
        f"iterations = {how.iterations}",
        f"iterationTime = {max(round(how.iteration_seconds * 1000), 1)}",
        'iterationTimeUnit = "ms"',
        f'mode = "{identity.mode}"',
        f'advanced("jvmForks", {how.forks})',
    ]


class Configurations(OptionFile):
    """A plan as Gradle configurations, one for each group of benchmarks with equal settings."""

    __slots__ = ()

    def text(self, plan: Plan) -> str:
        """Return the configurations."""
        alike: dict[tuple[str, ...], list[str]] = {}
        for one in plan.benchmarks:
            whole = rf"(^|\.){re.escape(one.identity.name)}$"
            settings = tuple(self.options(one.identity, one.configuration))
            alike.setdefault(settings, []).append(f"include({_literal(whole)})")
        text = ""
        for number, (settings, includes) in enumerate(alike.items(), start=1):
            lines = "".join(f"            {line}\n" for line in (*includes, *settings))
            text += f'        register("steady{number}") {{\n{lines}        }}\n'
        return f"{text}    }}\n}}\n"


def _problem(benchmark: BenchmarkPlan) -> str:
    """Return why a planned benchmark cannot be expressed; modes and parameters can."""
    identity = benchmark.identity
    if not all(map(str.isprintable, chain.from_iterable(identity.params))):
        return "its parameters contain control characters"
    mode = "avgt" if identity.mode in MODES else identity.mode
    return program_problem(replace(benchmark, identity=replace(identity, mode=mode, params=())))


def _literal(text: str) -> str:
    """Return a quoted string without expressions for Kotlin and Groovy."""
    return '"{}"'.format(re.sub(r'([\\"$])', r"\\\1", text))


CONFIGURATIONS = Configurations(NAME, FILE, _HEAD, settings_of, problem=_problem)

"""kotlinx-benchmark: its JSON, which has JMH's form, and the configurations of a plan in Gradle."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from steady.harness import HARNESSES
from steady.harness.plan_files import Rendered
from steady.model import ExecutionConfiguration, Suite
from steady.optimize.suite_plan import Plan
from steady.programs.option_file import NOTHING_TO_RUN, refuse_foreign
from steady.readers.sources import Document

NAME = "kotlinx-benchmark"
FILE = f"{NAME}.gradle.kts"
MODES = ("avgt", "thrpt")

_MARKS = {"benchmark", "primaryMetric", "measurementTime"}

_HEAD = """\
// What the plan tells kotlinx-benchmark: configurations for build.gradle.kts, or for Groovy. The
// task steady1Benchmark runs what the first one includes. On JVM it starts `jvmForks` processes; on
// other targets each run of the task is one process.
benchmark {
    configurations {
"""


def recognizes(document: Document) -> bool:
    """Tell whether a document is of JMH's form, but says nothing of forks: JMH always does."""
    if not document.text.lstrip().startswith("["):
        return False
    first = next(document.items(), None)
    return isinstance(first, dict) and first.keys() >= _MARKS and "forks" not in first


def read(document: Document) -> Suite:
    """Read the results of a target; on JVM it is JMH that writes them.

    The other targets run in one process, and write no warm-up.

    Source: ``BenchmarkReportFormatter.kt`` of kotlinx-benchmark 0.4.17.

    Raises
    ------
    InputError
        If the document is not what it writes.
    """
    form = HARNESSES["jmh"].value.formats[0].value
    records = document.data
    if isinstance(records, list):
        records = [{"forks": 1, **one} if isinstance(one, dict) else one for one in records]
    suite = form.read(Document(document.path, json.dumps(records)))
    return replace(suite, harness=NAME)


def render_kotlinx(plan: Plan, benchmark_list: bytes | None) -> Rendered:
    """Return configurations of Gradle, one for the benchmarks that run alike.

    Raises
    ------
    InputError
        If the harness cannot be told what the plan says, or a list of benchmarks was given.
    """
    refuse_foreign(plan, benchmark_list, title=NAME, modes=MODES, parameters=True)
    if not plan.benchmarks:
        return NOTHING_TO_RUN
    alike: dict[tuple[ExecutionConfiguration, str, tuple[tuple[str, str], ...]], list[str]] = {}
    for one in plan.benchmarks:
        key = (one.configuration, one.identity.mode, one.identity.params)
        alike.setdefault(key, []).append(one.identity.name)
    text = _HEAD
    for number, ((how, mode, params), names) in enumerate(alike.items(), start=1):
        lines = "".join(f"            {line}\n" for line in _lines(how, mode, params, names))
        text += f'        register("steady{number}") {{\n{lines}        }}\n'
    return Rendered({FILE: f"{text}    }}\n}}\n".encode()})


def _lines(
    how: ExecutionConfiguration, mode: str, params: tuple[tuple[str, str], ...], names: list[str]
) -> Iterator[str]:
    for name in names:
        whole = rf"(^|\.){re.escape(name)}$"
        yield f"include({_literal(whole)})"
    for key, value in params:
        yield f"param({_literal(key)}, {_literal(value)})"
    yield f"warmups = {how.warmup_iterations}"
    yield f"iterations = {how.iterations}"
    yield f"iterationTime = {max(round(how.iteration_seconds * 1000), 1)}"
    yield 'iterationTimeUnit = "ms"'
    yield f'mode = "{mode}"'
    yield f'advanced("jvmForks", {how.forks})'


def _literal(text: str) -> str:
    """Return a text in quotes, in which Kotlin and Groovy see no expression."""
    return '"{}"'.format(re.sub(r'([\\"$])', r"\\\1", text))

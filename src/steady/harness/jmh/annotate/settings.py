"""Settings of build tools, if all benchmarks have one configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from steady.harness.jmh.configure.command_lines import configuration_arguments
from steady.plan.suite_plan import Plan

_GRADLE = {
    "-f": "fork",
    "-wi": "warmupIterations",
    "-w": "warmup",
    "-i": "iterations",
    "-r": "timeOnIteration",
    "-wbs": "warmupBatchSize",
    "-bs": "batchSize",
}
"""Settings of the plugin me.champeau.jmh, by JMH's options."""


def agreed_settings(plan: Plan) -> Iterator[str]:
    """Yield a note with the settings, if all benchmarks of a plan have equal ones."""
    all_arguments = {
        tuple(configuration_arguments(one.configuration, one.identity.mode))
        for one in plan.benchmarks
    }
    if len(all_arguments) != 1 or any(one.status != "reduced" for one in plan.benchmarks):
        return
    words = all_arguments.pop()
    options = dict(zip(words[::2], words[1::2], strict=True))
    for option in ("-wbs", "-bs"):
        if options[option] == "1":
            del options[option]
    line = " ".join(f"{option} {value}" for option, value in options.items())
    yield (
        f"all benchmarks agree: `java -jar benchmarks.jar {line}`, or in Gradle's plugin "
        f"`jmh {{ {_gradle(options)} }}`"
    )


def _gradle(options: Mapping[str, str]) -> str:
    values = (
        (_GRADLE[option], value if value.isdigit() else f"'{value}'")
        for option, value in options.items()
    )
    return "; ".join(f"{name} = {value}" for name, value in values)

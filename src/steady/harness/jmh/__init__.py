"""JMH: its results, its forks, its configuration, and the same code in two jars."""

from __future__ import annotations

from steady.harness.contract import Format, Harness, Learned, Running, SameCodeSearch
from steady.registry import OnRequest, Registered

JMH = Harness(
    "jmh",
    "JMH",
    "JMH, from a jar of benchmarks",
    "JMH 1.19 to 1.37",
    formats=(
        Registered(
            "jmh",
            "JMH's JSON results (-rf json)",
            "JMH 1.19 to 1.37, results/format/JSONResultFormat.java",
            Format(
                OnRequest("steady.harness.jmh.read.json_results:recognizes"),
                OnRequest("steady.harness.jmh.read.json_results:read"),
            ),
        ),
        Registered(
            "jmh-log",
            "JMH's text log (-o, or captured output), with its warm-up iterations",
            "JMH 1.19 to 1.37, runner/format/TextReportFormat.java",
            Format(
                OnRequest("steady.harness.jmh.read.log:recognizes"),
                OnRequest("steady.harness.jmh.read.log:read"),
            ),
        ),
    ),
    running=Running(
        OnRequest("steady.harness.jmh.run.jar:holds_jar"),
        OnRequest("steady.harness.jmh.run.runs:JmhRuns"),
    ),
    configuring=Registered(
        "jmh",
        "a BenchmarkList overlay, and argument files for what it cannot say",
        "openjdk/jmh 1.19 to 1.37: BenchmarkListEntry, AbstractResourceReader, CommandLineOptions",
        OnRequest("steady.harness.jmh.configure.configuration:render_jmh"),
    ),
    same_code=SameCodeSearch(
        OnRequest("steady.harness.jmh.samecode.two_jars:two_jars"),
        Learned(
            "classes.json",
            "steady_classes",
            OnRequest("steady.harness.jmh.samecode.classes_json:joined_text"),
        ),
    ),
)
"""JMH, as `steady.harness.HARNESSES` has it."""

"""JMH: results, forks, configuration, and identical code paths in two jars."""

from steady.harness import contract
from steady.registry import OnRequest, Registered

_FORMATS = (
    Registered(
        "jmh",
        "JMH's JSON results (-rf json)",
        "JMH 1.19 to 1.37, results/format/JSONResultFormat.java",
        contract.Format(
            OnRequest("steady.harness.jmh.read.json_results:recognizes"),
            OnRequest("steady.harness.jmh.read.json_results:read"),
            empty="is empty; JMH writes its JSON only when the whole run is over, so this run was "
            "killed, or stopped by an error (-foe true): see its log and run it again",
        ),
    ),
    Registered(
        "jmh-log",
        "JMH's text log (-o, or captured output), with its warm-up iterations",
        "JMH 1.19 to 1.37, runner/format/TextReportFormat.java",
        contract.Format(
            OnRequest("steady.harness.jmh.read.text_log:recognizes"),
            OnRequest("steady.harness.jmh.read.text_log:read"),
            joins=OnRequest("steady.harness.jmh.read.text_log:add_logs"),
        ),
    ),
)

_RUNNING = contract.Running(
    OnRequest("steady.harness.jmh.run.jar:holds_jar"),
    OnRequest("steady.harness.jmh.run.jmh_runs:JmhRuns"),
    ends_early=True,
)

_CONFIGURING = contract.Configuring(
    "a BenchmarkList overlay, and argument files for benchmarks that it cannot express",
    "openjdk/jmh 1.19 to 1.37: BenchmarkListEntry, AbstractResourceReader, CommandLineOptions",
    OnRequest("steady.harness.jmh.configure.plan_rendering:render_jmh"),
    ("overlay/META-INF/BenchmarkList", "jmh/*.args"),
    list_of=OnRequest("steady.harness.jmh.configure.benchmark_list_file:list_of_jar"),
)

_DECLARING = contract.Declaring(OnRequest("steady.harness.jmh.run.jar:with_declared"))

_ANNOTATING = contract.Annotating(
    OnRequest("steady.harness.jmh.annotate.annotating:ready"),
    OnRequest("steady.harness.jmh.annotate.annotating:annotate"),
)

_BUILDING = contract.Building(
    {
        "pom.xml": "mvn package",
        "build.gradle": "./gradlew jmhJar",
        "build.gradle.kts": "./gradlew jmhJar",
        "build.sbt": "sbt Jmh/assembly",
    },
    target="JMH's jar",
    usual="benchmarks.jar",
    empty="annotate methods with @Benchmark, and build the jar again{ways}",
    built=OnRequest("steady.harness.jmh.run.jar:built_jars"),
    named="the jar for JMH",
)

_COST = contract.HarnessCost(
    # Start of the host JVM, and of the JVMs that query capabilities: in all measurements about
    # twice the start of a fork.
    start_seconds=1.0,
    # Turns of 5 ms are 2.4 ms apart; their number is computed with 2 ms (docs/measured.md).
    turning_share=0.03,
)

_ALLOCATION = contract.CountMetric(
    "gc.alloc.rate.norm",
    "B/op",
    # Less than the smallest object, if every eighth operation allocates one.
    least=1.0,
    # JMH itself allocates up to twice this amount (docs/measured.md).
    own=3000.0,
)

JMH = contract.Harness(
    "jmh",
    "JMH",
    "JMH, from a jar of benchmarks",
    "JMH 1.19 to 1.37",
    formats=_FORMATS,
    unreadable=OnRequest("steady.harness.jmh.read.text_log:unreadable"),
    running=_RUNNING,
    configuring=_CONFIGURING,
    declaring=_DECLARING,
    annotating=_ANNOTATING,
    building=_BUILDING,
    cost=_COST,
    # In sample mode, the score is the mean of single samples, while results contain only one mean
    # per iteration.
    score=contract.Score("JMH's score, the mean of all iterations,", "mean", not_of=("sample",)),
    counts=(_ALLOCATION,),
    same_code=OnRequest("steady.harness.jmh.samecode.decide:JmhBuilds"),
)
"""JMH, as `steady.harnesses.HARNESSES` has it."""

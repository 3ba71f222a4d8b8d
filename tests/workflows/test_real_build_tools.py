"""Gradle and Kotlin: the workflows build the examples with the real tools, and compare."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from projects import Project, planned
from standin import StandIn
from test_compare_workflows import EXAMPLES, machine, only, project
from workflow_runner import ROOT, Machine

__all__ = ["machine", "project"]

pytestmark = pytest.mark.thorough

BENCHMARK = "shop.PriceBenchmark.format"

GRADLE = """\
// What the plugin me.champeau.jmh does, in as much as the workflow needs it: its task `jmhJar` and
// its jar. The plugin's own host is not reached from everywhere, and this runs with Gradle 4.4 too.
apply plugin: 'java'
repositories { mavenCentral() }
sourceSets { jmh }
def modern = GradleVersion.current() >= GradleVersion.version('5.1')
dependencies {
    jmhImplementation 'org.openjdk.jmh:jmh-core:1.37'
    add(modern ? 'jmhAnnotationProcessor' : 'jmhCompileOnly',
        'org.openjdk.jmh:jmh-generator-annprocess:1.37')
}
task jmhJar(type: Jar) {
    if (modern) archiveFileName = 'shop-jmh.jar' else archiveName = 'shop-jmh.jar'
    from sourceSets.jmh.output
    from { configurations.jmhRuntimeClasspath.collect { zipTree(it) } }
    duplicatesStrategy = 'exclude'
}
"""


def example(name: str, more: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return an example's files, and a plan for its benchmark."""
    root = ROOT / "examples" / name
    files = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.is_file() and not {"target", "build", ".gradle"} & set(path.parts)
    }
    plan = {".steady/plan.json": planned(BENCHMARK, seconds=0.05)}
    return {**files, **plan, ".gitignore": "target/\nbuild/\n.gradle/\n", **(more or {})}


def assert_found(
    workflow: str, before: Mapping[str, str], slower: tuple[str, str],
    machine: Machine, project: Project, github: StandIn,
) -> None:  # fmt: skip
    """Open a pull request that formats thirty times, and have the workflow find that."""
    [source] = [name for name in before if Path(name).stem == "PriceBenchmark"]
    assert before[source].count(slower[0]) == 1
    project.commit(before)
    if "gradlew" in before:
        (project.folder / "gradlew").chmod(0o755)
        project.commit({})
    project.pull_request({source: before[source].replace(*slower)})
    machine.patience = 1800.0  # the tools fetch half of a repository when they are new
    job = only(machine.run(EXAMPLES / f"{workflow}.yml"))
    assert job.outputs["verdict"] == "regression", job.log
    [body] = github.bodies()
    assert re.search("1 of 1 benchmarks? became slower", body)
    left = {path.name for path in (machine.artifacts / "benchmarks-default").iterdir()}
    assert {"base.json", "head.json", "run.json", "report"} <= left


@pytest.mark.needs("java", "mvn")
def test_kotlin_with_maven(machine: Machine, project: Project, github: StandIn) -> None:
    text = '"%.2f EUR".format(12.5)'
    slower = (text, f"(1..30).map {{ {text} }}.last()")
    assert_found("steady-compare", example("kotlin-maven"), slower, machine, project, github)


@pytest.mark.needs("java", "gradle")
def test_gradle(machine: Machine, project: Project, github: StandIn) -> None:
    wrapper = '#!/bin/sh\nexec gradle "$@"\n'
    files = example("gradle", {"build.gradle": GRADLE, "gradlew": wrapper})
    line = 'return String.format("%.2f EUR", 12.5);'
    slower = (line, f'String all = "";for (int i = 0; i < 30; i++) all = {line[7:]} return all;')
    assert_found("steady-compare-gradle", files, slower, machine, project, github)

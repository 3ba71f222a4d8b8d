"""Which benchmarks prepare something before each iteration, as the classes of their jar say."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_jars import classes_in, compiled, write_jar

from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.fixtures import with_fixtures

ANNOTATION = """
package org.openjdk.jmh.annotations;
import java.lang.annotation.*;
@Retention(RetentionPolicy.RUNTIME)
public @interface {name} {{ Level value() default Level.Trial; }}
"""
LEVEL = "package org.openjdk.jmh.annotations; public enum Level { Trial, Iteration, Invocation }"
STATE = """
package lab;
import org.openjdk.jmh.annotations.*;
public class {name} {inherits} {{ {body} }}
"""
STUB = "package lab.jmh_generated; public class {name}_run_jmhTest {{ lab.{name} state; }}"

STATES = {
    "Clears": ("", "@TearDown(Level.Iteration) public void clear() {}"),
    "Prepares": ("", "@Setup(Level.Iteration) public void prepare() {}"),
    "Inherits": ("extends Prepares", ""),
    "Once": ("", '@Setup(Level.Trial) public void prepare() { System.out.println("Iterations"); }'),
    "Often": ("", "@Setup(Level.Invocation) public void prepare() {}"),
    "Plain": ("", 'static final String LEVEL = "Iteration";'),
    "Uses": ("", "Object other() { return new Clears(); }"),
}


@pytest.mark.needs("java")
def test_methods_that_run_with_each_iteration_are_found_wherever_they_are(tmp_path: Path) -> None:
    sources = {"Level.java": LEVEL}
    for name in ("Setup", "TearDown"):
        sources[f"{name}.java"] = ANNOTATION.format(name=name)
    for name, (inherits, body) in STATES.items():
        sources[f"{name}.java"] = STATE.format(name=name, inherits=inherits, body=body)
        sources[f"{name}_run_jmhTest.java"] = STUB.format(name=name)
    folder = compiled(tmp_path, {"": sources})[""]
    jar = write_jar(tmp_path / "lab.jar", classes_in(folder))
    generated = {f"lab.{name}.run": f"lab.jmh_generated.{name}_run_jmhTest" for name in STATES}
    found = with_fixtures(ClassPath.of(jar).classes, generated)
    assert found == {f"lab.{name}.run" for name in ("Clears", "Prepares", "Inherits", "Uses")}


def test_a_jar_without_any_has_none(tmp_path: Path) -> None:
    classes = ClassPath.of(write_jar(tmp_path / "a.jar", {"lab/Broken.class": b"no"})).classes
    assert with_fixtures(classes, {"lab.Bench.run": "lab.Broken"}) == frozenset()

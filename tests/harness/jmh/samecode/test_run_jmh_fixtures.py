"""Which benchmarks prepare something before each iteration, as the classes of their jar say."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

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
STUB = "package lab.jmh_generated; public class {name} {{ lab.{state} state; {more} }}"

STATES = {
    "Clears": ("", "@TearDown(Level.Iteration) public void clear() {}"),
    "Prepares": ("", "@Setup(Level.Iteration) public void prepare() {}"),
    "Inherits": ("extends Prepares", ""),
    "Once": ("", '@Setup(Level.Trial) public void prepare() { System.out.println("Iterations"); }'),
    "Often": ("", "@Setup(Level.Invocation) public void prepare() {}"),
    "Plain": ("", 'static final String LEVEL = "Iteration";'),
    "Uses": ("", "Object other() { return new Clears(); }"),
}


@pytest.fixture(scope="module")
def jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fixtures")
    sources = {"org/openjdk/jmh/annotations/Level": LEVEL}
    for name in ("Setup", "TearDown"):
        sources[f"org/openjdk/jmh/annotations/{name}"] = ANNOTATION.format(name=name)
    for name, (inherits, body) in STATES.items():
        sources[f"lab/{name}"] = STATE.format(name=name, inherits=inherits, body=body)
        sources[f"lab/jmh_generated/{name}_run_jmhTest"] = STUB.format(
            name=f"{name}_run_jmhTest", state=name, more=""
        )
    for name, source in sources.items():
        path = folder / f"{name}.java"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    files = [str(folder / f"{name}.java") for name in sources]
    subprocess.run(["javac", "-d", str(folder / "classes"), *files], check=True)
    with zipfile.ZipFile(folder / "lab.jar", "w") as archive:
        for path in sorted((folder / "classes").rglob("*.class")):
            archive.write(path, path.relative_to(folder / "classes").as_posix())
    return folder / "lab.jar"


@pytest.mark.needs("java")
def test_methods_that_run_with_each_iteration_are_found_wherever_they_are(jar: Path) -> None:
    generated = {f"lab.{name}.run": f"lab.jmh_generated.{name}_run_jmhTest" for name in STATES}
    found = with_fixtures(ClassPath.of(jar).classes, generated)
    assert found == {f"lab.{name}.run" for name in ("Clears", "Prepares", "Inherits", "Uses")}


def test_a_jar_without_any_has_none(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.jar", "w") as archive:
        archive.writestr("lab/Broken.class", b"not a class")
    classes = ClassPath.of(tmp_path / "a.jar").classes
    assert with_fixtures(classes, {"lab.Bench.run": "lab.Broken"}) == frozenset()

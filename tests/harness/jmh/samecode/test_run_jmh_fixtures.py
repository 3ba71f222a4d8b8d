"""Detection of benchmarks with fixture methods before or after each iteration."""

from pathlib import Path

import pytest
from made_jars import classes_in, compiled, write_jar

from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.fixtures import benchmarks_with_fixtures


@pytest.mark.needs("java")
def test_fixtures_are_found_in_all_classes(tmp_path: Path) -> None:
    paths = Path(__file__).with_name("fixtures").glob("*.java")
    sources = {path.name: path.read_text(encoding="utf-8") for path in paths}
    [folder] = compiled(tmp_path, {"lab": sources}).values()
    jar = write_jar(tmp_path / "lab.jar", classes_in(folder))
    found = {"Clears", "Prepares", "Inherits", "Uses"}
    generated = {name: f"lab.{name}_jmhTest" for name in (*found, "Once", "Often", "Plain")}
    assert benchmarks_with_fixtures(ClassPath.of(jar).classes, generated) == found


def test_jar_without_fixtures(tmp_path: Path) -> None:
    classes = ClassPath.of(write_jar(tmp_path / "a.jar", {"lab/Broken.class": b"no"})).classes
    assert benchmarks_with_fixtures(classes, {"lab.Bench.run": "lab.Broken"}) == frozenset()

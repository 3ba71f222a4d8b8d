"""Changed methods of a jar, and those that no benchmark reaches.

``Unreached.java`` has both versions: ``/*<*/base/*=*/head/*>*/``. The expected names are written
by hand from the source. A JVM that runs the benchmark's code, and logs the classes that it loads,
confirms them.
"""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from made_jars import classes_in, compiled, record, write_jar

from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.changed_methods import OwnCode
from steady.harness.jmh.samecode.class_hierarchy import ClassHierarchy
from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.decide import JmhBuilds
from steady.harness.runs import HarnessSettings
from steady.harness.trial import Version
from steady.model import Identity
from steady.model.changed_method import ChangedMethods

SOURCE = Path(__file__).with_name("Unreached.java").read_text(encoding="utf-8")
STATE = "package org.openjdk.jmh.annotations; public @interface State { }"
BENCH = """
package org.acme.bench;
@org.openjdk.jmh.annotations.State
public class Bench {{
    public int run(int n) throws Exception {{ {} return org.acme.core.Unreached.all(n) + {}; }}
}}
"""
GENERATED = """
package org.acme.bench;
public class Bench_jmhTest { public int avgt() throws Exception { return new Bench().run(1); } }
"""
MOVED = "package org.acme.shaded.json; public class Json {{ int read() {{ return {}; }} }}"
LIBRARY = "package com.other; public class Library {{ int read() {{ return {}; }} }}"
ANY = 'Class.forName(System.getProperty("x", "java.lang.String"));'
READS = 'new java.io.FileInputStream(System.getProperty("x", "/dev/null")).close();'
ONE = Identity("org.acme.bench.Bench.run")

REACHED = {
    "Round.area()", "Square.area()", "Unreached.each(List)", "Unreached.parse(int)",
    "Unreached.step(int)",
}  # fmt: skip
NOT_REACHED = {
    "Added.<init>()", "Added.one()", "Color.<clinit>()", "Hidden.area()",
    "Order.compareTo(Order)", "Point.<init>(int, int)", "Point.y()", "Typed.get()",
    "Unreached.lazily()", "Unreached.skip(int, String[])",
}  # fmt: skip

pytestmark = [pytest.mark.needs("javac"), pytest.mark.xdist_group("reach")]


def sources(side: int, first: str = "") -> Mapping[str, str]:
    """Return the program of base (0) or head (1), whose benchmark begins with a statement."""
    text = re.sub(r"/\*<\*/(.*?)/\*=\*/(.*?)/\*>\*/", lambda match: match[1 + side], SOURCE)
    return {
        "Unreached.java": text,
        "State.java": STATE,
        "Bench.java": BENCH.format(first, side),
        "Bench_jmhTest.java": GENERATED,
        "Json.java": MOVED.format(side),
        "Library.java": LIBRARY.format(side),
        "options.txt": "-source 17 -target 17 -Xlint:-options",
    }


FIRST = {"plain": "", "any": ANY, "reads": READS}


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Path]:
    """Compile all programs."""
    programs = {
        (name, side): sources(side, text) for name, text in FIRST.items() for side in (0, 1)
    }
    return compiled(tmp_path_factory.mktemp("builds"), programs)


def methods_of(
    folder: Path, base: Path, head: Path, *arguments: str, names: tuple[str, ...] = (ONE.name,)
) -> ChangedMethods | None:
    """Return the changed methods of two folders of classes."""
    entries = {"META-INF/BenchmarkList": "".join(record(name) + "\n" for name in names)}
    jars = [
        write_jar(folder / f"{number}.jar", {**classes_in(side), **entries})
        for number, side in enumerate((base, head))
    ]
    versions = [Version(name, jar) for name, jar in zip(("base", "head"), jars, strict=True)]
    builds = JmhBuilds(JmhRuns(HarnessSettings(jvm_args=arguments)), versions)
    held = {"base": [ONE], "head": [ONE]}
    builds.decisions(held)
    return builds.changed_methods(held)


def names(methods: ChangedMethods | None, *, reached: bool) -> set[str]:
    assert methods is not None
    own = (one for one in methods if one.reached is reached)
    return {one.label.removeprefix("org.acme.core.") for one in own}


def test_changed_methods_are_named_as_in_the_source(
    classes: dict[tuple[str, int], Path], tmp_path: Path
) -> None:
    methods = methods_of(tmp_path, classes["plain", 0], classes["plain", 1])
    assert names(methods, reached=True) == REACHED
    assert names(methods, reached=False) == NOT_REACHED


def test_classes_without_a_reached_method_are_not_loaded(
    classes: dict[tuple[str, int], Path], tmp_path: Path
) -> None:
    head = classes["plain", 1]
    search = f"{head}:{tmp_path}"
    command = ["java", "-Xlog:class+load", "-cp", search, "org.acme.bench.Main"]
    main = tmp_path / "Main.java"
    main.write_text(
        "package org.acme.bench; class Main { public static void main(String[] a) throws Exception"
        " { new Bench_jmhTest().avgt(); } }",
        encoding="utf-8",
    )
    subprocess.run(["javac", "-cp", str(head), "-d", str(tmp_path), str(main)], check=True)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(re.findall(r"org\.acme\.core\.([\w$]+)", done.stdout))
    assert {"Unreached", "Round"} <= loaded
    others = {one.partition(".")[0] for one in NOT_REACHED} - {"Unreached"}
    assert not loaded & others


def test_nothing_is_known_if_a_benchmark_may_run_any_code(
    classes: dict[tuple[str, int], Path], tmp_path: Path
) -> None:
    assert methods_of(tmp_path, classes["any", 0], classes["any", 1]) is None
    agent = methods_of(tmp_path, classes["plain", 0], classes["plain", 1], "-javaagent:a.jar")
    assert agent is None


def test_reading_a_file_runs_no_code(classes: dict[tuple[str, int], Path], tmp_path: Path) -> None:
    methods = methods_of(tmp_path, classes["reads", 0], classes["reads", 1])
    assert names(methods, reached=False) == NOT_REACHED


def test_equal_classes_have_no_changed_methods(
    classes: dict[tuple[str, int], Path], tmp_path: Path
) -> None:
    assert methods_of(tmp_path, classes["plain", 0], classes["plain", 0]) == ()


def test_own_code_is_told_from_libraries_by_its_package(
    classes: dict[tuple[str, int], Path], tmp_path: Path
) -> None:
    jar = write_jar(tmp_path / "one.jar", classes_in(classes["plain", 0]))
    path = ClassPath.of(jar)
    hierarchy = ClassHierarchy(path, path)

    def own(*packages: str) -> set[str]:
        return {*filter(OwnCode(hierarchy, packages).includes, hierarchy.class_files)}

    acme = {"org/acme/core/Unreached", "org/acme/core/Round"}
    assert acme < own("org/acme/bench")
    assert not {one for one in own("org/acme/bench") if not one.startswith("org/acme/core/")}
    assert "org/acme/core/ParserTest" not in own("org/acme/bench")
    # No class of the jar is near this package, so that all libraries count.
    assert own("benchmarks") == own("org/acme/bench") | {"com/other/Library"}

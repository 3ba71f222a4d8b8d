"""Which benchmarks run the same code; whatever is not known counts as a difference."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from made_jars import a_class, decide, difference, record

from steady.harness.jmh.samecode.class_log import Loaded
from steady.harness.jmh.samecode.classes_json import (
    build_entry,
    classes_text,
    known_of,
    read_builds,
)
from steady.model import Identity
from steady.samecode.decision import summary

ONE, TWO = Identity("a.Bench.one"), Identity("a.Bench.two")
SIDES = {"base": [ONE, TWO], "head": [ONE, TWO]}

Files = dict[str, bytes | str]

LIST = "META-INF/BenchmarkList"
HINTS = "META-INF/CompilerHints"
MANIFEST = "META-INF/MANIFEST.MF"

BASE: Files = {
    "a/Bench.class": a_class("a/Bench", "a/Helper", source="Bench.java"),
    "a/Bench_one.class": a_class("a/Bench_one"),
    "a/Bench_two.class": a_class("a/Bench_two", "a/Reader", "Reader"),
    "a/Helper.class": a_class("a/Helper"),
    "a/Reader.class": a_class("a/Reader", "getResourceAsStream", "Plain"),
    "a/Unused.class": a_class("a/Unused"),
    "a/data.txt": "1",
    "a/words.properties": "#Monday\na=1\n",
    LIST: f"{record('a.Bench.one')}\n{record('a.Bench.two')}\n",
    HINTS: "dontinline,*.*_jmhStub\ninline,a/Bench_one.x\n",
    MANIFEST: "Manifest-Version: 1.0\nBuild-Date: Monday\n",
}

LOADED = {
    ONE: Loaded(frozenset({"a/Bench", "a/Bench_one", "a/Helper"})),
    TWO: Loaded(frozenset({"a/Bench", "a/Bench_two", "a/Reader"})),
}


def reasons(
    folder: Path,
    head: Mapping[str, bytes | str],
    base: Mapping[str, bytes | str] = BASE,
    loaded: Mapping[Identity, Loaded] = LOADED,
    arguments: tuple[str, ...] = (),
) -> tuple[str, str]:
    """Return why each of the two benchmarks may run other code."""
    decisions = decide(difference(folder, base, head), loaded, SIDES, arguments)
    assert [decision.identity for decision in decisions] == [ONE, TWO]
    one, two = (decision.why for decision in decisions)
    return one, two


SAME_FOR_BOTH: dict[str, Files] = {
    "nothing": {},
    "a source's name": {"a/Bench.class": a_class("a/Bench", "a/Helper", source="Other.java")},
    "a class that neither loads": {"a/Unused.class": a_class("a/Unused", parent="a/Bench")},
    "a class that nobody names": {"a/New.class": a_class("a/New")},
    "a comment of properties": {"a/words.properties": "#Tuesday\na=1\n"},
    "the date of the build": {MANIFEST: "Manifest-Version: 1.0\nBuild-Date: Tuesday\n"},
    "Maven's description": {"META-INF/maven/a/b/pom.xml": "<project/>"},
    "hints about another class": {HINTS: f"{BASE[HINTS]!s}inline,a/Unused.x\n"},
}


@pytest.mark.parametrize("name", SAME_FOR_BOTH)
def test_what_no_benchmark_notices(name: str, tmp_path: Path) -> None:
    assert reasons(tmp_path, {**BASE, **SAME_FOR_BOTH[name]}) == ("", "")


CHANGED = a_class("a/X", parent="a/Other")

DIFFERENT: dict[str, tuple[Files, str, str]] = {
    "a shared class": (
        {"a/Bench.class": CHANGED},
        "loads a.Bench, which changed",
        "loads a.Bench, which changed",
    ),
    "a class of one": ({"a/Helper.class": CHANGED}, "loads a.Helper, which changed", ""),
    "no class any more": ({"a/Helper.class": b"?"}, "loads a.Helper, which changed", ""),
    "its generated class": ({"a/Bench_two.class": CHANGED}, "", "loads a.Bench_two, which changed"),
    "a class for another Java": (
        {"META-INF/versions/11/a/Helper.class": CHANGED},
        "loads a.Helper, which changed",
        "",
    ),
    "a class that one names": ({"x/Plain.class": CHANGED}, "", "may load x.Plain, which head adds"),
    "a class named in two parts": (
        {"a/PlainReader.class": CHANGED},
        "",
        "may load a.PlainReader, which head adds",
    ),
    "a file that one can read": ({"a/data.txt": "2"}, "", "may read a/data.txt, which changed"),
    "a file more": ({"a/new.txt": "2"}, "", "may read a/new.txt, which changed"),
    "properties": (
        {"a/words.properties": "a=2\n"},
        "may read a/words.properties, which changed",
        "may read a/words.properties, which changed",
    ),
    "a service": (
        {"META-INF/services/a.B": "a.C\n"},
        "may read META-INF/services/a.B, which changed",
        "may read META-INF/services/a.B, which changed",
    ),
    "a native library": (
        {"lib/libx.so": b"\x7fELF"},
        "may read lib/libx.so, which changed",
        "may read lib/libx.so, which changed",
    ),
    "the manifest": (
        {MANIFEST: "Manifest-Version: 1.0\nMulti-Release: true\n"},
        "the jar's manifest changed (multi-release)",
        "the jar's manifest changed (multi-release)",
    ),
    "its record": (
        {LIST: f"{record('a.Bench.one', 'L 1 5 -Xint')}\n{record('a.Bench.two')}\n"},
        "JMH's list of benchmarks says something else about it",
        "",
    ),
    "a list of another format": (
        {LIST: "?\n"},
        "JMH's list of benchmarks is in a format that is not known",
        "JMH's list of benchmarks is in a format that is not known",
    ),
    "hints about its class": (
        {HINTS: "dontinline,*.*_jmhStub\n"},
        "JMH's hints to the compiler changed about a.Bench_one",
        "",
    ),
    "hints about all": (
        {HINTS: "inline,*.x\n"},
        "JMH's hints to the compiler changed",
        "JMH's hints to the compiler changed",
    ),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_a_benchmark_may_notice(name: str, tmp_path: Path) -> None:
    edits, one, two = DIFFERENT[name]
    assert reasons(tmp_path, {**BASE, **edits}) == (one, two)


def test_a_class_that_head_lacks_counts(tmp_path: Path) -> None:
    head = {name: content for name, content in BASE.items() if name != "a/Reader.class"}
    assert reasons(tmp_path, head) == ("", "loads a.Reader, which changed")


@pytest.mark.parametrize("argument", ["-javaagent:x.jar", "-agentpath:/x.so", "--patch-module=a=b"])
def test_an_agent_counts(argument: str, tmp_path: Path) -> None:
    one, two = reasons(tmp_path, BASE, arguments=("-Xmx1g", argument))
    assert one == two
    assert one.endswith("by which other code may run than the jar's")
    declared = {**BASE, LIST: record("a.Bench.one", f"L 1 {len(argument)} {argument}") + "\n"}
    assert "which other code" in reasons(tmp_path, declared, declared)[0]


def test_what_is_not_known_counts(tmp_path: Path) -> None:
    loaded = {ONE: Loaded(), TWO: Loaded(LOADED[TWO].classes, frozenset({"/lib/x.jar"}))}
    assert reasons(tmp_path, BASE, loaded=loaded) == (
        "the classes that it loads are not known",
        "loads classes from /lib/x.jar, which is not in the jar",
    )
    decisions = decide(difference(tmp_path, BASE, BASE), {}, SIDES, unknown="Java 8 does not say")
    assert {decision.why for decision in decisions} == {"Java 8 does not say"}


def test_a_class_that_cannot_be_read_may_name_and_read_anything(tmp_path: Path) -> None:
    base = {**BASE, "a/Helper.class": b"no class file"}
    assert reasons(tmp_path, base, base) == ("", "")
    added = reasons(tmp_path, {**base, "x/New.class": CHANGED}, base)
    assert added == ("may load x.New, which head adds", "")
    assert reasons(tmp_path, {**base, "a/data.txt": "2"}, base)[0].startswith("may read a/data.txt")


def test_who_reads_files_of_classes_notices_every_class(tmp_path: Path) -> None:
    base = {**BASE, "a/Reader.class": a_class("a/Reader", "getResource", ".class")}
    head = {**base, "a/Unused.class": CHANGED}
    assert reasons(tmp_path, head, base) == ("", "may read files of classes, and a.Unused changed")


def test_a_benchmark_of_one_side_has_nothing_to_be_the_same_as(tmp_path: Path) -> None:
    sides = {"base": [ONE], "head": [TWO]}
    decisions = decide(difference(tmp_path, BASE, BASE), LOADED, sides)
    assert [decision.why for decision in decisions] == ["only in base", "only in head"]
    assert summary(decisions) == "0 of 2 benchmarks run the same compiled code"


class TestRecord:
    """What a run keeps holds for other builds as long as nothing of it is different there."""

    def known(self, folder: Path, head: Files, jvm: str = "17") -> set[Identity]:
        both = difference(folder, BASE, head)
        path = folder / "classes.json"
        path.write_text(classes_text([build_entry(both.base, "17", LOADED)]), encoding="utf-8")
        known = known_of(read_builds(path), both.head, jvm)
        assert all(known[identity] == LOADED[identity] for identity in known)
        return set(known)

    @pytest.mark.parametrize(
        ("edits", "known"),
        [
            ({}, {ONE, TWO}),
            ({"a/Unused.class": CHANGED}, {ONE, TWO}),
            ({"a/New.class": CHANGED}, {ONE, TWO}),
            ({"a/Helper.class": CHANGED}, {TWO}),
            ({"x/Plain.class": CHANGED}, {ONE}),
            ({"a/data.txt": "2"}, set()),
            ({MANIFEST: "Build-Date: Tuesday\nManifest-Version: 1.0\n"}, {ONE, TWO}),
            ({MANIFEST: "Class-Path: x.jar\n"}, set()),
        ],
    )
    def test_holds_where_nothing_differs(
        self, edits: Files, known: set[Identity], tmp_path: Path
    ) -> None:
        assert self.known(tmp_path, {**BASE, **edits}) == known

    def test_keeps_what_is_not_used(self, tmp_path: Path) -> None:
        idle = Loaded(LOADED[ONE].classes, idle=frozenset({"a/Helper"}))
        both = difference(tmp_path, BASE, BASE)
        path = tmp_path / "classes.json"
        path.write_text(classes_text([build_entry(both.base, "17", {ONE: idle})]))
        assert known_of(read_builds(path), both.head, "17") == {ONE: idle}

    def test_is_of_one_java(self, tmp_path: Path) -> None:
        assert self.known(tmp_path, BASE, "21") == set()

    def test_there_may_be_none(self, tmp_path: Path) -> None:
        assert read_builds(tmp_path / "classes.json") == ()

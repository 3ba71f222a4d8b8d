"""Jars are read as Java reads them, and class files completely."""

import hashlib
import struct
import subprocess
import zipfile
from collections.abc import Mapping
from itertools import repeat
from pathlib import Path

import pytest
from made_jars import a_class, decide, record, write_jar
from reach_pairs import without_flags

from steady.errors import InputError
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode import facts, jdk_effects
from steady.harness.jmh.samecode.class_changes import digest_members
from steady.harness.jmh.samecode.class_file import ClassFile
from steady.harness.jmh.samecode.class_hierarchy import ClassHierarchy
from steady.harness.jmh.samecode.class_path import ClassPath, entries_of
from steady.harness.jmh.samecode.constant_pool import (
    ConstantPool,
    MalformedError,
    decode_modified_utf8,
)
from steady.harness.jmh.samecode.decide import JmhBuilds
from steady.harness.jmh.samecode.instructions import constant_uses, iterate_instructions
from steady.harness.jmh.samecode.jdk_effects import (
    ANYTHING,
    NAME,
    REFLECT,
    SERVICE_TYPES,
    allows_anything,
    callback_methods,
    effect_of,
    is_of_jdk,
    overridable_methods,
)
from steady.harness.jmh.samecode.method_rules import Rules
from steady.harness.jmh.samecode.resource_differences import ResourceDifferences
from steady.harness.trial import Version
from steady.model import Identity
from tests.looped import looped

Entries = Mapping[str, bytes | str]
BUILT = Path(__file__).parents[3] / "fuzz" / "corpus" / "benchmarks.jar"


def test_entry_name_without_flag_is_utf_8(tmp_path: Path) -> None:
    jar = write_jar(tmp_path / "a.jar", {"p/Größe.class": "x"})
    jar.write_bytes(without_flags(jar.read_bytes()))
    assert zipfile.ZipFile(jar).namelist() != ["p/Größe.class"]
    assert entries_of(jar) == {"p/Größe.class": (b"x",)}


def test_entry_name_may_contain_nul(tmp_path: Path) -> None:
    jar = write_jar(tmp_path / "a.jar", {"p/Nul.class": "x", "p/Nul.class@junk": "y"})
    jar.write_bytes(jar.read_bytes().replace(b"p/Nul.class@junk", b"p/Nul.class\0junk"))
    assert entries_of(jar) == {
        "p/Nul.class": (b"x",),
        "p/Nul.class\0junk": (hashlib.sha256(b"y").digest(),),
    }


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_order_of_duplicate_classes_is_compared(tmp_path: Path) -> None:
    found = []
    for number, contents in enumerate((b"12", b"21")):
        jar = tmp_path / f"{number}.jar"
        with zipfile.ZipFile(jar, "w") as archive:
            for content in contents:
                archive.writestr("p/X.class", bytes([content]))
        found.append(ClassPath.of(jar).classes["p/X"])
    assert found == [((":", b"1"), (":", b"2")), ((":", b"2"), (":", b"1"))]


@pytest.mark.parametrize("line", ["inline,java/util/HashMap.get", "inline,p.X::f"])
def test_hints_for_unknown_classes_affect_all_benchmarks(line: str, tmp_path: Path) -> None:
    sides = [
        ClassPath.of(write_jar(tmp_path / f"{n}.jar", {"META-INF/CompilerHints": f"quiet\n{more}"}))
        for n, more in enumerate(("", line))
    ]
    assert list(ResourceDifferences(*sides).reasons_for_all()) == ["JMH's compiler hints changed"]


def test_a_class_path_is_followed(tmp_path: Path) -> None:
    manifest = "Manifest-Version: 1.0\r\nCLASS-path: lib/a%20\r\n b.jar ../no.jar d/\r\n\r\n"
    jar = write_jar(tmp_path / "a.jar", {"META-INF/MANIFEST.MF": manifest})
    (tmp_path / "lib").mkdir()
    inner = {"p/X.class": "x", "META-INF/MANIFEST.MF": "Class-Path: ../a.jar"}
    write_jar(tmp_path / "lib" / "a b.jar", inner)
    (tmp_path / "d" / "q").mkdir(parents=True)
    (tmp_path / "d" / "q" / "Y.class").write_bytes(b"y")
    path = ClassPath.of(jar)
    assert [place.label for place in path.elements] == ["", "lib/a%20b.jar", "d/"]
    assert sorted(path.classes) == ["p/X", "q/Y"]
    assert path.problem == ""


@pytest.mark.parametrize(
    "word", ["http://x/y.jar", "jar:file:x.jar!/", "bad.jar", "a%00b.jar", "linked/", "x" * 5_000]
)
def test_unreadable_class_path_entries_are_reported(word: str, tmp_path: Path) -> None:
    (tmp_path / "bad.jar").write_bytes(b"no zip")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "to").symlink_to(tmp_path)
    jar = write_jar(tmp_path / "a.jar", {"META-INF/MANIFEST.MF": f"Class-Path: {word}\n"})
    assert word in ClassPath.of(jar).problem


def test_class_path_may_contain_the_whole_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of listed files is limited, like their size."""
    jar = write_jar(tmp_path / "a.jar", {"META-INF/MANIFEST.MF": "Class-Path: /\n"})
    monkeypatch.setattr(Path, "rglob", lambda *_: repeat(jar))
    assert ClassPath.of(jar).problem == "/ on the Class-Path cannot be read"


def test_method_with_an_empty_name(tmp_path: Path) -> None:
    """No JVM loads such a class; a fuzzer created one (seed 201)."""
    base = {entry: content for entry, (content, *_) in entries_of(BUILT).items()}
    head = {entry: content.replace(b"\0\x04area", b"\0\0") for entry, content in base.items()}
    assert head["suite/Shape.class"] != base["suite/Shape.class"]
    assert decided(tmp_path, base, head, name="suite.Bench.one")


def test_reason_is_short_and_encodable(tmp_path: Path) -> None:
    words = "x\udc80" * 2_000
    why = decided(tmp_path, made(), made({"x.txt": "1"}), f"-agentpath:{words}")
    assert why.startswith("its JVM gets -agentpath:x\\udc80x")
    assert len(why.encode()) < 600


def decided(
    folder: Path, base: Entries, head: Entries, *arguments: str, name: str = "p.B.run"
) -> str:
    held = dict.fromkeys(("base", "head"), (Identity(name),))
    return decide(folder, base, head, held, *arguments)[0].why


def made(changed: Entries | None = None) -> Entries:
    generated = {"p/B_jmhTest.class": a_class("p/B_jmhTest")}
    return {"META-INF/BenchmarkList": record("p.B.run"), **generated, **(changed or {})}


def test_small_jars(tmp_path: Path) -> None:
    assert decided(tmp_path, made(), made({"x.txt": "1"})) == ""
    assert "manifest" in decided(tmp_path, made(), made({"META-INF/MANIFEST.MF": "Add-Opens: x\n"}))
    assert "INDEX" in decided(tmp_path, made(), made({"META-INF/INDEX.LIST": "x"}))
    name = "org/openjdk/jmh/util/A"
    assert "JMH or" in decided(tmp_path, made(), made({f"{name}.class": a_class(name)}))


def test_string_at_index_0_is_malformed() -> None:
    broken = a_class("p/X").replace(bytes([7, 0, 2]), bytes([8, 0, 0]))
    with pytest.raises(MalformedError):
        digest_members(ClassFile(broken))


def test_supplementary_characters() -> None:
    text = decode_modified_utf8(b"\xed\xa0\xb5\xed\xb2\x9ca\xc0\x80b")
    assert text == "\N{MATHEMATICAL SCRIPT CAPITAL A}a\0b"
    assert decode_modified_utf8(b"\xff") == "\udcff"


MAGIC = b"\xca\xfe\xba\xbe"


@looped("broken", [b"", MAGIC, a_class("p/X")[:14], MAGIC + b"\0\0\0\0\0\5\2"])
def test_damaged_constant_pool_is_malformed(broken: bytes) -> None:
    with pytest.raises(MalformedError):
        ConstantPool(broken)


def test_instructions_without_constants_are_skipped() -> None:
    switch = b"\x00\xaa\x00\x00" + struct.pack(">iiiii", 0, 1, 2, 8, 8)
    wide = b"\xc4\x15\x00\x01\xc4\x84\x00\x01\x00\x01"
    code = switch + wide + b"\x12\x07\xb8\x00\x05\xb9\x00\x06\x01\x00\xb1"
    found = [(opcode, index) for opcode, index, _ in constant_uses(code)]
    assert found == [(0x12, 7), (0xB8, 5), (0xB9, 6)]
    ends = [end for _, end in iterate_instructions(code)]
    assert (ends[1], ends[-1]) == (len(switch), len(code))
    for broken in (b"\xfe", b"\xb8\x00", b"\xaa\x00\x00", b"\x10"):
        for read in (constant_uses, iterate_instructions):
            with pytest.raises(MalformedError):
                list(read(broken))


def test_table_contains_only_known_effects() -> None:
    values = [value for name, value in vars(jdk_effects).items() if name.isupper()]
    assert {kind for *_, kind in jdk_effects._rules()} == {v for v in values if isinstance(v, str)}


def test_effects() -> None:
    for owner, method, kind in (
        ("java/lang/Class", "forName", NAME),
        ("java/lang/Class", "aMethodOfLater", REFLECT),
        ("java/lang/ThingOfLater", "x", ANYTHING),
        ("javax/naming/Context", "lookup", ANYTHING),
        ("org/slf4j/Logger", "info", ANYTHING),
        ("java/util/function/ThingOfLater", "apply", ANYTHING),
        ("java/util/ServiceLoader$Provider", "type", SERVICE_TYPES),
        ("java/lang/foreign/MemorySegment", "get", ""),
        ("java/lang/foreign/Linker", "downcallHandle", ANYTHING),
    ):
        assert effect_of(owner, method) == kind, owner
    one_class, members = ("()Ljava/lang/Class;", "()[Ljava/lang/reflect/Field;")
    assert {effect_of("java/util/List", "ofLater", text) for text in (one_class, members)} == {
        ANYTHING
    }
    assert effect_of("java/util/List", "ofLater", "()Ljava/lang/ClassLoader;") == ""
    assert effect_of("java/util/List", "getClass", one_class) == ""
    assert effect_of("java/security/KeyStore", "getInstance", "(Ljava/io/File;[C)LX;") == ANYTHING
    assert is_of_jdk("org/xml/sax/helpers/DefaultHandler")
    assert not is_of_jdk("org/xml/other/X")
    assert allows_anything("java/lang/Class")
    assert not allows_anything("java/util/Base64")


def test_callbacks() -> None:
    assert "run" in (overridable_methods("java/lang/Thread") or ())
    assert "getMessage" in (overridable_methods("java/util/NoSuchElementException") or ())
    assert "hasNext" not in (callback_methods(["java/lang/Runnable"]) or ())
    assert callback_methods(["java/lang/Runnable", "javax/swing/JPanel"]) is None
    assert "removeEldestEntry" in (callback_methods(["java/util/LinkedHashMap"]) or ())


def test_unreadable_class_may_have_any_effect(tmp_path: Path) -> None:
    jar = ClassPath.of(write_jar(tmp_path / "a.jar", {"p/X.class": b"no class"}))
    hierarchy = ClassHierarchy(jar, jar)
    following = Rules(hierarchy, ResourceDifferences(jar, jar)).follow((facts.LOAD, "p/X"))
    assert any(fact[:2] == (facts.JDK_CALL, ANYTHING) for fact in following)


ONE, TWO, OLD = (Identity(f"a.{name}.run") for name in ("One", "Two", "Old"))
HELD = {"base": [OLD, ONE], "head": [TWO, ONE]}


def files(text: str = "") -> dict[str, bytes | str]:
    """Return the entries of a jar with three benchmarks; a class of the first contains a text."""
    entries: dict[str, bytes | str] = {
        "META-INF/BenchmarkList": "".join(f"{record(one.name)}\n" for one in (ONE, TWO, OLD))
    }
    for name in ("One", "Two", "Old"):
        entries[f"a/{name}.class"] = a_class(f"a/{name}")
        parent = f"a/{name}"
        entries[f"a/{name}_jmhTest.class"] = a_class(f"a/{name}_jmhTest", parent=parent)
    return entries | ({"a/One.class": a_class("a/One", text, parent="a/Two")} if text else {})


@pytest.fixture
def _no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", started)


@pytest.mark.usefixtures("_no_process")
def test_each_benchmark_is_decided_in_the_order_of_base(tmp_path: Path) -> None:
    decided = decide(tmp_path, files(), files("more"), HELD)
    assert [one.identity for one in decided] == [OLD, ONE, TWO]
    assert decided[0].why == "only in base"
    assert decided[1].why == "uses a.One, whose fields, parents or annotations changed"
    assert decided[2].why == "only in head"


def test_jvm_arguments_are_considered(tmp_path: Path) -> None:
    held = {"base": [ONE, TWO], "head": [ONE, TWO]}
    one, plain = decide(tmp_path, files(), files("more"), held)
    nearer, agent = decide(tmp_path, files(), files("more"), held, "-javaagent:x.jar")
    assert plain.same
    # Without a module path, all modules belong to the JDK.
    for harmless in ("-Xmx1g", "--add-modules=jdk.incubator.vector"):
        assert decide(tmp_path, files(), files("more"), held, harmless) == (one, plain)
    assert agent.why.startswith("its JVM gets -javaagent:x.jar, which may run code")
    assert agent.distance == 0 < one.distance, (
        "all may differ; benchmarks with a path to a change are near"
    )
    assert (nearer.why, nearer.distance) == (agent.why, one.distance)


def test_unknown_list_format_means_that_all_benchmarks_may_differ(tmp_path: Path) -> None:
    head = files("more") | {"META-INF/BenchmarkList": "JMH 9 of tomorrow\n"}
    decided = decide(tmp_path, files(), head, {"base": [ONE, TWO], "head": [ONE, TWO]})
    assert not any(one.same for one in decided)
    assert decided[0].why == "JMH's list of benchmarks has an unknown format"


def test_file_that_is_not_a_jar_is_an_input_error(tmp_path: Path) -> None:
    jar = tmp_path / "head.jar"
    jar.write_text("no zip")
    builds = JmhBuilds(JmhRuns(), [Version("base", jar), Version("head", jar)])
    with pytest.raises(InputError, match=r"head\.jar: is not a jar, or is damaged"):
        builds.decisions({"base": [ONE], "head": [ONE]})

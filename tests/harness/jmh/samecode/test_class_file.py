"""Digests of class files without debug information, with javac and javap as oracles."""

import re
import struct
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_jars import a_class, compiled, edited, edits_of

from steady.harness.jmh.samecode.class_changes import compare_class, digest_members
from steady.harness.jmh.samecode.class_file import ClassFile
from steady.harness.jmh.samecode.constant_pool import MalformedError
from tests.harness.pair_texts import pairs_in
from tests.looped import looped

HERE = Path(__file__).parent
SOURCE = (HERE / "Sample.java").read_text(encoding="utf-8")

DEBUGGING = {
    "default": ("-g:source,lines", SOURCE),
    "all": ("-g", SOURCE),
    "none": ("-g:none", SOURCE),
    "shifted": ("-g", SOURCE.replace("\n", "\n// a comment\n")),
    "renamed local": ("-g", re.sub(r"\bsum\b", "total", SOURCE)),
}

EDITS = {pair.title: pair for pair in pairs_in(HERE / "edits" / "sample.txt")}


def whole_of(content: bytes) -> str:
    """Return the digest of a class; empty if the file is not a class."""
    try:
        return digest_members(ClassFile(content)).whole
    except MalformedError:
        return ""


@dataclass(frozen=True)
class Built:
    """A folder of classes, and the output of javap for each."""

    folder: Path

    def digests(self) -> dict[str, str]:
        files = sorted(self.folder.rglob("*.class"))
        return {path.name: whole_of(path.read_bytes()) for path in files}

    def disassembled(self) -> str:
        """Return the output of javap without constant indices and the name of the source file."""
        lines = self.folder.with_name("javap.txt").read_text(encoding="utf-8").splitlines()
        kept = (re.sub(r"#\d+", "#", line) for line in lines if "Compiled from" not in line)
        return "\n".join(" ".join(line.split()) for line in kept)

    def sample(self) -> bytes:
        return (self.folder / "sample" / "Sample.class").read_bytes()


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Built]:
    """Compile all variants of the sample."""
    edits = {name: ("-g", edited(SOURCE, edits_of(pair, "head"))) for name, pair in EDITS.items()}
    programs = {
        name: {"Sample.java": source, "options.txt": f"{options} -encoding UTF-8"}
        for name, (options, source) in {**DEBUGGING, **edits}.items()
    }
    built = compiled(tmp_path_factory.mktemp("variants"), programs, disassembled=True)
    return {name: Built(path) for name, path in built.items()}


@pytest.mark.xdist_group("reach")
@pytest.mark.needs("javac")
def test_debug_information_is_not_digested(builds: dict[str, Built]) -> None:
    usual = builds["all"]
    assert len(usual.digests()) == 6
    assert all(usual.digests().values())
    for name in DEBUGGING:
        ours = builds[name]
        assert ours.digests() == usual.digests(), name
        assert ours.disassembled() == usual.disassembled(), name
        assert name == "all" or ours.sample() != usual.sample(), name


@pytest.mark.xdist_group("reach")
@pytest.mark.needs("javac")
def test_every_edit_that_javap_shows_changes_the_digest(builds: dict[str, Built]) -> None:
    usual = builds["all"]
    for name, built in builds.items():
        if name in EDITS or built.disassembled() != usual.disassembled():
            assert built.digests() != usual.digests(), name


@pytest.mark.xdist_group("reach")
@pytest.mark.needs("javac")
def test_damaged_class_files_raise_no_other_error(builds: dict[str, Built]) -> None:
    content = builds["all"].sample()
    whole = whole_of(content)

    @settings(max_examples=100)
    @given(st.integers(0, len(content) - 1), st.integers(0, 255))
    def damaged(place: int, byte: int) -> None:
        whole_of(content[:place] + bytes([byte]) + content[place + 1 :])
        assert whole_of(content[:place]) != whole

    damaged()


def _with_a_text_at(place: int, attribute: bytes, content: bytes) -> bytes:
    """Return a class whose method has an attribute; constant 8 is a String with text at `place`."""
    texts = [b"A", b"java/lang/Object", attribute, b"m", b"()V"]
    pool = b"".join(b"\x01" + struct.pack(">H", len(text)) + text for text in texts)
    pool += struct.pack(">BHBHBH", 7, 1, 7, 2, 8, place)
    method = struct.pack(">HHHHHHI", 1, 0x401, 4, 5, 1, 3, len(content)) + content
    return (
        bytes.fromhex("cafebabe0000003d")
        + struct.pack(">H", 9)
        + pool
        + struct.pack(">HHHHH", 0x421, 6, 7, 0, 0)
        + method
        + struct.pack(">H", 0)
    )


@looped(
    ("attribute", "content"),
    [
        (b"ConstantValue", struct.pack(">H", 8)),
        (b"AnnotationDefault", struct.pack(">BH", ord("s"), 8)),
        (b"RuntimeVisibleAnnotations", struct.pack(">HHHHBH", 1, 1, 1, 4, ord("s"), 8)),
        (b"BootstrapMethods", struct.pack(">HHHH", 1, 8, 1, 8)),
    ],
)
def test_invalid_constant_index_is_malformed(attribute: bytes, content: bytes) -> None:
    whole, damaged = (_with_a_text_at(place, attribute, content) for place in (4, 0))
    assert whole_of(whole)
    assert not whole_of(damaged)


def with_attribute(name: str, text: str) -> bytes:
    """Return a class with an attribute that refers to a text."""
    entry = struct.pack(">H", len(name)) + name.encode()
    return a_class("A", source=text).replace(b"\x00\x0aSourceFile", entry)


def test_attributes_for_scala_compilers_are_not_digested() -> None:
    for name in ("TASTY", "Scala", "ScalaSig", "ScalaInlineInfo"):
        one, other = with_attribute(name, "x"), with_attribute(name, "y")
        change = compare_class((("", one),), (("", other),))
        assert one != other
        assert (change.incomparable, change.shape, change.any_member) == ("", False, False), name
    unknown = [(("", with_attribute("Unknown", text)),) for text in "xy"]
    assert compare_class(*unknown).incomparable


@pytest.mark.needs("javac")
def test_compiler_annotations_are_only_significant_for_reflection(tmp_path: Path) -> None:
    kinds = ("kotlin.Metadata", "scala.reflect.ScalaSignature", "suite.Other")
    programs = {}
    for kind in kinds:
        package, _, name = kind.rpartition(".")
        own = f"package {package}; public @interface {name} {{ String[] value(); }}"
        for text in "xy":
            use = f'package suite; @{kind}("{text}") class A {{ }}'
            programs[kind, text] = {f"{name}.java": own, "A.java": use}
    built = compiled(tmp_path, programs)
    for kind in kinds:
        sides = ((built[kind, text] / "suite" / "A.class").read_bytes() for text in "xy")
        change = compare_class(*((("", side),) for side in sides))
        assert (change.incomparable, change.any_member) == ("", True)
        assert change.shape == kind.startswith("suite"), kind

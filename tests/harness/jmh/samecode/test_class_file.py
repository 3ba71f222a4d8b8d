"""A class file without what only debuggers read: javac and javap are the oracle."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_jars import compiled, edited

from steady.harness.jmh.samecode.changes import read_members
from steady.harness.jmh.samecode.class_code import ClassCode
from steady.harness.jmh.samecode.constant_pool import MalformedError
from tests.looped import looped

SOURCE = Path(__file__).with_name("Sample.java").read_text(encoding="utf-8")

DEBUGGING = {
    "default": ("-g:source,lines", SOURCE),
    "all": ("-g", SOURCE),
    "none": ("-g:none", SOURCE),
    "shifted": ("-g", SOURCE.replace("\n", "\n// a comment\n")),
    "renamed local": ("-g", re.sub(r"\bsum\b", "total", SOURCE)),
}

EDITS = {
    "a constant": ("* 31 +", "* 37 +"),
    "a small constant": ("return 20;", "return 21;"),
    "a case": ("case 2:", "case 4:"),
    "a key": ('case "one"', 'case "two"'),
    "an operator": ("+ i ^", "+ i |"),
    "a long": ("12345678901L", "12345678902L"),
    "a double": ("0.125", "0.25"),
    "a text": ("é and", "è and"),
    "a text that is joined": ('"n="', '"m="'),
    "a step": ("i += 2", "i += 3"),
    "a handler": ("| ArithmeticException", "| ArrayStoreException"),
    "a field": ("number = 77", "number = 78"),
    "a modifier": ("protected transient", "protected"),
    "a signature": ("Map<String, Integer> counts", "Map<String, ? extends Integer> counts"),
    "an annotation": ("value = 3", "value = 4"),
    "an annotation's list": ('{"a", "b"}', '{"a", "c"}'),
    "an annotation's enum": ("Kind.LOW,", "Kind.HIGH,"),
    "an annotation's class": ("type = List.class", "type = Map.class"),
    "a parameter's annotation": ("wide(@Deprecated long", "wide(long"),
    "a type's annotation": ("(@Note U one)", "(U one)"),
    "a default": ("default 1;", "default 2;"),
    "a method's exceptions": ("long seed) throws IOException", "long seed) throws Exception"),
    "a supertype": ("implements Supplier<T>", "implements Supplier<T>, java.io.Serializable"),
    "a cast": ("(Sample<?>) other).number", "(Sample<?>) other).dense(1)"),
    "an array": ("new int[3][4]", "new int[3][5]"),
    "a method more": ("enum Kind", "void more() {}\n    enum Kind"),
    "an anonymous class": ('"anonymous "', '"nameless "'),
    "an interface's method": ("2 * area()", "3 * area()"),
}  # fmt: skip


def whole_of(content: bytes) -> str:
    """Return the digest of a class; empty if it is none."""
    try:
        return read_members(ClassCode(content)).whole
    except MalformedError:
        return ""


@dataclass(frozen=True)
class Built:
    """A folder of classes, and what javap says of each."""

    folder: Path

    def digests(self) -> dict[str, str]:
        files = sorted(self.folder.rglob("*.class"))
        return {path.name: whole_of(path.read_bytes()) for path in files}

    def disassembled(self) -> str:
        """Return what javap prints without numbers of constants, and without the source's name."""
        lines = self.folder.with_name("javap.txt").read_text(encoding="utf-8").splitlines()
        kept = (re.sub(r"#\d+", "#", line) for line in lines if "Compiled from" not in line)
        return "\n".join(" ".join(line.split()) for line in kept)

    def sample(self) -> bytes:
        return (self.folder / "sample" / "Sample.class").read_bytes()


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Built]:
    """Compile all variants of the sample."""
    variants = {**DEBUGGING, **{name: ("-g", edited(SOURCE, [one])) for name, one in EDITS.items()}}
    programs = {name: {"Sample.java": source} for name, (_, source) in variants.items()}
    options = {name: f"{own} -encoding UTF-8" for name, (own, _) in variants.items()}
    folder = tmp_path_factory.mktemp("variants")
    built = compiled(folder, programs, options, disassembled=True)
    return {name: Built(path) for name, path in built.items()}


@pytest.mark.xdist_group("reach")
@pytest.mark.needs("javac")
def test_what_only_debuggers_read_does_not_count(builds: dict[str, Built]) -> None:
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
def test_every_edit_counts_and_all_that_javap_sees(builds: dict[str, Built]) -> None:
    usual = builds["all"]
    for name, built in builds.items():
        if name in EDITS or built.disassembled() != usual.disassembled():
            assert built.digests() != usual.digests(), name


@pytest.mark.xdist_group("reach")
@pytest.mark.needs("javac")
def test_no_damage_is_a_traceback(builds: dict[str, Built]) -> None:
    content = builds["all"].sample()
    whole = whole_of(content)

    @settings(max_examples=100)
    @given(st.integers(0, len(content) - 1), st.integers(0, 255))
    def damaged(place: int, byte: int) -> None:
        whole_of(content[:place] + bytes([byte]) + content[place + 1 :])
        assert whole_of(content[:place]) != whole

    damaged()


@given(st.binary(max_size=200))
def test_anything_is_a_class_or_refused(content: bytes) -> None:
    magic = bytes.fromhex("cafebabe0000003d")
    for one in (content, magic + content):
        assert re.fullmatch(r"([0-9a-f]{64})?", whole_of(one))


def _with_a_text_at(place: int, attribute: bytes, content: bytes) -> bytes:
    """Return a class with a method's attribute; constant 8 is a String whose text is at a place."""
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
def test_a_text_at_no_place_is_damage(attribute: bytes, content: bytes) -> None:
    whole, damaged = (_with_a_text_at(place, attribute, content) for place in (4, 0))
    assert whole_of(whole)
    assert not whole_of(damaged)

"""Constructs jars of small class files."""

import struct
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from steady.harness.builds import Decision
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.decide import JmhBuilds
from steady.harness.runs import HarnessSettings
from steady.harness.trial import Held, Version
from steady.model import Identity
from tests.harness.pair_texts import PairText, side_of

OPTIONS = "-source 11 -target 11 -Xlint:-options"
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options for a fast start of a short-lived JVM."""
RECORD = (
    "JMH S {} {} S {} {} S {} {} S 11 AverageTime "
    "I 1 1 A 1 1 1 E I 1 1 T 5 10 ms E I 1 1 T 5 10 ms I 1 2 I 1 1 E E E E {} E U 12 MICROSECONDS "
    "E E "
)


def a_class(name: str, *texts: str, parent: str = "java/lang/Object", source: str = "") -> bytes:
    """Return a class file without members; `source` is debug information."""
    words = [name, parent, *texts, *(["SourceFile", source] if source else [])]
    pool = b"".join(b"\x01" + struct.pack(">H", len(w.encode())) + w.encode() for w in words)
    first_class = len(words) + 1
    pool += struct.pack(">BHBH", 7, 1, 7, 2)
    attribute = struct.pack(">HIH", len(words) - 1, 2, len(words)) if source else b""
    return (
        bytes.fromhex("cafebabe0000003d")
        + struct.pack(">H", first_class + 2)
        + pool
        + struct.pack(">HHHHHH", 0x21, first_class, first_class + 1, 0, 0, 0)
        + struct.pack(">H", 1 if source else 0)
        + attribute
    )


def record(name: str, jvm_args: str = "E") -> str:
    """Return the line of a benchmark in JMH's list."""
    owner, _, method = name.rpartition(".")
    generated = f"{owner}_jmhTest"
    sizes = (part for text in (owner, generated, method) for part in (len(text), text))
    return RECORD.format(*sizes, jvm_args)


def write_jar(
    path: Path, files: Mapping[str, bytes | str], order: Sequence[str] = (), year: int = 2020
) -> Path:
    """Write a jar with entries in a given order, with time stamps of a given year."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in order or files:
            info = zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0))
            archive.writestr(info, files[name])
    return path


def decide(
    folder: Path,
    base: Mapping[str, bytes | str],
    head: Mapping[str, bytes | str],
    held: Held,
    *arguments: str,
) -> tuple[Decision, ...]:
    """Decide for each benchmark of two jars with given entries."""
    jars = write_jar(folder / "base.jar", base), write_jar(folder / "head.jar", head)
    versions = [Version(name, jar) for name, jar in zip(("base", "head"), jars, strict=True)]
    return JmhBuilds(JmhRuns(HarnessSettings(jvm_args=arguments)), versions).decisions(held)


def edited(source: str, edits: Sequence[tuple[str, str]]) -> str:
    """Return a source with each old text replaced by the new one."""
    for old, new in edits:
        assert old in source, old
        source = source.replace(old, new)
    return source


def edits_of(pair: PairText, part: str) -> list[tuple[str, str]]:
    """Return the old and the new text of an edit."""
    texts = (text.rstrip("\n") for name, text in pair.parts if name == part)
    return [(side_of(text, "base"), side_of(text, "head")) for text in texts]


Key = TypeVar("Key")
Programs = Mapping[Key, Mapping[str, str]]


def compiled(
    folder: Path, programs: Programs[Key], *, disassembled: bool = False
) -> dict[Key, Path]:
    """Compile programs, given as sources by file name, in one JVM.

    A file ``options.txt`` has options of the compiler. What javap says of them stands beside their
    classes, in ``javap.txt``, where it is asked for.

    Returns
    -------
    dict of key to Path
        The folders of their classes.
    """
    each = {key: tuple(sources.items()) for key, sources in programs.items()}
    built = {own: folder / str(number) for number, own in enumerate(dict.fromkeys(each.values()))}
    for sources, place in built.items():
        (place / "src").mkdir(parents=True)
        if disassembled:
            (place / "javap.txt").touch()
        for file, text in (("options.txt", OPTIONS), *sources):
            (place / "src" / file).write_text(text, encoding="utf-8")
    program = str(Path(__file__).with_name("Compile.java"))
    command = ["java", *QUICK, program, *map(str, built.values())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return {key: built[own] / "classes" for key, own in each.items()}


def classes_in(folder: Path) -> dict[str, bytes | str]:
    """Return the classes below a folder, as the entries of a jar."""
    paths = sorted(folder.rglob("*.class"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def why(one: Identity, base: Path, head: Path, folder: Path) -> str:
    """Return why the code path of a benchmark may differ between two folders of classes."""
    entries = {"META-INF/BenchmarkList": record(one.name) + "\n"}
    of_base, of_head = ({**classes_in(side), **entries} for side in (base, head))
    (decision,) = decide(folder, of_base, of_head, {"base": [one], "head": [one]})
    return decision.why.replace("suite.", "")

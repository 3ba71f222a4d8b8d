"""Pairs of jars of one small program each, of which a few characters differ.

A file in ``pairs`` holds ``=== NAME``, the source, which goes into a package of this name, and
``--- PATH`` with further entries of the jar: text, or ``@side:Class`` for a compiled class of one
side, or ``-`` to take an entry away. ``!jar!path`` is an entry of a jar beside it, and
``!folder/!path`` a file in a folder beside it. Where the sides differ stands ``[[base||head]]``.
After a name may stand ``unproven`` (running both does not show that they differ) or ``raw`` (see
`Pair`). All programs of a side are compiled at once, and all are run in one JVM, each with a class
loader of its own.
"""

from __future__ import annotations

import re
import struct
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.decide import Deciding
from steady.model import Identity
from steady.samecode.decision import Decision, decided

ALTERNATIVES = re.compile(r"\[\[(.*?)\|\|(.*?)\]\]", re.DOTALL)
SIDES = ("base", "head")
IMPORTS = (
    "import java.io.*; import java.lang.invoke.*; import java.lang.reflect.*; import java.util.*;"
    "import java.util.concurrent.*; import java.util.function.*; import java.util.stream.*;"
)
STUB = (
    "package {0}.jmh_generated; public final class B_run_jmhTest {{"
    " public Object run_AverageTime() throws Throwable {{ return new {0}.B().run(); }} }}"
)
RECORD = "JMH S {} {} S {} {} S 3 run S 11 AverageTime E A 1 1 1 " + 17 * "E "
MANIFEST = "META-INF/MANIFEST.MF"


@dataclass(frozen=True)
class Pair:
    """One program.

    Parameters
    ----------
    name : str
        Its package.
    source : str
        Its classes; the benchmark is ``B.run``.
    files : mapping of str to str
        Other entries.
    proven : bool
        Whether running both sides shows that they differ.
    raw : bool
        Whether no name in the jar says that it is UTF-8, and ``@`` in them stands for a NUL.
    """

    name: str
    source: str
    files: Mapping[str, str] = field(default_factory=dict)
    proven: bool = True
    raw: bool = False


def pairs_of(*names: str) -> list[Pair]:
    """Read files of pairs."""
    texts = (Path(__file__).with_name("pairs") / f"{name}.txt" for name in names)
    return [
        _pair(text)
        for path in texts
        for text in re.split(r"^=== ", path.read_text(), flags=re.M)[1:]
    ]


def _pair(text: str) -> Pair:
    program, *files = re.split(r"^--- ", text, flags=re.M)
    title, _, source = program.partition("\n")
    name, *notes = title.split()
    contents = (file.partition("\n")[::2] for file in files)
    return Pair(name, source, dict(contents), "unproven" not in notes, "raw" in notes)


def side_of(text: str, side: str) -> str:
    """Return what one side has."""
    number = SIDES.index(side) + 1
    return ALTERNATIVES.sub(lambda match: match[number], text)


def compile_all(pairs: Sequence[Pair], folder: Path) -> None:
    """Compile both sides of all programs into ``folder/side``."""
    for side in SIDES:
        sources = []
        for pair in pairs:
            for name, text in (("B", f"{IMPORTS}\n{pair.source}"), ("Stub", "")):
                path = folder / "src" / side / pair.name / f"{name}.java"
                path.parent.mkdir(parents=True, exist_ok=True)
                if name == "Stub":
                    path = path.with_name("B_run_jmhTest.java")
                    path.write_text(STUB.format(pair.name))
                else:
                    path.write_text(side_of(f"package {pair.name}; {text}", side))
                sources.append(str(path))
        quick = ["javac", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]
        command = [*quick, "-g", "-nowarn", "-proc:none", "-Xlint:none", "-encoding", "UTF-8"]
        done = subprocess.run(
            [*command, "-d", str(folder / side), *sources], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


def write_all(pairs: Sequence[Pair], folder: Path) -> None:
    """Write ``folder/side/NAME.jar`` for each program and side."""
    for side in SIDES:
        for pair in pairs:
            write_pair(pair, folder, side)


def write_pair(pair: Pair, folder: Path, side: str) -> None:
    entries: dict[str, bytes] = {MANIFEST: b"Manifest-Version: 1.0\r\n\r\n"}
    own = f"{pair.name}.B"
    generated = f"{pair.name}.jmh_generated.B_run_jmhTest"
    record = RECORD.format(len(own), own, len(generated), generated)
    entries["META-INF/BenchmarkList"] = record.encode()
    for path in sorted((folder / side / pair.name).rglob("*.class")):
        entries[path.relative_to(folder / side).as_posix()] = path.read_bytes()
    beside: dict[str, dict[str, bytes]] = {}
    for name, text in pair.files.items():
        name, text = side_of(name, side), side_of(text, side)
        if not name:
            continue
        is_class = text.strip()[:1] in ("@", "-")
        content = _content(text.strip(), pair, folder) if is_class else text.encode()
        if name.startswith("!"):
            jar, _, inner = name[1:].partition("!")
            beside.setdefault(jar, {})[inner] = content
        elif text.strip() == "-":
            entries.pop(name, None)
        else:
            entries[name] = content
    place = folder / "jars" / side / pair.name
    _zip(place / "b.jar", entries)
    if pair.raw:
        data = (place / "b.jar").read_bytes().replace(b".class@", b".class\0")
        (place / "b.jar").write_bytes(without_flags(data))
    for jar, inner_entries in beside.items():
        if not jar.endswith("/"):
            _zip(place / jar, inner_entries)
            continue
        for inner, content in inner_entries.items():
            (place / jar / inner).parent.mkdir(parents=True, exist_ok=True)
            (place / jar / inner).write_bytes(content)


def _content(text: str, pair: Pair, folder: Path) -> bytes:
    side, _, name = text[1:].partition(":")
    return (folder / side / pair.name / f"{name}.class").read_bytes() if name else b""


def _zip(path: Path, entries: Mapping[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def without_flags(jar: bytes) -> bytes:
    """Take from every name the flag by which it is UTF-8, as some tools write them."""
    data = bytearray(jar)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            flags = struct.unpack_from("<H", data, at + offset)[0]
            struct.pack_into("<H", data, at + offset, flags & ~0x800)
            at = data.find(mark, at + 4)
    return bytes(data)


def decide(pair: Pair, folder: Path, arguments: Sequence[str] = ()) -> Decision:
    """Decide about the program's benchmark."""
    base, head = (folder / "jars" / side / pair.name / "b.jar" for side in SIDES)
    identity = Identity(f"{pair.name}.B.run")
    held = dict.fromkeys(SIDES, (identity,))
    of_base = ClassPath.of(base)
    deciding = Deciding(of_base, ClassPath.of(head, of_base), held, tuple(arguments))
    (decision,) = decided(held, deciding.why, deciding.near)
    return decision


def run_all(pairs: Sequence[Pair], folder: Path) -> dict[tuple[str, str], str]:
    """Run both sides of programs, and return what each returns."""
    (folder / "list").write_text("\n".join(pair.name for pair in pairs))
    prove = Path(__file__).with_name("Prove.java")
    command = ["java", "-XX:TieredStopAtLevel=1", str(prove), str(folder / "jars"), "list"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith("RESULT\t"):
            _, name, side, result = line.split("\t", 3)
            found[name, side] = result
    return found

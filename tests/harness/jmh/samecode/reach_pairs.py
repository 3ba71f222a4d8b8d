"""Pairs of jars with one small program each, which differ in a few characters.

Files in ``pairs`` contain pairs (see `tests.harness.pair_texts`): the source, in a package with the
pair's name and with the benchmark ``B.run``, then other entries of the jar. The content of an entry
is text, ``@side:Class`` for a compiled class of one side, or ``-`` to remove the entry.
``!jar!path`` is an entry of a jar on the class path, ``!folder/!path`` a file in a folder on it,
and ``+vendor/path`` the source of a class that the JVM provides. After the name of a pair, these
words are allowed: ``unproven`` (running both sides does not show a difference) and ``raw`` (names
of entries lack the UTF-8 flag, and ``@`` in them stands for NUL). All programs of a side are
compiled together, and run in one JVM, each with its own class loader.
"""

import shutil
import struct
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from made_jars import QUICK, record

from steady.harness.builds import Decision
from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.decide import JarComparison
from steady.model import Identity
from tests.harness.pair_texts import SIDES, PairText, pairs_in, side_of

IMPORTS = (
    "import java.io.*; import java.lang.invoke.*; import java.lang.reflect.*; import java.util.*;"
    "import java.util.concurrent.*; import java.util.function.*; import java.util.stream.*;"
)
STUB = (
    "package {0}; public final class B_jmhTest {{"
    " public Object run_AverageTime() throws Throwable {{ return new B().run(); }} }}"
)
MANIFEST = "META-INF/MANIFEST.MF"


def pairs_of(*names: str) -> list[PairText]:
    """Read files of pairs."""
    return pairs_in(*(Path(__file__).with_name("pairs") / f"{name}.txt" for name in names))


def compile_all(pairs: Sequence[PairText], folder: Path) -> None:
    """Compile both sides of all programs into ``folder/side``."""
    for side in SIDES:
        sources = []
        for pair in pairs:
            own = side_of(f"package {pair.name}; {IMPORTS}\n{pair.text}", side)
            for name, text in (("B", own), ("B_jmhTest", STUB.format(pair.name))):
                path = folder / "src" / side / pair.name / f"{name}.java"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                sources.append(str(path))
            for name, text in pair.files(side).items():
                if name.startswith("+"):
                    path = folder / "src" / side / f"{name[1:]}.java"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text)
                    sources.append(str(path))
        quick = ["javac", *(f"-J{option}" for option in QUICK)]
        command = [*quick, "-g", "-nowarn", "-proc:none", "-Xlint:none", "-encoding", "UTF-8"]
        done = subprocess.run(
            [*command, "-d", str(folder / side), *sources], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


def write_pair(pair: PairText, folder: Path, side: str) -> None:
    """Write ``folder/jars/side/NAME/b.jar``, and the other files of its class path."""
    entries: dict[str, bytes] = {MANIFEST: b"Manifest-Version: 1.0\r\n\r\n"}
    entries["META-INF/BenchmarkList"] = record(f"{pair.name}.B.run").encode()
    for path in sorted((folder / side / pair.name).rglob("*.class")):
        entries[path.relative_to(folder / side).as_posix()] = path.read_bytes()
    beside: dict[str, dict[str, bytes]] = {}
    for name, text in pair.files(side).items():
        is_class = text.strip()[:1] in ("@", "-")
        content = _content(text.strip(), pair, folder) if is_class else text.encode()
        if name.startswith("!"):
            jar, _, inner = name[1:].partition("!")
            beside.setdefault(jar, {})[inner] = content
        elif text.strip() == "-":
            entries.pop(name, None)
        elif not name.startswith("+"):
            entries[name] = content
    place = folder / "jars" / side / pair.name
    _zip(place / "b.jar", entries)
    if "raw" in pair.notes:
        data = (place / "b.jar").read_bytes().replace(b".class@", b".class\0")
        (place / "b.jar").write_bytes(without_flags(data))
    for jar, inner_entries in beside.items():
        if not jar.endswith("/"):
            _zip(place / jar, inner_entries)
            continue
        for inner, content in inner_entries.items():
            (place / jar / inner).parent.mkdir(parents=True, exist_ok=True)
            (place / jar / inner).write_bytes(content)


def _content(text: str, pair: PairText, folder: Path) -> bytes:
    side, _, name = text[1:].partition(":")
    return (folder / side / pair.name / f"{name}.class").read_bytes() if name else b""


def _zip(path: Path, entries: Mapping[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def without_flags(jar: bytes) -> bytes:
    """Remove the UTF-8 flag from every name, like some tools."""
    data = bytearray(jar)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            flags = struct.unpack_from("<H", data, at + offset)[0]
            struct.pack_into("<H", data, at + offset, flags & ~0x800)
            at = data.find(mark, at + 4)
    return bytes(data)


def decide(pair: PairText, folder: Path, arguments: Sequence[str] = ()) -> Decision:
    """Decide for the benchmark of a program."""
    base, head = (folder / "jars" / side / pair.name / "b.jar" for side in SIDES)
    identity = Identity(f"{pair.name}.B.run")
    held = dict.fromkeys(SIDES, (identity,))
    of_base = ClassPath.of(base)
    comparison = JarComparison(of_base, ClassPath.of(head, of_base), held, tuple(arguments))
    (decision,) = comparison.decisions()
    return decision


def run_all(pairs: Sequence[PairText], folder: Path) -> dict[tuple[str, str], str]:
    """Run both sides of programs, and return their results."""
    (folder / "list").write_text("\n".join(pair.name for pair in pairs))
    prove = Path(__file__).with_name("Prove.java")
    shutil.copytree(folder / "base" / "vendor", folder / "boot" / "vendor", dirs_exist_ok=True)
    own = f"-Xbootclasspath/a:{folder / 'boot'}"
    command = ["java", *QUICK, own, str(prove), str(folder / "jars"), "list"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith("RESULT\t"):
            _, name, side, result = line.split("\t", 3)
            found[name, side] = result
    return found

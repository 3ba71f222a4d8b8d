"""Gaps in the tables of the JDK: new types, and methods that may have an effect.

Usage: python -m evaluation.jdk_methods JDK [JDK ...] [--write]

Each JDK is a folder, such as ``/usr/lib/jvm/java-17``. The output lists

- public types that match ``jdk_effects.txt`` and that ``jdk_types.txt`` lacks;
- methods that the table calls safe, and not known, although they return a class or a member of
  one, or a list or an optional value of these;
- methods that the table calls safe although they make a stream of serialized objects, or call a
  method of the JDK that does.

With ``--write``, ``jdk_types.txt`` is regenerated for all of these JDKs. Only calls to named
methods of classes are followed, not calls through interfaces.
"""

from __future__ import annotations

import argparse
import re
import struct
import subprocess
import tempfile
import textwrap
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path

from steady.harness.jmh.samecode import jdk_effects
from steady.harness.jmh.samecode.class_file import ClassFile
from steady.harness.jmh.samecode.method_references import MethodReferences, add_references

TYPES = Path(jdk_effects.__file__).with_name("jdk_types.txt")
HEAD = """\
# The types of the JDK that jdk_effects.txt covers, by package: public ones.
# Written by evaluation/jdk_methods.py, of Java {}.
"""
PUBLIC, VISIBLE = 0x0001, 0x0005
STREAMS = ("java/io/ObjectInputStream", "java/io/ObjectOutputStream")
CLASS = re.compile(
    r"L(?:java/lang/Class|java/lang/reflect/\w+|java/lang/invoke/TypeDescriptor\$\w+)[;<]"
)

Method = tuple[str, str]
"""A class, and the name of a method."""


class Jdk:
    """The classes of a JDK.

    Parameters
    ----------
    folder : Path
        Its folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def version(self) -> str:
        """Its version, such as ``17.0.2``."""
        release = (self.folder / "release").read_text(encoding="utf-8")
        return release.partition('JAVA_VERSION="')[2].partition('"')[0]

    @cached_property
    def files(self) -> Mapping[str, bytes]:
        """All class files, by class name."""
        program = Path(__file__).with_name("JdkClasses.java")
        with tempfile.TemporaryDirectory() as folder:
            jar = Path(folder) / "jdk.jar"
            subprocess.run(["java", str(program), str(self.folder), str(jar)], check=True)
            with zipfile.ZipFile(jar) as opened:
                return {
                    name.removesuffix(".class"): opened.read(name) for name in opened.namelist()
                }

    @cached_property
    def types(self) -> frozenset[str]:
        """The public types of which the table calls any method harmless."""
        return frozenset(
            name
            for name in filter(jdk_effects.has_harmless_methods, self.files)
            if all(self._is_public(one) for one in _with_outer(name))
        )

    def _is_public(self, name: str) -> bool:
        return bool(ClassFile(self.files[name]).access & PUBLIC)

    def classes_given(self) -> Iterator[Method]:
        """Yield the safe methods that return classes or members, or containers of these."""
        for owner in sorted(self.types):
            for access, name, descriptor, signature in methods_of(ClassFile(self.files[owner])):
                returned = f"{descriptor.rpartition(')')[2]} {signature.rpartition(')')[2]}"
                effect = jdk_effects.listed_effect(owner, name)
                is_safe = effect == jdk_effects.NO_EFFECT and name != "getClass"
                if is_safe and access & VISIBLE and CLASS.search(returned.partition("^")[0]):
                    yield owner, name

    def serializing(self) -> Iterator[Method]:
        """Yield the safe methods that create a stream of serialized objects."""
        found = set[Method]()
        left = {(owner, "<init>") for owner in self._streams()}
        while left:
            found |= left
            owners = {owner for owner, _ in left}
            named = re.compile(b"|".join(re.escape(owner.encode()) for owner in sorted(owners)))
            near = [owner for owner, content in self.files.items() if named.search(content)]
            left = {
                (owner, name)
                for owner in near
                for name, calls in self._calls(owner).items()
                if calls & left
            } - found
        for owner, name in sorted(found):
            is_safe = jdk_effects.listed_effect(owner, name) == jdk_effects.NO_EFFECT
            if is_safe and owner in self.types and name in self._visible(owner):
                yield owner, name

    def _visible(self, owner: str) -> set[str]:
        return {
            name
            for access, name, *_ in methods_of(ClassFile(self.files[owner]))
            if access & VISIBLE
        }

    def _streams(self) -> set[str]:
        known = set(STREAMS)
        for _ in range(2):  # no call goes to a later class
            known |= {
                n for n, c in self.files.items() if b"Stream" in c and self._parent(n) in known
            }
        return known

    def _parent(self, name: str) -> str:
        return ClassFile(self.files[name]).parent

    def _calls(self, owner: str) -> Mapping[str, set[Method]]:
        """Return the calls of a class's methods, by name."""
        found: dict[str, set[Method]] = defaultdict(set)
        code = ClassFile(self.files[owner])
        for signature in code.methods:
            references = MethodReferences()
            add_references(code, signature, references)
            called = (*references.direct_calls, *references.virtual_calls)
            found[signature[0]] |= {member[:2] for member in called}
        return found


def methods_of(code: ClassFile) -> Iterator[tuple[int, str, str, str]]:
    """Yield flags, name, descriptor and generic signature, if any, of each method."""

    def number(at: int) -> int:
        return int(struct.unpack_from(">H", code.data, at)[0])

    at = code.pool.end + 8
    at += 2 * number(at - 2)
    for kind in ("field", "method"):
        count = number(at)
        at += 2
        for _ in range(count):
            access, name, descriptor = struct.unpack_from(">HHH", code.data, at)
            at, attributes = at + 8, at + 6
            signature = ""
            for attribute, begin, end in code.attributes(attributes):
                at = end
                if attribute == b"Signature":
                    signature = code.pool.utf8(number(begin))
            if kind == "method":
                yield access, code.pool.utf8(name), code.pool.utf8(descriptor), signature


def _with_outer(name: str) -> list[str]:
    parts = name.split("$")
    return ["$".join(parts[:count]) for count in range(1, len(parts) + 1)]


def written_types(versions: Iterable[str], types: Iterable[str]) -> str:
    """Return the text of ``jdk_types.txt``."""
    lines = [HEAD.format(", ".join(versions)).rstrip("\n")]
    for package, group in groupby(sorted(types, key=_split), lambda name: _split(name)[0]):
        lines.append(f"[{package}]")
        lines += textwrap.wrap(
            " ".join(_split(name)[1] for name in group), 98, break_on_hyphens=False
        )
    return "\n".join(lines) + "\n"


def _split(name: str) -> tuple[str, str]:
    package, _, own = name.rpartition("/")
    return package, own


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the gaps of the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jdk", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    jdks = sorted(map(Jdk, options.jdk), key=lambda jdk: [*map(int, jdk.version.split("."))])
    if options.write:
        types = frozenset().union(*(jdk.types for jdk in jdks))
        TYPES.write_text(written_types([jdk.version for jdk in jdks], types), encoding="utf-8")
        jdk_effects.known_types.cache_clear()
        jdk_effects.effect_of.cache_clear()
    for jdk in jdks:
        print(f"Java {jdk.version}")
        for name in sorted(jdk.types - jdk_effects.known_types()):
            print(f"  {name} is new")
        for owner, name in sorted({*jdk.classes_given()}):
            print(f"  {owner}.{name} returns classes")
        for owner, name in jdk.serializing():
            print(f"  {owner}.{name} makes a stream of objects")


if __name__ == "__main__":
    main()

"""What differs beside classes: files, the manifest, services; and what concerns all benchmarks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from steady.harness.jmh.configure.benchmark_list_file import LIST
from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.difference import HINTS, changed_hints, meant_by_manifest
from steady.harness.jmh.samecode.jdk_doors import is_of_jdk
from steady.harness.jmh.samecode.library import is_of_jmh

_SERVICES = "META-INF/services/"
_FOR_COMPILERS = "javax.annotation.processing.Processor"
_SIGNATURE = re.compile(r"META-INF/(?:[^/]*\.(?:SF|RSA|DSA|EC)|SIG-[^/]*)", re.IGNORECASE)
_INDEX = "META-INF/INDEX.LIST"
_COMMENT = re.compile(r"#.*")


@dataclass(frozen=True, eq=False)
class Differences:
    """What differs between two class paths, apart from classes.

    Parameters
    ----------
    base, head : ClassPath
        The two sides.
    """

    base: ClassPath
    head: ClassPath

    @cached_property
    def none(self) -> bool:
        """Whether nothing differs that Java reads: all names with their contents."""
        sides = self.base, self.head
        problems = any(side.problem for side in sides)
        labels = [[place.label for place in side.places] for side in sides]
        entries = [[place.entries for place in side.places] for side in sides]
        return not problems and labels[0] == labels[1] and entries[0] == entries[1]

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The entries other than classes that differ, or that only one side has."""
        sides = self.base.files, self.head.files
        return tuple(n for n in {**sides[0], **sides[1]} if sides[0].get(n) != sides[1].get(n))

    def for_all(self) -> Iterator[str]:
        """Yield why all benchmarks may run other code."""
        for side in (self.base, self.head):
            if side.problem:
                yield side.problem
        if [p.label for p in self.base.places] != [p.label for p in self.head.places]:
            yield "the class path holds other jars"
        yield from self._of_manifests()
        for name in self.files:
            service = name.removeprefix(_SERVICES)
            if _SIGNATURE.fullmatch(name) or name == _INDEX:
                yield f"{name} changed, by which a JVM checks or finds classes"
            elif service != name and self._is_read_by_jvm(service):
                yield f"{name} changed, which a JVM reads by itself"
        if HINTS in self.files and not self._hints_are_followed():
            yield "JMH's hints to the compiler changed"

    def _of_manifests(self) -> Iterator[str]:
        for base, head in zip(self.base.places, self.head.places, strict=False):
            if base.manifest == head.manifest:
                continue
            (one, rest), (other, other_rest) = map(
                meant_by_manifest, (base.manifest, head.manifest)
            )
            names = sorted(n for n in {*one, *other} if one.get(n) != other.get(n))
            if names or rest != other_rest:
                yield f"the jar's manifest changed ({', '.join(names[:2] or ['sections'])})"

    @cached_property
    def manifest_differs(self) -> bool:
        """Whether any byte of a manifest differs."""
        sides = self.base.places, self.head.places
        return [p.manifest for p in sides[0]] != [p.manifest for p in sides[1]]

    @cached_property
    def hints(self) -> frozenset[str] | None:
        """The methods about which JMH's hints to the compiler differ; None: maybe all."""
        return changed_hints(*(b"\n".join(s.files.get(HINTS, ())) for s in (self.base, self.head)))

    def _hints_are_followed(self) -> bool:
        """Tell whether all hints that differ are about classes of the jars, which are followed."""
        known = self.base.classes.keys() | self.head.classes.keys()
        names = {hint.rpartition(".")[0] for hint in self.hints or ()}
        return self.hints is not None and names <= known and not any(map(is_of_jmh, names))

    def services(self) -> Iterator[tuple[str, str, bool]]:
        """Yield each class that a file names, the service, and whether a JVM looks for it."""
        for side in (self.base, self.head):
            for name, contents in side.files.items():
                service = name.removeprefix(_SERVICES)
                if service in (name, _FOR_COMPILERS):
                    continue
                for content in contents:
                    for line in content.decode("utf-8", "replace").splitlines():
                        word = _COMMENT.sub("", line).strip()
                        if word:
                            yield word.replace(".", "/"), service, self._is_read_by_jvm(service)

    def changed_services(self) -> list[str]:
        """Return the files that name services and differ."""
        return [name for name in self.files if name.startswith(_SERVICES)]

    @staticmethod
    def _is_read_by_jvm(service: str) -> bool:
        name = service.replace(".", "/")
        if service == _FOR_COMPILERS:
            return False
        return is_of_jdk(name) or name.startswith("org/openjdk/jmh/")

    def list_of(self, side: ClassPath) -> bytes:
        """Return JMH's list of benchmarks on a side, as the JVM finds it first."""
        return side.files.get(LIST, (b"",))[0]

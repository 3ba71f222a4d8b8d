"""Differences outside classes: files, manifest and services."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from steady.harness.jmh.configure.benchmark_list_file import LIST
from steady.harness.jmh.samecode.class_hierarchy import is_of_jmh
from steady.harness.jmh.samecode.class_path import ClassPath, is_class, unfold_manifest
from steady.harness.jmh.samecode.jdk_effects import is_of_jdk

HINTS = "META-INF/CompilerHints"

_BUILD = re.compile(
    r"(?:ant|archiver|bnd|branch|build|builder|built|bundle-build|change|ci|created|git|gradle|"
    r"hudson|implementation-build|jenkins|maven|originally|os|scm|tool|vcs|x-compile)(?:-.*)?"
)
"""Main attributes of a manifest that describe the build, which a JVM does not read."""

_HINT = re.compile(r"[a-z]+,([\w$./]+)\.(\*|<init>|[\w$]+)")


def significant_attributes(content: bytes) -> tuple[dict[str, str], str]:
    """Return the attributes of a manifest, except those that describe the build.

    Dates, machines, commits and versions of build tools change with every build. All other
    attributes are compared: some affect which classes a JVM loads (``Class-Path``,
    ``Multi-Release``, ``Add-Opens``).

    Returns
    -------
    dict of str to str
        The main attributes, by name in lower case.
    str
        The sections for individual entries, unchanged.
    """
    main, _, rest = unfold_manifest(content).strip("\n").partition("\n\n")
    pairs = (line.partition(":") for line in main.split("\n") if line)
    attributes = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return {n: v for n, v in attributes.items() if not _BUILD.fullmatch(n)}, rest.strip("\n")


def compare_hints(base: bytes, head: bytes) -> frozenset[str] | None:
    """Return the methods for which JMH's compiler hints differ.

    A hint refers to a method, such as ``inline,a/B.method``, or a class, such as ``inline,a/B.*``.

    Returns
    -------
    frozenset of str or None
        Methods such as ``a/B.method`` or ``a/B.*``; None if a difference may affect all classes.
    """
    sides = [side.decode("utf-8", "replace").splitlines() for side in (base, head)]
    counts = [Counter(side) for side in sides]
    differing = (counts[0] - counts[1]) + (counts[1] - counts[0])
    in_both = [[line for line in side if line not in differing] for side in sides]
    if in_both[0] != in_both[1]:
        return None
    methods = set()
    for line in differing:
        hint = _HINT.fullmatch(line)
        if hint is None:
            return None
        methods.add(f"{hint[1].replace('.', '/')}.{hint[2]}")
    return frozenset(methods)


_SERVICES = "META-INF/services/"
_ANNOTATION_PROCESSORS = "javax.annotation.processing.Processor"
_SIGNATURE = re.compile(r"META-INF/(?:[^/]*\.(?:SF|RSA|DSA|EC)|SIG-[^/]*)", re.IGNORECASE)
_INDEX = "META-INF/INDEX.LIST"
_COMMENT = re.compile(r"#.*")


@dataclass(frozen=True, eq=False)
class ResourceDifferences:
    """The differences between two class paths, except for those in classes.

    Parameters
    ----------
    base, head : ClassPath
        The two sides.
    """

    base: ClassPath
    head: ClassPath

    @cached_property
    def all_equal(self) -> bool:
        """Whether all entries have equal names and contents."""
        sides = self.base, self.head
        problems = any(side.problem for side in sides)
        labels = [[element.label for element in side.elements] for side in sides]
        entries = [[element.entries for element in side.elements] for side in sides]
        return not problems and labels[0] == labels[1] and entries[0] == entries[1]

    @property
    def all_classes_equal(self) -> bool:
        """Whether all class files are equal, byte by byte, and in the same locations."""
        sides = [
            [
                (element.label, {n: own for n, own in element.entries.items() if is_class(n)})
                for element in side.elements
            ]
            for side in (self.base, self.head)
        ]
        return not (self.base.problem or self.head.problem) and sides[0] == sides[1]

    @cached_property
    def changed_files(self) -> tuple[str, ...]:
        """Entries other than classes that differ, or that only one side has."""
        sides = self.base.files, self.head.files
        return tuple(n for n in {**sides[0], **sides[1]} if sides[0].get(n) != sides[1].get(n))

    def reasons_for_all(self) -> Iterator[str]:
        """Yield reasons why the code paths of all benchmarks may differ."""
        for side in (self.base, self.head):
            if side.problem:
                yield side.problem
        if [one.label for one in self.base.elements] != [one.label for one in self.head.elements]:
            yield "the class path has different jars"
        yield from self._manifest_reasons()
        for name in self.changed_files:
            if _SIGNATURE.fullmatch(name) or name == _INDEX:
                yield f"{name} changed, and a JVM verifies or finds classes by it"
            elif name.startswith(_SERVICES) and _is_read_by_jvm(name.removeprefix(_SERVICES)):
                yield f"{name} changed, and the JVM itself reads it"
        if HINTS in self.changed_files and not self._are_hints_followed():
            yield "JMH's compiler hints changed"

    def _manifest_reasons(self) -> Iterator[str]:
        for base, head in zip(self.base.elements, self.head.elements, strict=False):
            if base.manifest == head.manifest:
                continue
            (one, rest), (other, other_rest) = map(
                significant_attributes, (base.manifest, head.manifest)
            )
            names = sorted(n for n in {*one, *other} if one.get(n) != other.get(n))
            if names or rest != other_rest:
                yield f"the jar's manifest changed ({', '.join(names[:2] or ['sections'])})"

    @cached_property
    def manifest_differs(self) -> bool:
        """Whether any byte of a manifest differs."""
        sides = self.base.elements, self.head.elements
        return [one.manifest for one in sides[0]] != [one.manifest for one in sides[1]]

    @cached_property
    def changed_hints(self) -> frozenset[str] | None:
        """Methods for which JMH's compiler hints differ; None if all methods may be affected."""
        return compare_hints(*(b"\n".join(s.files.get(HINTS, ())) for s in (self.base, self.head)))

    def _are_hints_followed(self) -> bool:
        """Return whether all changed hints refer to classes that the call graph contains."""
        known = self.base.classes.keys() | self.head.classes.keys()
        names = {hint.rpartition(".")[0] for hint in self.changed_hints or ()}
        return self.changed_hints is not None and names <= known and not any(map(is_of_jmh, names))

    def service_providers(self) -> Iterator[tuple[str, bool]]:
        """Yield each service provider, and whether the JVM itself may load it."""
        for side in (self.base, self.head):
            for name, contents in side.files.items():
                service = name.removeprefix(_SERVICES)
                if service in (name, _ANNOTATION_PROCESSORS):
                    continue
                is_read = _is_read_by_jvm(service)
                for line in b"\n".join(contents).decode("utf-8", "replace").splitlines():
                    if word := _COMMENT.sub("", line).strip():
                        yield word.replace(".", "/"), is_read

    def changed_service_files(self) -> list[str]:
        """Return the changed files with service providers."""
        return [name for name in self.changed_files if name.startswith(_SERVICES)]

    def benchmark_list(self, side: ClassPath) -> bytes:
        """Return the first list of JMH's benchmarks on the class path of a side."""
        return side.files.get(LIST, (b"",))[0]


def _is_read_by_jvm(service: str) -> bool:
    name = service.replace(".", "/")
    return service != _ANNOTATION_PROCESSORS and (
        is_of_jdk(name) or name.startswith("org/openjdk/jmh/")
    )

"""What differs beside classes: files, the manifest, services; and what concerns all benchmarks."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from steady.harness.jmh.configure.benchmark_list_file import LIST
from steady.harness.jmh.samecode.class_path import ClassPath, is_class, unfold_manifest
from steady.harness.jmh.samecode.jdk_effects import is_of_jdk
from steady.harness.jmh.samecode.class_hierarchy import is_of_jmh

HINTS = "META-INF/CompilerHints"

_BUILD = re.compile(
    r"(?:ant|archiver|bnd|branch|build|builder|built|bundle-build|change|ci|created|git|gradle|"
    r"hudson|implementation-build|jenkins|maven|originally|os|scm|tool|vcs|x-compile)(?:-.*)?"
)
"""Main attributes that describe the build; none that a JVM reads begins with one of these words."""

_HINT = re.compile(r"[a-z]+,([\w$./]+)\.(\*|<init>|[\w$]+)")


def significant_attributes(content: bytes) -> tuple[dict[str, str], str]:
    """Return what a manifest says to the JVM and to programs, without what it says about the build.

    Dates, machines, commits and versions of build tools change with every build. A program that
    depends on the date of its build cannot be measured anyway. All other attributes count: some
    change what the JVM loads (``Class-Path``, ``Multi-Release``, ``Add-Opens``).

    Returns
    -------
    dict of str to str
        The main attributes that count, by their names in small letters.
    str
        The sections for single entries, as they stand.
    """
    main, _, rest = unfold_manifest(content).strip("\n").partition("\n\n")
    pairs = (line.partition(":") for line in main.split("\n") if line)
    attributes = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return {n: v for n, v in attributes.items() if not _BUILD.fullmatch(n)}, rest.strip("\n")


def compare_hints(base: bytes, head: bytes) -> frozenset[str] | None:
    """Return the methods about which JMH's hints to the compiler differ.

    A line names a method as in ``inline,a/B.method``, or all of a class, as in ``inline,a/B.*``.

    Returns
    -------
    frozenset of str or None
        As in ``a/B.method`` and ``a/B.*``; None if a difference may be about all classes.
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
_FOR_COMPILERS = "javax.annotation.processing.Processor"
_SIGNATURE = re.compile(r"META-INF/(?:[^/]*\.(?:SF|RSA|DSA|EC)|SIG-[^/]*)", re.IGNORECASE)
_INDEX = "META-INF/INDEX.LIST"
_COMMENT = re.compile(r"#.*")


@dataclass(frozen=True, eq=False)
class ResourceDifferences:
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
        labels = [[place.label for place in side.elements] for side in sides]
        entries = [[place.entries for place in side.elements] for side in sides]
        return not problems and labels[0] == labels[1] and entries[0] == entries[1]

    @property
    def no_class(self) -> bool:
        """Whether no class differs in a single byte, nor in where it lies."""
        sides = [
            [
                (place.label, {n: own for n, own in place.entries.items() if is_class(n)})
                for place in side.elements
            ]
            for side in (self.base, self.head)
        ]
        return not (self.base.problem or self.head.problem) and sides[0] == sides[1]

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The entries other than classes that differ, or that only one side has."""
        sides = self.base.files, self.head.files
        return tuple(n for n in {**sides[0], **sides[1]} if sides[0].get(n) != sides[1].get(n))

    def reasons_for_all(self) -> Iterator[str]:
        """Yield why all benchmarks may run other code."""
        for side in (self.base, self.head):
            if side.problem:
                yield side.problem
        if [p.label for p in self.base.elements] != [p.label for p in self.head.elements]:
            yield "the class path holds other jars"
        yield from self._of_manifests()
        for name in self.files:
            if _SIGNATURE.fullmatch(name) or name == _INDEX:
                yield f"{name} changed, by which a JVM checks or finds classes"
            elif name.startswith(_SERVICES) and _is_read_by_jvm(name.removeprefix(_SERVICES)):
                yield f"{name} changed, which a JVM reads by itself"
        if HINTS in self.files and not self._hints_are_followed():
            yield "JMH's hints to the compiler changed"

    def _of_manifests(self) -> Iterator[str]:
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
        return [p.manifest for p in sides[0]] != [p.manifest for p in sides[1]]

    @cached_property
    def hints(self) -> frozenset[str] | None:
        """The methods about which JMH's hints to the compiler differ; None: maybe all."""
        return compare_hints(*(b"\n".join(s.files.get(HINTS, ())) for s in (self.base, self.head)))

    def _hints_are_followed(self) -> bool:
        """Tell whether all hints that differ are about classes of the jars, which are followed."""
        known = self.base.classes.keys() | self.head.classes.keys()
        names = {hint.rpartition(".")[0] for hint in self.hints or ()}
        return self.hints is not None and names <= known and not any(map(is_of_jmh, names))

    def services(self) -> Iterator[tuple[str, bool]]:
        """Yield each class that a file names as a service, and whether a JVM looks for it."""
        for side in (self.base, self.head):
            for name, contents in side.files.items():
                service = name.removeprefix(_SERVICES)
                if service in (name, _FOR_COMPILERS):
                    continue
                is_read = _is_read_by_jvm(service)
                for line in b"\n".join(contents).decode("utf-8", "replace").splitlines():
                    if word := _COMMENT.sub("", line).strip():
                        yield word.replace(".", "/"), is_read

    def changed_services(self) -> list[str]:
        """Return the files that name services and differ."""
        return [name for name in self.files if name.startswith(_SERVICES)]

    def list_of(self, side: ClassPath) -> bytes:
        """Return JMH's list of benchmarks on a side, as the JVM finds it first."""
        return side.files.get(LIST, (b"",))[0]


def _is_read_by_jvm(service: str) -> bool:
    name = service.replace(".", "/")
    return service != _FOR_COMPILERS and (is_of_jdk(name) or name.startswith("org/openjdk/jmh/"))

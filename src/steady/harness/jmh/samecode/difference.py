"""The difference of two jars, as far as a benchmark may notice it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from steady.harness.jmh.configure.benchmark_list import UnknownFormatError
from steady.harness.jmh.configure.benchmark_list_file import LIST
from steady.harness.jmh.configure.overlay import first_records, lines_of_list
from steady.harness.jmh.samecode.jar_index import JarIndex

MANIFEST = "META-INF/MANIFEST.MF"
HINTS = "META-INF/CompilerHints"

_APART = frozenset({LIST, HINTS, MANIFEST})
_ALWAYS_READ = ("META-INF/", ".properties", ".so", ".dll", ".dylib", ".jnilib")
_MAVEN = "META-INF/maven/"

_BUILD = re.compile(
    r"(?:ant|archiver|bnd|branch|build|builder|built|bundle-build|change|ci|created|git|gradle|"
    r"hudson|implementation-build|jenkins|maven|originally|os|scm|tool|vcs|x-compile)(?:-.*)?"
)
"""Main attributes that describe the build; none that a JVM reads begins with one of these words."""

Records = Mapping[str, Mapping[str, str]]
"""The records of JMH's list, by name and mode."""


@dataclass(frozen=True, eq=False)
class Difference:
    """What differs between the jars of base and head.

    Parameters
    ----------
    base, head : JarIndex
        The two jars.
    """

    base: JarIndex
    head: JarIndex
    _other_code: dict[str, bool] = field(default_factory=dict, repr=False)

    @cached_property
    def added(self) -> tuple[str, ...]:
        """The classes that only head has."""
        return tuple(name for name in self.head.classes if name not in self.base.classes)

    def changed(self, names: Iterable[str]) -> list[str]:
        """Return those of some classes of base that head does not have, or has with other code."""
        wanted = sorted(names)
        touched = [n for n in wanted if self.base.files_of(n) != self.head.files_of(n)]
        unknown = [name for name in touched if name not in self._other_code]
        codes = [side.codes(unknown) for side in (self.base, self.head)]
        self._other_code.update({n: codes[0][n] != codes[1][n] for n in unknown})
        return [name for name in touched if self._other_code[name]]

    @cached_property
    def any_class(self) -> str:
        """The first class that only one jar has, or whose bytes differ; empty if there is none."""
        names = sorted({*self.base.classes, *self.head.classes})
        return next((n for n in names if self.base.files_of(n) != self.head.files_of(n)), "")

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """The other files that differ, or that only one jar has; not JMH's own."""
        sides = self.base.resources, self.head.resources
        names = sorted({*sides[0], *sides[1]} - _APART)
        differing = [name for name in names if sides[0].get(name) != sides[1].get(name)]
        texts = [name for name in differing if name.endswith(".properties")]
        contents = [side.read(texts) for side in (self.base, self.head)]
        alike = {
            name
            for name in texts
            if all(name in side for side in contents)
            and meant_by_properties(contents[0][name]) == meant_by_properties(contents[1][name])
        }
        return tuple(name for name in differing if name not in alike)

    def resources_read(self, *, reads_files: bool, words: Collection[str]) -> list[str]:
        """Return those `resources` that classes may read.

        Classes that mention nothing that reads files of a jar can read only what the JDK reads for
        them: services, bundles of properties, libraries. What Maven writes about the build is for
        a class that mentions Maven.
        """
        return [
            name
            for name in self.resources
            if (
                reads_files and "maven" in words
                if name.startswith(_MAVEN)
                else reads_files or name.startswith(_ALWAYS_READ[0]) or name.endswith(_ALWAYS_READ)
            )
        ]

    @cached_property
    def manifest(self) -> tuple[str, ...]:
        """The manifest's attributes that count and differ; ``sections`` stands for the rest."""
        if self.base.resources.get(MANIFEST) == self.head.resources.get(MANIFEST):
            return ()
        sides = [side.content(MANIFEST) for side in (self.base, self.head)]
        (base, base_rest), (head, head_rest) = map(meant_by_manifest, sides)
        names = sorted(name for name in {*base, *head} if base.get(name) != head.get(name))
        return (*names, *(["sections"] if base_rest != head_rest else []))

    @cached_property
    def hints(self) -> frozenset[str] | None:
        """The classes about which JMH's hints to the compiler differ; None: maybe all."""
        return changed_hints(*(side.content(HINTS) for side in (self.base, self.head)))

    @cached_property
    def records(self) -> tuple[Records, Records] | None:
        """The records of both lists of benchmarks; None where one is in another format."""
        try:
            base, head = (_records(side.content(LIST)) for side in (self.base, self.head))
        except UnknownFormatError:
            return None
        return base, head


def _records(content: bytes) -> Records:
    records = first_records(lines_of_list(content))
    return {name: {m: str(r) for m, r in modes.items()} for name, modes in records.items()}


def meant_by_manifest(content: bytes) -> tuple[dict[str, str], str]:
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
    text = content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    main, _, rest = text.replace("\n ", "").strip("\n").partition("\n\n")
    pairs = (line.partition(":") for line in main.split("\n") if line)
    attributes = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return {n: v for n, v in attributes.items() if not _BUILD.fullmatch(n)}, rest.strip("\n")


def meant_by_properties(content: bytes) -> list[bytes]:
    """Return the lines of a properties file without comments: Java writes the date as one."""
    lines, continued = [], False
    for line in content.splitlines():
        bare = line.lstrip(b" \t\f")
        if continued or (bare and not bare.startswith((b"#", b"!"))):
            lines.append(line)
            continued = (len(line) - len(line.rstrip(b"\\"))) % 2 == 1
    return lines


def changed_hints(base: bytes, head: bytes) -> frozenset[str] | None:
    """Return the classes about which JMH's hints to the compiler differ.

    A line names a method as in ``inline,a/B.method``.

    Returns
    -------
    frozenset of str or None
        None if a difference is about all classes, or is not understood.
    """
    sides = [side.decode("utf-8", "replace").splitlines() for side in (base, head)]
    counts = [Counter(side) for side in sides]
    differing = (counts[0] - counts[1]) + (counts[1] - counts[0])
    in_both = [[line for line in side if line not in differing] for side in sides]
    if in_both[0] != in_both[1]:
        return None
    classes = set()
    for line in differing:
        _, comma, method = line.partition(",")
        name, dot, _ = method.rpartition(".")
        if not comma or not dot or "*" in name:
            return None
        classes.add(name.replace(".", "/"))
    return frozenset(classes)

"""A folder of Java sources, and the methods in it that JMH runs for a benchmark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from steady.errors import InputError, MissingToolError
from steady.harness.jmh.java.source import JavaFile
from steady.model import Identity, name_parts
from steady.source_folder import UNLIMITED, Limits, SourceFolder, SourceLine

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST_HIERARCHY = 50
_EXTENDS = re.compile(rb"\bextends\s+(?:@\S+\s+)*([^\s<{,>]+)")


class Method(NamedTuple):
    """A method with ``@Benchmark``, and its file."""

    file: JavaFile
    node: Node


class Type(NamedTuple):
    """A type in the sources, its file, and its qualified name."""

    file: JavaFile
    node: Node
    name: str


class NotFoundError(Exception):
    """Why a benchmark's source is not known for sure, in a few words."""


class JavaProject:
    """All ``*.java`` files below a folder, read when they are needed.

    Parameters
    ----------
    root : Path
        The folder. Links, folders of build output and hidden folders are passed over.
    limits : Limits, optional
        How much of it is looked at.

    Raises
    ------
    InputError
        If it is not a folder.
    """

    def __init__(self, root: Path, limits: Limits = UNLIMITED) -> None:
        self.root = root
        self._folder = SourceFolder(root, limits)
        self._file: Callable[[Path], JavaFile] = cache(
            lambda path: JavaFile(path, self._folder.read(path))
        )

    def method(self, benchmark: str) -> Method:
        """Return the method that JMH runs for a benchmark.

        Raises
        ------
        NotFoundError
            If it is not known for sure, or if there are several: a group.
        """
        owner, name, *_ = name_parts(benchmark)
        methods = [
            Method(declared.file, node)
            for declared in self._with_superclasses(self.type(owner))
            for node in declared.file.benchmark_methods(declared.node, name)
        ]
        if not methods:
            raise NotFoundError(f"no method of {owner} or its superclasses is this benchmark")
        for method in methods:
            if not method.file.is_understood:
                raise NotFoundError(f"{method.file.path} holds syntax that is not understood")
        if len(methods) > 1:
            raise NotFoundError("it is a group, whose methods JMH wants alike: write them by hand")
        return methods[0]

    def lineage(self, name: str) -> list[Type]:
        """Return a class and its superclasses, as far as they are in the sources."""
        return list(self._with_superclasses(self.type(name)))

    def benchmarks_of(self, method: Method) -> list[str]:
        """Return the names of all benchmarks in the sources that JMH makes from a method.

        There is one for the method's class, if it is not abstract, and one for each that inherits.
        """
        name = method.file.benchmark_name(method.node)
        return [
            f"{heir.name}.{name}"
            for heir in self._heirs(_declaring(method))
            if heir.file.is_concrete(heir.node)
        ]

    def resolve(self, written: str, inside: Type) -> Type | None:
        """Return the type of this name inside another type; None if it is not in this project."""
        for name in _meanings(written, inside):
            try:
                return self.type(name)
            except NotFoundError:
                continue
        return None

    def _heirs(self, declared: Type) -> list[Type]:
        """Return a type and all that inherit from it."""
        heirs = {declared.name: declared}
        waiting = [declared]
        while waiting:
            parent = waiting.pop()
            for child in self._children(parent):
                if child.name not in heirs:
                    heirs[child.name] = child
                    waiting.append(child)
        return list(heirs.values())

    def _children(self, parent: Type) -> Iterator[Type]:
        simple = parent.name.rpartition(".")[2]
        for file in self._extending.get(simple.encode(), ()):
            for name, node in file.types.items():
                written = file.superclass(node)
                if written is None or written.rpartition(".")[2] != simple:
                    continue
                child = Type(file, node, name)
                meant = self.resolve(written, child)
                if meant is not None and meant.name == parent.name:
                    yield child

    @cached_property
    def _extending(self) -> dict[bytes, list[JavaFile]]:
        """The files that may hold a subclass, by the superclass's simple name."""
        files: dict[bytes, list[JavaFile]] = {}
        for file in (self._file(path) for paths in self._paths.values() for path in paths):
            for name in {n.rpartition(b".")[2] for n in _EXTENDS.findall(file.data)}:
                files.setdefault(name, []).append(file)
        return files

    @cached_property
    def _paths(self) -> dict[str, list[Path]]:
        """The files by name without ending."""
        paths: dict[str, list[Path]] = {}
        for path in self._folder.paths(".java"):
            paths.setdefault(path.stem, []).append(path)
        return paths

    def type(self, name: str) -> Type:
        """Return a type by its qualified name.

        Only files are parsed whose names are among the name's parts.

        Raises
        ------
        NotFoundError
            If no source holds it, or more than one does.
        """
        paths = (path for part in name.split(".") for path in self._paths.get(part, ()))
        files = [file for file in dict.fromkeys(map(self._file, paths)) if name in file.types]
        if not files:
            raise NotFoundError(f"no source of {name} is below {self.root}")
        if len(files) > 1:
            raise NotFoundError(f"{name} stands in {files[0].path} and in {files[1].path}")
        return Type(files[0], files[0].types[name], name)

    def _with_superclasses(self, declared: Type) -> Iterator[Type]:
        yield declared
        for _ in range(_DEEPEST_HIERARCHY):
            written = declared.file.superclass(declared.node)
            parent = None if written is None else self.resolve(written, declared)
            if parent is None:
                return
            yield parent
            declared = parent


def _declaring(method: Method) -> Type:
    """Return the type that contains a method."""
    types = {node.start_byte: (name, node) for name, node in method.file.types.items()}
    node = method.node.parent
    while node is not None and node.start_byte not in types:
        node = node.parent
    if node is None:
        raise NotFoundError("the method stands in no type")
    name, declared = types[node.start_byte]
    return Type(method.file, declared, name)


def _meanings(written: str, inside: Type) -> Iterator[str]:
    """Yield the qualified names that a type's name may mean, in the order of the JLS, 6.4.1.

    Types of the enclosing classes come first, then single imports, the package, and imports of
    whole packages; last the name itself, if it is qualified already.
    """
    package = inside.file.package
    outer = inside.name.split(".")
    depth = len(package.split(".")) if package else 0
    for length in range(len(outer), depth, -1):
        yield ".".join([*outer[:length], written])
    first, _, rest = written.partition(".")
    for full, _ in inside.file.imports:
        if full.rpartition(".")[2] == first:
            yield f"{full}.{rest}" if rest else full
    yield f"{package}.{written}" if package else written
    for full, _ in inside.file.imports:
        if full.endswith(".*"):
            yield f"{full[:-1]}{written}"
    yield written


def jmh_source_lines(
    folder: Path, identities: Iterable[Identity], limits: Limits
) -> dict[Identity, SourceLine]:
    """Return the lines on which JMH's benchmarks are declared, as far as they are known for sure.

    A method that its class inherits stands for the class. None is found where the Java parser is
    not installed.

    Raises
    ------
    InputError
        If the folder cannot be read.
    """
    project = JavaProject(folder, limits)
    words = (one for one in identities if one.name.replace(".", "_").isidentifier())
    methods = {one: (one.holder, one.method) for one in words if one.holder}
    lines = {both: _line(project, *both) for both in sorted(set(methods.values()))}
    found = ((identity, lines[both]) for identity, both in methods.items())
    return {identity: line for identity, line in found if line is not None}


def _line(project: JavaProject, owner: str, method: str) -> SourceLine | None:
    try:
        file, declared, _ = project.type(owner)
    except (NotFoundError, InputError, MissingToolError):
        return None
    methods = file.benchmark_methods(declared, method)
    own_name = (methods or [declared])[0].child_by_field_name("name")
    if own_name is None:
        return None
    path = file.path.relative_to(project.root).as_posix()
    return SourceLine(path, own_name.start_point[0] + 1)

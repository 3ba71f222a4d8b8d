"""Content of a source file: types, methods and annotations, with their positions.

Positions are byte offsets in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

JMH = "org.openjdk.jmh.annotations"
"""The package of JMH's annotations."""

TIME_UNIT = "java.util.concurrent.TimeUnit"


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of an annotation.

    Parameters
    ----------
    name : str
        Its name; ``value`` if the source has none.
    text : str
        The expression.
    start, end : int
        Position of the expression.
    """

    name: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation of a type or a method.

    Parameters
    ----------
    name : str
        Its name as written.
    start, end : int
        Its position; in Kotlin's ``@[A B]``, that of the whole list.
    name_end : int
        Position after its name.
    inside : int, optional
        Position after its opening parenthesis; None if it has none.
    arguments : tuple of Argument
        In source order.
    """

    name: str
    start: int
    end: int
    name_end: int
    inside: int | None = None
    arguments: tuple[Argument, ...] = ()

    def argument(self, name: str) -> Argument | None:
        """Return the argument with a name; None if it is not set."""
        return next((one for one in self.arguments if one.name == name), None)


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a type.

    Parameters
    ----------
    name : str
        Its name.
    start : int
        Position of its declaration, after comments.
    line : int
        Line of its name, from 1.
    annotations : tuple of Annotation
        In source order.
    """

    name: str
    start: int
    line: int
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Type:
    """A class or another type.

    Parameters
    ----------
    name : str
        Its name, qualified by enclosing types: ``Outer.Inner``.
    kind : str
        ``class``, ``interface`` or ``other``; only a class can have benchmarks.
    abstract : bool
        Whether it is abstract.
    start, line : int
        Position of its declaration, and its line from 1.
    annotations : tuple of Annotation
        In source order.
    methods : tuple of Method
        The methods that it declares.
    parents : tuple of str
        Superclass and interfaces as written, superclass first.
    constants : mapping of str to str
        Expressions of its constants, by name.
    error_line : int, optional
        First line with a syntax error; None if there is none.
    """

    name: str
    kind: str
    abstract: bool
    start: int
    line: int
    annotations: tuple[Annotation, ...]
    methods: tuple[Method, ...]
    parents: tuple[str, ...] = ()
    constants: Mapping[str, str] = field(default_factory=dict)
    error_line: int | None = None


@dataclass(frozen=True, slots=True)
class Import:
    """An import.

    Parameters
    ----------
    name : str
        The imported name; for a wildcard, the part before it.
    local : str
        The name by which the file refers to it; empty for a wildcard.
    static : bool
        Whether it is an ``import static`` of Java.
    start, end : int
        Its position.
    """

    name: str
    local: str
    static: bool
    start: int
    end: int


@dataclass(frozen=True, eq=False, slots=True)
class SourceFile:
    """A source file.

    Parameters
    ----------
    path : Path
        Its path.
    text : bytes
        Its content.
    package : str
        Its package.
    imports : tuple of Import
        In source order.
    types : tuple of Type
        Its types; enclosing types precede nested ones.
    constants : mapping of str to str
        Expressions of top-level constants, by name.
    error_line : int, optional
        First line with a syntax error outside all types; None if there is none.
    """

    path: Path
    text: bytes
    package: str
    imports: tuple[Import, ...]
    types: tuple[Type, ...]
    constants: Mapping[str, str]
    error_line: int | None = None

    @property
    def shape(self) -> tuple[object, ...]:
        """The package, types and methods, which a patch must not change."""
        types = [
            (one.name, one.kind, one.error_line is None, [method.name for method in one.methods])
            for one in self.types
        ]
        return self.package, self.error_line is None, types

    def qualified(self, name: str) -> str:
        """Return a name, prefixed with the file's package."""
        return f"{self.package}.{name}" if self.package else name

    def jmh_name(self, written: str) -> str | None:
        """Return the simple name of a JMH annotation; None for other annotations."""
        package, _, last = written.rpartition(".")
        if package:
            return last if package == JMH else None
        for one in self.imports:
            if one.local == written and not one.static:
                home, _, last = one.name.rpartition(".")
                return last if home == JMH else None
        declared = any(one.name == written for one in self.types)
        return written if self.imports_all_of(JMH) and not declared else None

    def imports_all_of(self, package: str) -> bool:
        """Return whether the file has a wildcard import of a package."""
        return any(one.name == package and not (one.local or one.static) for one in self.imports)

    def own(self, declared: Type | Method, name: str) -> Annotation | None:
        """Return the JMH annotation with this name of a type or method; None if it has none."""
        found = (one for one in declared.annotations if self.jmh_name(one.name) == name)
        return next(found, None)

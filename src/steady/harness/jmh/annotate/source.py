"""The content of a source file: its types, methods and annotations, with their positions.

Positions are byte offsets in the file. No syntax tree is kept.
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
        ``value`` if it has none.
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
        Name in the source.
    start, end : int
        Its position; in Kotlin's ``@[A B]`` that of all of them.
    name_end : int
        End of its name.
    inside : int, optional
        Position after its opening parenthesis; None without one.
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
        """Return the argument of that name."""
        return next((one for one in self.arguments if one.name == name), None)


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a type.

    Parameters
    ----------
    name : str
        Its name.
    start : int
        Beginning of its declaration, after comments.
    line : int
        The line of its name, from 1.
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
        Its name with those of enclosing types: ``Outer.Inner``.
    kind : str
        ``class``, or a type that cannot have benchmarks: ``interface``, ``other``.
    abstract : bool
        Whether it is abstract.
    start, line : int
        Beginning of its declaration, and the line.
    annotations : tuple of Annotation
        In source order.
    methods : tuple of Method
        Its own ones.
    parents : tuple of str
        Superclass and interfaces as in the source, the superclass first.
    constants : mapping of str to str
        Expressions of its constants, by name.
    broken : int, optional
        First line with a syntax error; None without one.
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
    broken: int | None = None


@dataclass(frozen=True, slots=True)
class Import:
    """An import.

    Parameters
    ----------
    name : str
        The imported name; of a wildcard, the prefix.
    local : str
        Its name in the file; empty for a wildcard.
    static : bool
        Whether it is Java's ``import static``.
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
        Its types, enclosing ones first.
    constants : mapping of str to str
        Expressions of top-level constants, by name.
    broken : int, optional
        First line with a syntax error outside of all types.
    """

    path: Path
    text: bytes
    package: str
    imports: tuple[Import, ...]
    types: tuple[Type, ...]
    constants: Mapping[str, str]
    broken: int | None = None

    @property
    def shape(self) -> tuple[object, ...]:
        """The properties that a patch does not change."""
        types = [
            (one.name, one.kind, one.broken is None, [method.name for method in one.methods])
            for one in self.types
        ]
        return self.package, self.broken is None, types

    def qualified(self, name: str) -> str:
        """Return a name with the file's package."""
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
        """Tell whether there is a wildcard import of a package."""
        return any(one.name == package and not (one.local or one.static) for one in self.imports)

    def own(self, declared: Type | Method, name: str) -> Annotation | None:
        """Return the JMH annotation of this name at a type or method."""
        found = (one for one in declared.annotations if self.jmh_name(one.name) == name)
        return next(found, None)

"""What is known of a source file: its types, methods and annotations, and where they stand.

Positions are bytes from the beginning of the file. No tree of a parser is kept.
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
        ``value`` where none is written.
    text : str
        The expression.
    start, end : int
        Where the expression stands.
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
        As it is written.
    start, end : int
        Where it stands; in Kotlin's ``@[A B]`` where all of them stand.
    name_end : int
        Where its name ends.
    inside : int, optional
        What follows its opening parenthesis; None where it has none.
    arguments : tuple of Argument
        In their order.
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
        Where its declaration begins, behind comments.
    line : int
        The line of its name, from 1.
    annotations : tuple of Annotation
        In their order.
    """

    name: str
    start: int
    line: int
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Type:
    """A class, or what is declared like one.

    Parameters
    ----------
    name : str
        Its name, with those of the types around it: ``Outer.Inner``.
    kind : str
        ``class``, or one of which JMH makes no benchmarks: ``interface``, ``other``.
    abstract : bool
        Whether it has no objects of its own.
    start, line : int
        Where its declaration begins.
    annotations : tuple of Annotation
        In their order.
    methods : tuple of Method
        Those that it declares.
    parents : tuple of str
        Superclass and interfaces as they are written, the superclass first.
    constants : mapping of str to str
        Expressions of its constants.
    broken : int, optional
        The line that cannot be parsed; None where it can be.
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
        What is imported; of a wildcard what stands before it.
    local : str
        The name that it has in the file; empty for a wildcard.
    static : bool
        Whether it is Java's ``import static``.
    start, end : int
        Where it stands.
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
        Where it is.
    text : bytes
        What it holds.
    package : str
        Its package.
    imports : tuple of Import
        In their order.
    types : tuple of Type
        Those that it declares, those around others first.
    constants : mapping of str to str
        Expressions of constants outside of all types.
    broken : int, optional
        The line outside of all types that cannot be parsed.
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
        """What annotating leaves as it is."""
        types = [
            (one.name, one.kind, one.broken is None, [method.name for method in one.methods])
            for one in self.types
        ]
        return self.package, self.broken is None, types

    def qualified(self, name: str) -> str:
        """Return a name with the file's package."""
        return f"{self.package}.{name}" if self.package else name

    def jmh_name(self, written: str) -> str | None:
        """Return which of JMH's annotations a written name stands for; None for none of them."""
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
        """Return the annotation of JMH's that a type or method has under this name."""
        found = (one for one in declared.annotations if self.jmh_name(one.name) == name)
        return next(found, None)

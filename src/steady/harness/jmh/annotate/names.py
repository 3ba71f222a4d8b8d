"""Resolution of names in sources: types, superclasses, and values of constants."""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from steady.harness.jmh.annotate.source import SourceFile, Type

Value = int | str

_LONGEST = 200
"""Length in characters up to which expressions are evaluated."""
_LARGEST = 2**31 - 1


def evaluate(text: str, look_up: Callable[[str], Value | None]) -> Value | None:
    """Return the value of a constant expression; None if it is unknown.

    Only strings and integers with ``+ - * /`` are evaluated: their syntax is the same in Java,
    Kotlin and Python. Calls, casts, octal numbers, conditions, and integers beyond Java's ``int``
    are unknown.

    Parameters
    ----------
    text : str
        The expression.
    look_up : callable
        Returns the value of a constant, given its name as written.
    """
    if len(text) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes that are invalid in Python
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _value(tree.body, look_up)


def _value(node: ast.expr, look_up: Callable[[str], Value | None]) -> Value | None:
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | str):
            return None
        return value if _fits(value) else None
    if isinstance(node, ast.Name | ast.Attribute):
        return look_up(ast.unparse(node)) if _is_dotted(node) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand, look_up)
        return -inner if isinstance(inner, int) else None
    if isinstance(node, ast.BinOp):
        return _operation(node.op, _value(node.left, look_up), _value(node.right, look_up))
    return None


def _operation(operator: ast.operator, left: Value | None, right: Value | None) -> Value | None:
    if not (isinstance(left, int) and isinstance(right, int)):
        return None
    value: int | None = None
    if isinstance(operator, ast.Add):
        value = left + right
    elif isinstance(operator, ast.Sub):
        value = left - right
    elif isinstance(operator, ast.Mult):
        value = left * right
    elif isinstance(operator, ast.Div) and right:
        # Java and Kotlin truncate towards zero.
        size = abs(left) // abs(right)
        value = size if (left < 0) == (right < 0) else -size
    return value if value is not None and _fits(value) else None


def _fits(value: object) -> bool:
    return not isinstance(value, int) or abs(value) <= _LARGEST


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


_DEEPEST = 20
"""Maximum depth of superclasses, and of constants that refer to constants."""
_COMPANION = "Companion"


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """A type, and the file that declares it.

    Parameters
    ----------
    file : SourceFile
        The file.
    type : Type
        The type.
    """

    file: SourceFile
    type: Type

    @property
    def name(self) -> str:
        """Full name of the type, with which the names of its benchmarks begin."""
        return self.file.qualified(self.type.name)


class Names:
    """The types and constants of source files, by name.

    Parameters
    ----------
    files : iterable of SourceFile
        The files.
    """

    def __init__(self, files: Iterable[SourceFile]) -> None:
        self.files = tuple(files)
        self._superclasses: dict[str, tuple[Place, ...]] = {}

    @cached_property
    def places(self) -> dict[str, list[Place]]:
        """All types by full name; types of the same name belong to different builds."""
        places: dict[str, list[Place]] = defaultdict(list)
        for file in self.files:
            for one in file.types:
                places[file.qualified(one.name)].append(Place(file, one))
        return dict(places)

    @cached_property
    def _free_constants(self) -> dict[str, tuple[SourceFile, str]]:
        """Kotlin's top-level constants by full name: the file, and the expression."""
        return {
            file.qualified(name): (file, text)
            for file in self.files
            for name, text in file.constants.items()
        }

    def unique(self, name: str) -> Place | None:
        """Return the type with a full name; None if there is none, or more than one."""
        places = self.places.get(name, [])
        return places[0] if len(places) == 1 else None

    def resolve(self, written: str, file: SourceFile, within: Type | None) -> Place | None:
        """Return the type that a name denotes in a file, or within one of its types."""
        first, dot, rest = written.partition(".")
        found = (self.unique(name + dot + rest) for name in _candidates(first, file, within))
        return next((one for one in found if one is not None), None)

    def lineage(self, place: Place) -> tuple[Place, ...]:
        """Return a class, followed by its superclasses whose sources are known."""
        if place.name not in self._superclasses:
            line = [place]
            while len(line) < _DEEPEST:
                above = next((o for o in self._parents(line[-1]) if o.type.kind == "class"), None)
                if above is None or above in line:
                    break
                line.append(above)
            self._superclasses[place.name] = tuple(line)
        return self._superclasses[place.name]

    def _parents(self, place: Place) -> Iterator[Place]:
        for written in place.type.parents:
            found = self.resolve(written, place.file, place.type)
            if found is not None:
                yield found

    def value(
        self, text: str, file: SourceFile, within: Type | None, depth: int = 0
    ) -> Value | None:
        """Return the value of an expression; None if it is unknown.

        Parameters
        ----------
        text : str
            The expression.
        file : SourceFile
            Its file.
        within : Type, optional
            The type that contains it.
        depth : int
            Number of constants that have been followed so far.
        """
        if depth > _DEEPEST:
            return None
        return evaluate(text, lambda name: self._constant(name, file, within, depth + 1))

    def _constant(
        self, written: str, file: SourceFile, within: Type | None, depth: int
    ) -> Value | None:
        owner, _, name = written.rpartition(".")
        if owner:
            homes = [self.resolve(_without_companion(owner), file, within)]
        else:
            homes = [*_enclosing_types(self, file, within)]
        for home in filter(None, homes):
            for place in self._with_parents(home):
                if name in place.type.constants:
                    text = place.type.constants[name]
                    return self.value(text, place.file, place.type, depth)
        if not owner and name in file.constants:
            return self.value(file.constants[name], file, None, depth)
        return None if owner else self._imported(name, file, depth)

    def _with_parents(self, place: Place) -> Iterator[Place]:
        for one in self.lineage(place):
            yield one
            yield from self._parents(one)

    def _imported(self, name: str, file: SourceFile, depth: int) -> Value | None:
        for one in file.imports:
            if one.local not in ("", name):
                continue
            full = one.name if one.local else f"{one.name}.{name}"
            owner, _, constant = full.rpartition(".")
            home = self.unique(_without_companion(owner))
            if home is not None and constant in home.type.constants:
                return self.value(home.type.constants[constant], home.file, home.type, depth)
            if full in self._free_constants:
                other, text = self._free_constants[full]
                return self.value(text, other, None, depth)
        beside = self._free_constants.get(file.qualified(name))
        return None if beside is None else self.value(beside[1], beside[0], None, depth)


def _candidates(first: str, file: SourceFile, within: Type | None) -> Iterator[str]:
    """Yield the possible full names of a simple name, from inner to outer scopes."""
    around = within.name if within else ""
    while around:
        yield file.qualified(f"{around}.{first}")
        around = around.rpartition(".")[0]
    yield from (one.name for one in file.imports if one.local == first)
    yield file.qualified(first)
    yield from (f"{one.name}.{first}" for one in file.imports if not one.local)
    yield first


def _enclosing_types(names: Names, file: SourceFile, within: Type | None) -> Iterator[Place | None]:
    around = within.name if within else ""
    while around:
        yield names.unique(file.qualified(around))
        around = around.rpartition(".")[0]


def _without_companion(owner: str) -> str:
    return owner.removesuffix(f".{_COMPANION}")

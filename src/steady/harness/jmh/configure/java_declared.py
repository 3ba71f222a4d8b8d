"""What a benchmark's sources declare, as far as it is written out there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from steady.harness.jmh.configure.expressible import MODE_NAMES, MODES
from steady.harness.jmh.configure.java_annotation import elements_of, number_of
from steady.harness.jmh.java.project import JavaProject, Method, Type
from steady.harness.jmh.java.source import JavaFile
from steady.model import name_parts

if TYPE_CHECKING:
    from tree_sitter import Node

_MODE = re.compile(rf"\b({'|'.join(MODE_NAMES)}|All)\b")
_ESCAPE = "\\"


class DeclaredInSource:
    """What a benchmark declares: at its methods, then at its class and superclasses.

    Parameters
    ----------
    project : JavaProject
        The sources.
    name : str
        The benchmark's name.
    methods : list of Method
        Its methods there (`JavaProject.methods`).
    """

    def __init__(self, project: JavaProject, name: str, methods: list[Method]) -> None:
        self._project = project
        self._methods = methods
        self._lineage = project.lineage(name_parts(name).holder)

    def number(self, annotation: str, element: str, default: int) -> int | None:
        """Return a number of an annotation: the first that stands there, as for JMH.

        None where it is a constant or an expression.
        """
        for file, node in self._places(annotation):
            elements = elements_of(file, node)
            if element in elements:
                return number_of(file, elements[element])
        return default

    @property
    def modes(self) -> frozenset[str] | None:
        """The annotated modes, by JMH's short names; None where none are annotated."""
        for file, node in self._places("BenchmarkMode"):
            names = set(_MODE.findall(file.text(node)))
            return frozenset(MODES if "All" in names else (MODE_NAMES[name] for name in names))
        return None

    @property
    def params(self) -> Mapping[str, tuple[str, ...] | None]:
        """The annotated values of each parameter; None where they are not all written out."""
        params: dict[str, tuple[str, ...] | None] = {}
        for key, values in self._fields():
            # Of two fields of one name, the sources alone do not tell which one JMH takes.
            params[key] = values if params.get(key, values) == values else None
        return params

    def _places(self, annotation: str) -> Iterator[tuple[JavaFile, Node]]:
        """Yield the annotations of a kind in the order in which JMH looks at them."""
        places = [(m.file, m.node) for m in self._methods]
        places += [(one.file, one.node) for one in self._lineage]
        for file, declared in places:
            node = file.annotation(declared, annotation)
            if node is not None:
                yield file, node

    def _fields(self) -> Iterator[tuple[str, tuple[str, ...] | None]]:
        for state in self._states():
            for field in state.file.members(state.node, "field_declaration"):
                annotation = state.file.annotation(field, "Param")
                if annotation is None:
                    continue
                values = _literals(state.file, annotation)
                for declarator in field.children_by_field_name("declarator"):
                    name = declarator.child_by_field_name("name")
                    if name is not None:
                        yield state.file.text(name), values

    def _states(self) -> list[Type]:
        """Return the types whose parameters the benchmark may have: its own, and its states'."""
        states = {one.name: one for one in self._lineage}
        waiting = [(m, self._lineage[0]) for m in self._methods] + self._fixtures(self._lineage)
        while waiting:
            method, inside = waiting.pop()
            for written in _parameter_types(method):
                state = self._project.resolve(written, inside)
                if state is None or state.name in states:
                    continue
                chain = self._project.lineage(state.name)
                states.update({one.name: one for one in chain})
                waiting += self._fixtures(chain)
        return list(states.values())

    def _fixtures(self, types: list[Type]) -> list[tuple[Method, Type]]:
        """Return the methods that may take further states: all but the benchmarks."""
        return [
            (Method(one.file, node), one)
            for one in types
            for node in one.file.members(one.node, "method_declaration")
            if one.file.annotation(node, "Benchmark") is None
        ]


def _parameter_types(method: Method) -> Iterator[str]:
    parameters = method.node.child_by_field_name("parameters")
    for parameter in [] if parameters is None else parameters.named_children:
        written = parameter.child_by_field_name("type")
        if written is not None:
            node = written.named_children[0] if written.type == "generic_type" else written
            yield "".join(method.file.text(node).split())


def _literals(file: JavaFile, annotation: Node) -> tuple[str, ...] | None:
    """Return the texts of a ``@Param``; None unless all are plain string literals."""
    value = elements_of(file, annotation).get("value")
    if value is None:
        return None
    nodes = value.named_children if value.type == "element_value_array_initializer" else [value]
    texts = [file.text(n) for n in nodes if not n.type.endswith("comment")]
    if not texts or any(not _is_plain(text) for text in texts):
        return None
    return tuple(text[1:-1] for text in texts)


def _is_plain(literal: str) -> bool:
    return (
        len(literal) >= 2
        and literal[0] == literal[-1] == '"'
        and '"' not in literal[1:-1]
        and _ESCAPE not in literal
    )

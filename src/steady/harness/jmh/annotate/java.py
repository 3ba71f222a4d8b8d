"""Reader of Java sources, with tree-sitter's grammar."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from steady.harness.jmh.annotate.grammar import (
    child,
    children,
    first_error_line,
    line_of,
    parsed,
    words,
)
from steady.harness.jmh.annotate.source import (
    Annotation,
    Argument,
    Import,
    Method,
    SourceFile,
    Type,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "annotation_type_declaration": "other",
    "enum_declaration": "other",
    "record_declaration": "other",
}
_ANNOTATIONS = ("annotation", "marker_annotation")
_NAMES = ("identifier", "scoped_identifier")


def read(path: Path, text: bytes) -> SourceFile:
    """Parse a Java source file."""
    root = parsed("java", text)
    package = words(child(child(root, "package_declaration"), *_NAMES))
    return SourceFile(
        path,
        text,
        package.replace(" ", ""),
        tuple(map(_import, children(root, "import_declaration"))),
        tuple(_types(root, "")),
        {},
        first_error_line(root, _is_type),
    )


def _is_type(node: Node) -> bool:
    return node.type in _TYPES


def _import(node: Node) -> Import:
    name = words(child(node, *_NAMES)).replace(" ", "")
    local = "" if child(node, "asterisk") else name.rpartition(".")[2]
    return Import(name, local, child(node, "static") is not None, node.start_byte, node.end_byte)


def _types(node: Node, around: str) -> Iterator[Type]:
    for one in children(node, *_TYPES):
        name = around + words(one.child_by_field_name("name"))
        body = one.child_by_field_name("body")
        bodies = [body, child(body, "enum_body_declarations")]
        yield _type(one, name, [inner for inner in bodies if inner is not None])
        for inner in bodies:
            if inner is not None:
                yield from _types(inner, f"{name}.")


def _type(node: Node, name: str, bodies: list[Node]) -> Type:
    modifiers = child(node, "modifiers")
    constants = {
        words(variable.child_by_field_name("name")): words(variable.child_by_field_name("value"))
        for body in bodies
        for one in children(body, "field_declaration", "constant_declaration")
        for variable in children(one, "variable_declarator")
    }
    return Type(
        name,
        _TYPES[node.type],
        child(modifiers, "abstract") is not None,
        node.start_byte,
        line_of(node),
        _annotations(modifiers),
        tuple(_method(one) for body in bodies for one in children(body, "method_declaration")),
        tuple(_parents(node)),
        {constant: text for constant, text in constants.items() if text},
        first_error_line(node, _is_type),
    )


def _parents(node: Node) -> Iterator[str]:
    extended = child(node, "superclass")
    listed = child(child(node, "super_interfaces", "extends_interfaces"), "type_list")
    for one in [
        *(extended.named_children if extended else ()),
        *(listed.named_children if listed else ()),
    ]:
        yield words(one.named_children[0] if one.type == "generic_type" else one).replace(" ", "")


def _method(node: Node) -> Method:
    name = node.child_by_field_name("name")
    annotations = _annotations(child(node, "modifiers"))
    return Method(words(name), node.start_byte, line_of(name or node), annotations)


def _annotations(modifiers: Node | None) -> tuple[Annotation, ...]:
    return tuple(map(_annotation, children(modifiers, *_ANNOTATIONS)))


def _annotation(node: Node) -> Annotation:
    name, arguments = child(node, *_NAMES), child(node, "annotation_argument_list")
    return Annotation(
        words(name).replace(" ", ""),
        node.start_byte,
        node.end_byte,
        (name or node).end_byte,
        None if arguments is None else arguments.start_byte + 1,
        tuple(_arguments(arguments)),
    )


def _arguments(node: Node | None) -> Iterator[Argument]:
    for one in [] if node is None else node.named_children:
        if one.is_extra:
            continue
        pair = one.type == "element_value_pair"
        name = words(one.child_by_field_name("key")) if pair else "value"
        value = (one.child_by_field_name("value") if pair else None) or one
        yield Argument(name, words(value), value.start_byte, value.end_byte)

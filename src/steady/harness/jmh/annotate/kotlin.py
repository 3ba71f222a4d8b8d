"""Reader of Kotlin sources, with tree-sitter's grammar."""

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

_TYPES = ("class_declaration", "object_declaration")
_BODIES = ("class_body", "enum_class_body")
_COMPANION = "companion_object"


def read(path: Path, text: bytes) -> SourceFile:
    """Parse a Kotlin source file."""
    root = parsed("kotlin", text)
    package = _name(child(child(root, "package_header"), "qualified_identifier"))
    return SourceFile(
        path,
        text,
        package,
        tuple(map(_import, children(root, "import"))),
        tuple(_types(root, "")),
        dict(_constants(root)),
        first_error_line(root, _is_type),
    )


def _is_type(node: Node) -> bool:
    return node.type in (*_TYPES, _COMPANION)


def _name(node: Node | None) -> str:
    return words(node).replace(" ", "").replace("`", "")


def _import(node: Node) -> Import:
    name = _name(child(node, "qualified_identifier"))
    alias, wildcard = child(node, "identifier"), child(node, "*") is not None
    local = "" if wildcard else _name(alias) or name.rpartition(".")[2]
    # The node of the last import may include the blank lines that follow.
    end = node.start_byte + len((node.text or b"").rstrip())
    return Import(name, local, False, node.start_byte, end)


def _types(node: Node, around: str) -> Iterator[Type]:
    for one in children(node, *_TYPES):
        name = around + _name(child(one, "identifier"))
        bodies = [*children(one, *_BODIES)]
        yield _type(one, name, bodies)
        for body in bodies:
            yield from _types(body, f"{name}.")
            for companion in children(body, _COMPANION):
                for inner in children(companion, *_BODIES):
                    yield from _types(inner, f"{name}.")


def _type(node: Node, name: str, bodies: list[Node]) -> Type:
    modifiers = child(node, "modifiers")
    of_companions = (
        inner
        for body in bodies
        for companion in children(body, _COMPANION)
        for inner in children(companion, *_BODIES)
    )
    constants = [pair for body in (*bodies, *of_companions) for pair in _constants(body)]
    kept = {words(one) for one in children(modifiers, "inheritance_modifier", "class_modifier")}
    return Type(
        name,
        _kind(node, kept),
        bool(kept & {"abstract", "sealed"}),
        node.start_byte,
        line_of(node),
        tuple(_annotations(modifiers)),
        tuple(_method(one) for body in bodies for one in children(body, "function_declaration")),
        tuple(_parents(node)),
        dict(constants),
        first_error_line(node, _is_type),
    )


def _kind(node: Node, modifiers: set[str]) -> str:
    if child(node, "interface") is not None:
        return "interface"
    other = node.type != "class_declaration" or modifiers & {"enum", "annotation"}
    return "other" if other else "class"


def _parents(node: Node) -> Iterator[str]:
    """Yield the superclass, which has constructor parentheses, then the interfaces."""
    specifiers = [*children(child(node, "delegation_specifiers"), "delegation_specifier")]
    called = [child(one, "constructor_invocation") for one in specifiers]
    plain = [child(one, "user_type") for one in specifiers]
    for one in [*(child(call, "user_type") for call in called if call), *filter(None, plain)]:
        yield ".".join(_name(part) for part in children(one, "identifier"))


def _constants(body: Node) -> Iterator[tuple[str, str]]:
    for one in children(body, "property_declaration"):
        if "const" in words(child(one, "modifiers")).split():
            name = _name(child(child(one, "variable_declaration"), "identifier"))
            yield name, words(one.named_children[-1])


def _method(node: Node) -> Method:
    name = child(node, "identifier")
    annotations = tuple(_annotations(child(node, "modifiers")))
    return Method(_name(name), node.start_byte, line_of(name or node), annotations)


def _annotations(modifiers: Node | None) -> Iterator[Annotation]:
    for one in children(modifiers, "annotation"):
        # ``@get:A`` annotates the getter.
        if child(one, "use_site_target") is None:
            for used in children(one, "user_type", "constructor_invocation"):
                yield _annotation(one, used)


def _annotation(whole: Node, node: Node) -> Annotation:
    name = node if node.type == "user_type" else child(node, "user_type")
    arguments = child(node, "value_arguments")
    return Annotation(
        ".".join(_name(part) for part in children(name, "identifier")),
        whole.start_byte,
        whole.end_byte,
        (name or node).end_byte,
        None if arguments is None else arguments.start_byte + 1,
        tuple(map(_argument, children(arguments, "value_argument"))),
    )


def _argument(node: Node) -> Argument:
    named = child(node, "=") is not None
    value = node.named_children[-1]
    name = _name(node.named_children[0]) if named else "value"
    return Argument(name, words(value), value.start_byte, value.end_byte)

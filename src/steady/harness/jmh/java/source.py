"""Java source files: the types that they declare, and the places of a benchmark's methods.

Positions are bytes, so that all other text stays as it is in any encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from steady.errors import MissingToolError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

JMH_PACKAGE = "org.openjdk.jmh.annotations"

_TYPES = frozenset({"class_declaration", "record_declaration", "enum_declaration"})
_ANNOTATIONS = frozenset({"annotation", "marker_annotation"})
_DEEPEST_NESTING = 50


@dataclass(frozen=True, eq=False)
class JavaFile:
    """One source file.

    Parameters
    ----------
    path : Path
        Its path.
    data : bytes
        Its whole content.
    """

    path: Path
    data: bytes

    @cached_property
    def root(self) -> Node:
        """The syntax tree."""
        return parser_of_java().parse(self.data).root_node

    @property
    def is_understood(self) -> bool:
        """Whether the parser knows the syntax of the whole file."""
        return b"\0" not in self.data and not self.root.has_error

    @cached_property
    def package(self) -> str:
        """Name of the package; empty for the unnamed one."""
        declared = [n for n in self.root.named_children if n.type == "package_declaration"]
        return self.text(_name_node(declared[0])) if declared else ""

    @cached_property
    def imports(self) -> tuple[tuple[str, Node], ...]:
        """Names that are imported, ``a.b.*`` for a whole package, without the static ones."""
        found = []
        for node in self.root.named_children:
            is_static = any(child.type == "static" for child in node.children)
            if node.type == "import_declaration" and not is_static:
                whole = ".*" if node.named_children[-1].type == "asterisk" else ""
                found.append((self.text(_name_node(node)) + whole, node))
        return tuple(found)

    @cached_property
    def types(self) -> dict[str, Node]:
        """The types that can hold benchmarks, by qualified name; not those in too many others."""
        types: dict[str, Node] = {}
        waiting = [(self.root, f"{self.package}." if self.package else "", 0)]
        while waiting:
            node, prefix, depth = waiting.pop()
            for child in _members(node):
                if child.type not in _TYPES and child.type != "interface_declaration":
                    continue
                name = child.child_by_field_name("name")
                body = child.child_by_field_name("body")
                if name is not None and body is not None and depth < _DEEPEST_NESTING:
                    qualified = prefix + self.text(name)
                    types[qualified] = child
                    waiting.append((body, f"{qualified}.", depth + 1))
        return types

    @cached_property
    def classes_set_batch_size(self) -> bool:
        """Whether an annotation of a class, rather than of a method, names ``batchSize``."""
        return any(
            b"batchSize" in self.data[child.start_byte : child.end_byte]
            for declared in self.types.values()
            for child in declared.named_children
            if child.type == "modifiers"
        )

    def text(self, node: Node) -> str:
        """Return the source text of `node`, without blanks in dotted names."""
        text = self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return "".join(text.split()) if node.type == "scoped_identifier" else text

    def benchmark_methods(self, declared: Node, name: str) -> list[Node]:
        """Return the type's own methods that make up the benchmark `name`.

        This is the method of that name with ``@Benchmark``, or all methods of its ``@Group``.
        """
        body = declared.child_by_field_name("body")
        return [
            method
            for method in ([] if body is None else _members(body))
            if method.type == "method_declaration"
            and self.annotation(method, "Benchmark")
            and self.benchmark_name(method) == name
        ]

    def superclass(self, declared: Node) -> str | None:
        """Return the superclass's name as the source writes it, without type arguments."""
        clause = declared.child_by_field_name("superclass")
        if clause is None or not clause.named_children:
            return None
        node = clause.named_children[-1]
        if node.type == "generic_type":
            node = node.named_children[0]
        return "".join(self.text(node).split())

    def is_concrete(self, declared: Node) -> bool:
        """Tell whether JMH makes benchmarks from a type: not abstract, not an interface."""
        written = [self.text(c).split() for c in declared.children if c.type == "modifiers"]
        return declared.type in _TYPES and not any("abstract" in words for words in written)

    def benchmark_name(self, method: Node) -> str | None:
        """Return JMH's name for a method with ``@Benchmark``: its own, or that of its group.

        None if the group's name is a constant.
        """
        group = self.annotation(method, "Group")
        if group is not None:
            return self._group_name(group)
        own = method.child_by_field_name("name")
        return None if own is None else self.text(own)

    def annotation(self, declared: Node, name: str) -> Node | None:
        """Return JMH's annotation `name` of a method, a field or a type."""
        for modifiers in (c for c in declared.named_children if c.type == "modifiers"):
            for node in modifiers.named_children:
                if node.type in _ANNOTATIONS and self._is_jmh(node, name):
                    return node
        return None

    def mentions(self, identifier: str) -> bool:
        """Tell whether `identifier` is a name anywhere in the file, except in comments."""
        word = identifier.encode()
        if word not in self.data:
            return False
        return any(
            self.data[node.start_byte : node.end_byte] == word
            for node in _walk(self.root)
            if node.type in {"identifier", "type_identifier"}
        )

    def _group_name(self, group: Node) -> str | None:
        """Return the name in a ``@Group``; None if it is a constant."""
        values = [n for n in _walk(group) if n.type == "string_literal"]
        return self.text(values[0])[1:-1] if len(values) == 1 else None

    def _is_jmh(self, annotation: Node, name: str) -> bool:
        written = self.text(_name_node(annotation))
        if written == f"{JMH_PACKAGE}.{name}":
            return True
        return written == name and self.imported(name) in {None, JMH_PACKAGE}

    def imported(self, name: str) -> str | None:
        """Return the package (or type) from which a simple name is imported one by one."""
        packages = (full.rpartition(".") for full, _ in self.imports)
        return next((package for package, _, simple in packages if simple == name), None)


@cache
def parser_of_java() -> Parser:
    """Return the parser.

    Raises
    ------
    MissingToolError
        If it is not installed.
    """
    try:
        import tree_sitter_java
        from tree_sitter import Language, Parser
    except ImportError:
        raise MissingToolError(
            "rewriting annotations needs a parser of Java: "
            "install it with `pip install 'steady-action[annotations]'`"
        ) from None
    return Parser(Language(tree_sitter_java.language()))


def _members(body: Node) -> Iterator[Node]:
    """Yield what a body declares; an enum keeps it one level deeper."""
    for child in body.named_children:
        if child.type == "enum_body_declarations":
            yield from child.named_children
        else:
            yield child


def _name_node(node: Node) -> Node:
    """Return the dotted name in a declaration or an annotation."""
    return next(n for n in node.named_children if n.type in {"identifier", "scoped_identifier"})


def _walk(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(top.children)

"""Benchmarks with fixture methods that run before or after each iteration.

Their results may depend on the length of an iteration: for example, if each operation appends to a
list that each iteration clears. So their iterations must have the planned length.
"""

from collections.abc import Iterator, Mapping

from steady.harness.jmh.samecode.class_file import ClassFile
from steady.harness.jmh.samecode.class_hierarchy import is_of_jmh
from steady.harness.jmh.samecode.class_path import Variants
from steady.harness.jmh.samecode.constant_pool import UTF8, ConstantPool, MalformedError
from steady.samecode.exploration import Exploration, Node
from steady.samecode.reachability import Reachability

_LEVEL = b"Lorg/openjdk/jmh/annotations/Level;"
"""Type descriptor in the constant pool of every class whose annotations have a level."""

_ITERATION = b"Iteration"


def benchmarks_with_fixtures(
    classes: Mapping[str, Variants], generated: Mapping[str, str]
) -> frozenset[str]:
    """Return the benchmarks with a method that may run before or after each iteration.

    Parameters
    ----------
    classes : mapping of str to Variants
        The classes of the benchmarks' jar.
    generated : mapping of str to str
        The class that JMH generated for each benchmark, by the benchmark's name.

    Returns
    -------
    frozenset of str
        Names of the benchmarks whose generated class mentions, directly or through other classes,
        a class with a ``@Setup`` or ``@TearDown`` of ``Level.Iteration``.
    """
    own = {name: files for name, files in classes.items() if not is_of_jmh(name)}
    marked = {name for name, files in own.items() if any(_is_marked(one) for _, one in files)}
    if not marked:
        return frozenset()
    stubs = {name: stub.replace(".", "/") for name, stub in generated.items()}

    def mentioned(node: Node) -> Iterator[Node]:
        if node[0] not in marked:
            yield from ((one,) for one in _mentioned_classes(own[node[0]]) & own.keys())

    groups = {stub: group for group, stub in enumerate(dict.fromkeys(stubs.values()))}
    exploration = Exploration(mentioned)
    starts = [[exploration.number((stub,))] for stub in groups]
    exploration.explore((stub,) for stub in groups if stub in own)
    reachability = Reachability(exploration.graph, starts)
    found = 0
    for node, bits in zip(exploration.nodes, reachability.reached, strict=True):
        if node[0] in marked:
            found |= bits
    return frozenset(name for name, stub in stubs.items() if found >> groups[stub] & 1)


def _is_marked(content: bytes) -> bool:
    """Return whether a class may have a method that runs before or after each iteration."""
    if _LEVEL not in content:
        return False
    try:
        pool = ConstantPool(content)
    except MalformedError:
        return True
    return any(pool.utf8_bytes(index) == _ITERATION for index in pool.indices(UTF8))


def _mentioned_classes(files: Variants) -> set[str]:
    """Return the classes that the files of a class may mention; damaged files are skipped."""
    found = set[str]()
    for _, content in files:
        try:
            found |= ClassFile(content).mentioned_classes
        except MalformedError:
            continue
    return found

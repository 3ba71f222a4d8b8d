"""Benchmarks that prepare something before each iteration, or clear it away after it.

What they measure may depend on how long an iteration is: a list that each operation makes longer,
and that is new in each iteration. So their iterations must be as long as planned.
"""

from collections.abc import Iterator, Mapping

from steady.harness.jmh.samecode.class_code import ClassCode
from steady.harness.jmh.samecode.class_path import Variants
from steady.harness.jmh.samecode.constant_pool import UTF8, ConstantPool, MalformedError
from steady.harness.jmh.samecode.facts import Fact
from steady.harness.jmh.samecode.library import is_of_jmh
from steady.harness.jmh.samecode.reached import Explorer

_LEVEL = b"Lorg/openjdk/jmh/annotations/Level;"
"""What a class holds where an annotation of it names a level."""

_ITERATION = b"Iteration"


def with_fixtures(classes: Mapping[str, Variants], generated: Mapping[str, str]) -> frozenset[str]:
    """Return the benchmarks for which a method may run before or after each iteration.

    Parameters
    ----------
    classes : mapping of str to Variants
        The classes of the benchmarks' jar.
    generated : mapping of str to str
        By a benchmark's name, the class that JMH generated for it.

    Returns
    -------
    frozenset of str
        Names of those whose code mentions, directly or through other classes, one with a
        ``@Setup`` or ``@TearDown`` of ``Level.Iteration``.
    """
    own = {name: files for name, files in classes.items() if not is_of_jmh(name)}
    marked = {name for name, files in own.items() if any(_is_marked(one) for _, one in files)}
    if not marked:
        return frozenset()
    stubs = {name: stub.replace(".", "/") for name, stub in generated.items()}

    def mentioned(fact: Fact) -> Iterator[Fact]:
        if fact[0] not in marked:
            yield from ((one,) for one in _mentions(own[fact[0]]) & own.keys())

    explorer = Explorer(mentioned)
    begins = {stub: explorer.number((stub,)) for stub in stubs.values()}
    explorer.explore((stub,) for stub in begins if stub in own)
    holds = explorer.graph.spread({number: 1 << number for number in begins.values()})
    found = 0
    for fact, bits in zip(explorer.facts, holds, strict=True):
        if fact[0] in marked:
            found |= bits
    return frozenset(name for name, stub in stubs.items() if found >> begins[stub] & 1)


def _is_marked(content: bytes) -> bool:
    """Tell whether a class may have a method that runs before or after each iteration."""
    if _LEVEL not in content:
        return False
    try:
        pool = ConstantPool(content)
    except MalformedError:
        return True
    return any(pool.raw(place) == _ITERATION for place in pool.places(UTF8))


def _mentions(files: Variants) -> set[str]:
    """Return what may be names of classes in the files of a class; none where it is no class."""
    found = set[str]()
    for _, content in files:
        try:
            found |= ClassCode(content).mentions
        except MalformedError:
            continue
    return found

"""Methods of a project's own code that differ between two jars.

Lambdas, bridges and other methods that a compiler generates count for the method in the source that
they belong to. Benchmarks, the classes that JMH generates, and tests are left out.

Own code is told from libraries in the same jar by its package: it shares the first two parts of the
name, or three in shared namespaces such as ``org.apache``, with the package of a benchmark. If the
jar has no such class except benchmarks, all classes count, apart from those of JMH and the JDK.
Packages with a part such as ``shaded`` are libraries that a build has moved.
"""

import re
import struct
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from steady.harness.jmh.samecode.class_file import ClassFile, Signature
from steady.harness.jmh.samecode.class_hierarchy import ClassHierarchy, is_of_jmh
from steady.harness.jmh.samecode.constant_pool import MalformedError
from steady.harness.jmh.samecode.facts import Fact, run
from steady.harness.jmh.samecode.jdk_effects import is_of_jdk
from steady.harness.jmh.samecode.method_references import MethodReferences, add_references
from steady.model.changed_method import ChangedMethod, ChangedMethods

_SYNTHETIC, _BRIDGE, _ENUM = 0x1000, 0x0040, 0x4000
_SHARED_NAMESPACES = frozenset(
    {
        *("org/apache", "org/eclipse", "org/jboss", "org/codehaus", "net/sourceforge"),
        *("com/github", "io/github", "com/gitlab", "io/gitlab"),
        *("com/google", "com/facebook", "com/microsoft", "com/amazonaws", "com/alibaba"),
    }
)
_MOVED = re.compile(r"shaded?|shadow(?:ed)?|relocated|repackaged|third_?party|vendor(?:ed)?")
_TEST_TYPES = re.compile(r"(?:org/junit|junit/framework|org/testng|kotlin/test|spock/lang)/.*")
_MOST_PARAMETERS = 255  # limit of the JVM
_TEST_NAME = re.compile(r"Test[A-Z_].*|.*(?:Test|Tests|TestCase|TestBase)")
_RECORD_METHODS = "java/lang/runtime/ObjectMethods"
_PRIMITIVES = {
    "B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long",
    "S": "short", "Z": "boolean",
}  # fmt: skip


def changed_methods(
    hierarchy: ClassHierarchy, packages: Collection[str], reached: frozenset[Fact]
) -> ChangedMethods:
    """Return the changed methods of the project's own code, sorted by name.

    Parameters
    ----------
    hierarchy : ClassHierarchy
        The classes of base and head.
    packages : collection of str
        Packages of the benchmarks, such as ``a/b``.
    reached : frozenset of Fact
        The methods that may run in head.
    """
    is_own = OwnCode(hierarchy, packages)
    found: dict[tuple[str, Signature], bool] = defaultdict(bool)
    for name in filter(is_own.includes, hierarchy.changes):
        for file, signatures in _changed(hierarchy, name):
            source = _Source(file)
            for signature in signatures:
                holder = source.holder(signature)
                own = run(name, signature), run(name, holder)
                found[name, holder] |= not reached.isdisjoint(own)
    return tuple(
        ChangedMethod.of(name.replace("/", "."), method, _parameters(descriptor), is_reached)
        for (name, (method, descriptor)), is_reached in sorted(found.items())
    )


def _changed(hierarchy: ClassHierarchy, name: str) -> Iterator[tuple[ClassFile, list[Signature]]]:
    """Yield head's files of a class, each with the methods that base lacks in this form."""
    change, head = hierarchy.change_of(name), {c for _, c in hierarchy.head.classes.get(name, ())}
    before = {content for _, content in hierarchy.base.classes.get(name, ())}
    for file in hierarchy.class_files[name]:
        if file.data in head and file.data not in before and not file.access & _SYNTHETIC:
            own = file.methods if change.incomparable else change.methods & file.methods.keys()
            yield file, [one for one in sorted(own) if file.methods[one].start]


class OwnCode:
    """Tells a project's own code from benchmarks, tests and libraries.

    Parameters
    ----------
    hierarchy : ClassHierarchy
        All classes.
    packages : collection of str
        Packages of the benchmarks.
    """

    def __init__(self, hierarchy: ClassHierarchy, packages: Collection[str]) -> None:
        self._files = hierarchy.class_files
        roots = {_root(package) for package in packages if package}
        self._roots = tuple(f"{root}/" for root in sorted(roots))
        self._is_rooted = any(map(self._is_library_code, filter(self._under_roots, self._files)))

    def includes(self, name: str) -> bool:
        """Return whether a class is own code, and is neither a benchmark nor a test."""
        if is_of_jmh(name) or is_of_jdk(name) or any(map(_MOVED.fullmatch, name.split("/")[:-1])):
            return False
        return (self._under_roots(name) or not self._is_rooted) and self._is_library_code(name)

    def _under_roots(self, name: str) -> bool:
        return name.startswith(self._roots)

    def _is_library_code(self, name: str) -> bool:
        outermost = name.split("$")[0]
        if _TEST_NAME.fullmatch(outermost.rpartition("/")[2]) or outermost.endswith("_jmhTest"):
            return False
        files = (*self._files[name], *self._files.get(outermost, ()))
        mentioned = {one for file in files for one in file.mentioned_classes}
        return not any(is_of_jmh(one) or _TEST_TYPES.fullmatch(one) for one in mentioned)


def _root(package: str) -> str:
    """Return the beginning of the packages that belong to the same project as a package."""
    parts = package.split("/")
    return "/".join(parts[: 3 if "/".join(parts[:2]) in _SHARED_NAMESPACES else 2])


class _Source:
    """Finds the method in the source to which a method of a class belongs."""

    def __init__(self, file: ClassFile) -> None:
        self._file = file

    def holder(self, signature: Signature) -> Signature:
        """Return the method itself, or that for which a compiler generated it."""
        name, file = signature[0], self._file
        if file.access & _ENUM and name in ("values", "valueOf"):
            return next((one for one in file.methods if one[0] == "<clinit>"), signature)
        if file.parent == "java/lang/Record" and self._is_of_record(signature):
            return next((one for one in file.methods if one[0] == "<init>"), signature)
        return self._written(signature, {signature})

    def _written(self, signature: Signature, seen: set[Signature]) -> Signature:
        """Follow references between methods to one that is in the source."""
        if not self._is_generated(signature):
            return signature
        for one in self._related(signature):
            if one not in seen:
                seen.add(one)
                found = self._written(one, seen)
                if not self._is_generated(found):
                    return found
        return signature

    def _is_generated(self, signature: Signature) -> bool:
        return bool(self._file.methods[signature].access & _SYNTHETIC)

    def _related(self, signature: Signature) -> list[Signature]:
        """Return the methods for which a generated one may exist: its users, or those it calls."""
        users = [one for one, used in self._uses.items() if signature in used]
        used = self._uses[signature]
        if self._file.methods[signature].access & _BRIDGE:
            return [one for one in used if one[0] == signature[0]]
        # Kotlin's variant for default arguments calls the method; others call the variant.
        return [*used, *users] if signature[0].endswith("$default") else [*users, *used]

    @cached_property
    def _uses(self) -> Mapping[Signature, list[Signature]]:
        """The methods of the class that each method refers to."""
        found = {}
        for signature in self._file.methods:
            members = self._references(signature)
            found[signature] = [
                member[1:]
                for member in sorted(members.direct_calls | members.virtual_calls)
                if member[0] == self._file.name and member[1:] in self._file.methods
            ]
        return found

    def _is_of_record(self, signature: Signature) -> bool:
        calls = self._references(signature).direct_calls
        return any(owner == _RECORD_METHODS for owner, _, _ in calls)

    def _references(self, signature: Signature) -> MethodReferences:
        references = MethodReferences()
        try:
            add_references(self._file, signature, references)
        except (MalformedError, IndexError, struct.error):
            return MethodReferences()
        return references


def _parameters(descriptor: str) -> str:
    """Return the parameters of a method as in Java, without packages.

    >>> _parameters("(I[[Ljava/lang/String;)V")
    'int, String[][]'
    """
    names, rest = list[str](), descriptor.partition(")")[0].lstrip("(")
    while rest and len(names) < _MOST_PARAMETERS:
        kind = rest.lstrip("[")
        arrays = len(rest) - len(kind)
        if kind.startswith("L"):
            name, _, rest = kind[1:].partition(";")
            names.append(name.rpartition("/")[2] + "[]" * arrays)
        else:
            names.append(_PRIMITIVES.get(kind[:1], "") + "[]" * arrays)
            rest = kind[1:]
    return ", ".join(names)

"""Digests of attributes in a class file: of the class, its members and their code.

Source: The Java Virtual Machine Specification, Java SE 21 edition, chapters 4.7 and 6.5.
"""

import hashlib
import struct
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from steady.harness.jmh.samecode import constant_pool as constant_pool
from steady.harness.jmh.samecode import instructions
from steady.harness.jmh.samecode.class_file import ClassFile
from steady.harness.jmh.samecode.constant_pool import MalformedError

_REFERRING = frozenset({*range(7, 13), constant_pool.METHOD_HANDLE, 16, 19, 20})
"""Tags of constants that contain only indices of others, and in handles a kind."""

_NO_CONSTANT = bytes(32)
"""Digest of index 0, which refers to no constant."""

_DEEPEST_CONSTANT = 8
"""Maximum depth of constants that refer to constants; a JVM accepts at most five."""


class Digester:
    """Reads and digests a class file, with the content of constants instead of their indices.

    So the digest does not depend on the order of constants, or on unused ones; it does depend on
    the version of the format. A dynamic constant is digested with its bootstrap method.

    Parameters
    ----------
    file : ClassFile
        The file, which is read from the end of its constant pool.
    """

    def __init__(self, file: ClassFile) -> None:
        self.file = file
        self.position = file.pool.end
        """Position of the next byte."""
        self.ignored_annotations: Collection[bytes] = ()
        """Descriptors of annotations whose content is not digested."""
        self._constants: dict[int, bytes] = {}
        self._digest = hashlib.sha256(file.data[4:8])

    def read(self, count: int) -> bytes:
        """Read a number of bytes.

        Raises
        ------
        MalformedError
            If fewer bytes remain.
        """
        taken = self.file.data[self.position : self.position + count]
        if len(taken) < count:
            raise MalformedError("the file is truncated")
        self.position += count
        return taken

    def read_number(self, size: int) -> int:
        """Read an unsigned integer of `size` bytes."""
        return int.from_bytes(self.read(size))

    def add(self, content: bytes) -> None:
        """Add bytes to the digest."""
        self._digest.update(content)

    def digest_number(self, size: int) -> int:
        """Read and digest an unsigned integer of `size` bytes."""
        taken = self.read(size)
        self.add(taken)
        return int.from_bytes(taken)

    def digest_constants(self, count: int = 1) -> None:
        """Read `count` indices of constants, and digest the constants."""
        for _ in range(count):
            self.digest_constant(self.read_number(2))

    def digest_constant(self, index: int) -> None:
        """Digest the constant at an index; index 0 means none."""
        self.add(self._constant(index) if index else _NO_CONSTANT)

    def digest_constant_list(self) -> None:
        """Read a list of indices of constants, and digest the constants."""
        self.digest_constants(self.digest_number(2))

    def finish_digest(self) -> str:
        """Return the digest, and begin a new one."""
        digest, self._digest = self._digest.hexdigest(), hashlib.sha256()
        return digest

    @contextmanager
    def ignoring(self) -> Iterator[None]:
        """Exclude everything that is read within this context from the digest."""
        kept = self._digest.copy()
        yield
        self._digest = kept

    def _constant(self, index: int, depth: int = 0) -> bytes:
        """Return the digest of a constant, including the constants to which it refers."""
        known = self._constants.get(index)
        if known is None:
            if depth > _DEEPEST_CONSTANT:
                raise MalformedError("constants refer to each other in a cycle")
            tag, content = self.file.pool.constant(index)
            own, indices = self._parts(tag, content)
            others = (self._constant(one, depth + 1) for one in indices)
            known = hashlib.sha256(bytes([tag]) + own + b"".join(others)).digest()
            self._constants[index] = known
        return known

    def _parts(self, tag: int, content: bytes) -> tuple[bytes, Sequence[int]]:
        """Return the bytes of a constant that are digested unchanged, and its indices."""
        if tag in (constant_pool.DYNAMIC, constant_pool.INVOKE_DYNAMIC):
            bootstrap, name_and_type = struct.unpack(">HH", content)
            if bootstrap >= len(self.file.bootstrap_methods):
                raise MalformedError("a dynamic constant has no bootstrap method")
            return b"", (*self.file.bootstrap_methods[bootstrap], name_and_type)
        if tag not in _REFERRING:
            return content, ()
        start = len(content) % 2  # the kind of a handle
        return content[:start], struct.unpack(f">{len(content) // 2}H", content[start:])


DEBUG_ATTRIBUTES = frozenset(
    {
        b"LineNumberTable",
        b"LocalVariableTable",
        b"LocalVariableTypeTable",
        b"SourceDebugExtension",
        b"SourceFile",
    }
)
"""Attributes that only debuggers and stack traces use."""

_COMPILER_ATTRIBUTES = frozenset({b"Scala", b"ScalaInlineInfo", b"ScalaSig", b"TASTY"})
"""Attributes for Scala's compilers, which a JVM (JVMS 4.7.1) and reflection ignore."""

COMPILER_ANNOTATIONS = frozenset(
    {
        *(b"Lkotlin/Metadata;", b"Lkotlin/coroutines/jvm/internal/DebugMetadata;"),
        *(b"Lscala/reflect/ScalaSignature;", b"Lscala/reflect/ScalaLongSignature;"),
    }
)
"""Annotations in which a compiler describes all members of a class in terms of its language.

Any change of a member changes them. Only reflection on the class reads them.
"""

_CONSTANT_VALUES = b"BCDFIJSZsc"
_DEEPEST = 50

_TARGETS = {
    **dict.fromkeys((0x00, 0x01, 0x16), 1),  # a type parameter, a formal parameter
    **dict.fromkeys((0x10, 0x11, 0x12, 0x17), 2),  # a supertype, a bound, throws
    **dict.fromkeys((0x13, 0x14, 0x15), 0),  # type of a field, return value or receiver
    **dict.fromkeys(range(0x42, 0x47), 2),  # a handler, instanceof, new, method references
    **dict.fromkeys(range(0x47, 0x4C), 3),  # a type argument
}
"""Number of bytes that describe the target of a type annotation, by its kind."""

_VARIABLE_TARGETS = (0x40, 0x41)


def digest_attributes(reader: Digester, excluded: Collection[bytes] = DEBUG_ATTRIBUTES) -> None:
    """Digest a list of attributes, except those with excluded names."""
    counted = 0
    for _ in range(reader.read_number(2)):
        index, length = reader.read_number(2), reader.read_number(4)
        name, end = reader.file.pool.utf8_bytes(index), reader.position + length
        if name in excluded or name in _COMPILER_ATTRIBUTES:
            reader.read(length)
            continue
        digest = _ATTRIBUTES.get(name)
        if digest is None:
            raise MalformedError("it contains an unknown attribute")
        counted += 1
        reader.digest_constant(index)
        digest(reader)
        if reader.position != end:
            raise MalformedError("the length of an attribute is wrong")
    reader.add(counted.to_bytes(2))


def _digest_body(reader: Digester) -> None:
    reader.digest_number(4)  # stack and locals
    _digest_code(reader, reader.read(reader.digest_number(4)))
    for _ in range(reader.digest_number(2)):  # handlers
        reader.digest_number(6)
        reader.digest_constants()
    digest_attributes(reader)


def _digest_code(reader: Digester, body: bytes) -> None:
    """Digest the instructions of a method."""
    for at, end in instructions.iterate_instructions(body):
        after = at + 1
        reader.add(body[at:after])
        if body[at] in instructions.USING_CONSTANT:
            after += 1 if body[at] == instructions.LDC else 2
            reader.digest_constant(int.from_bytes(body[at + 1 : after]))
        reader.add(body[after:end])


def _digest_frames(reader: Digester) -> None:
    for _ in range(reader.digest_number(2)):
        kind = reader.digest_number(1)
        if kind < 64:
            continue
        if kind < 128:
            _digest_types(reader, 1)
        elif kind < 247:
            raise MalformedError("a stack map frame has an unknown type")
        else:
            reader.digest_number(2)
            if kind == 247:
                _digest_types(reader, 1)
            elif 252 <= kind < 255:
                _digest_types(reader, kind - 251)
            elif kind == 255:
                _digest_types(reader, reader.digest_number(2))
                _digest_types(reader, reader.digest_number(2))


def _digest_types(reader: Digester, count: int) -> None:
    for _ in range(count):
        kind = reader.digest_number(1)
        if kind == 7:
            reader.digest_constants()
        elif kind == 8:
            reader.digest_number(2)
        elif kind > 8:
            raise MalformedError("a stack map contains an unknown verification type")


def _listed(size: int, *parts: Callable[[Digester], object]) -> Callable[[Digester], None]:
    """Return a function that digests a list: its length, then the parts of each item."""

    def digest(reader: Digester) -> None:
        for _ in range(reader.digest_number(size)):
            for part in parts:
                part(reader)

    return digest


def _two_constants(reader: Digester) -> None:
    reader.digest_constants(2)


def _flags(reader: Digester) -> None:
    reader.digest_number(2)


def _nothing(_: Digester) -> None:
    """Digest an attribute without content."""


def _annotation(reader: Digester, depth: int = 0) -> None:
    kind = reader.read_number(2)
    reader.digest_constant(kind)
    if (
        reader.ignored_annotations
        and reader.file.pool.utf8_bytes(kind) in reader.ignored_annotations
    ):
        with reader.ignoring():
            _named_values(reader, depth)
    else:
        _named_values(reader, depth)


def _named_values(reader: Digester, depth: int) -> None:
    for _ in range(reader.digest_number(2)):
        reader.digest_constants()
        _value(reader, depth + 1)


def _value(reader: Digester, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise MalformedError("annotations are nested too deeply")
    kind = reader.digest_number(1)
    if kind in _CONSTANT_VALUES:
        reader.digest_constants()
    elif kind == ord("e"):
        reader.digest_constants(2)
    elif kind == ord("@"):
        _annotation(reader, depth)
    elif kind == ord("["):
        for _ in range(reader.digest_number(2)):
            _value(reader, depth + 1)
    else:
        raise MalformedError("an annotation contains a value of an unknown kind")


def _type_annotation(reader: Digester) -> None:
    kind = reader.digest_number(1)
    if kind in _VARIABLE_TARGETS:
        reader.digest_number(6 * reader.digest_number(2))
    elif kind in _TARGETS:
        reader.digest_number(_TARGETS[kind])
    else:
        raise MalformedError("a type annotation has an unknown target")
    reader.digest_number(2 * reader.digest_number(1))  # the path to the type
    _annotation(reader)


_annotations = _listed(2, _annotation)

_ATTRIBUTES: dict[bytes, Callable[[Digester], None]] = {
    b"BootstrapMethods": _listed(2, Digester.digest_constants, Digester.digest_constant_list),
    b"Code": _digest_body,
    b"ConstantValue": Digester.digest_constants,
    b"Deprecated": _nothing,
    b"EnclosingMethod": _two_constants,
    b"Exceptions": Digester.digest_constant_list,
    b"InnerClasses": _listed(2, _two_constants, Digester.digest_constants, _flags),
    b"MethodParameters": _listed(1, Digester.digest_constants, _flags),
    b"NestHost": Digester.digest_constants,
    b"NestMembers": Digester.digest_constant_list,
    b"PermittedSubclasses": Digester.digest_constant_list,
    b"Record": _listed(2, _two_constants, digest_attributes),
    b"Signature": Digester.digest_constants,
    b"StackMapTable": _digest_frames,
    b"Synthetic": _nothing,
    b"AnnotationDefault": _value,
    **dict.fromkeys((b"RuntimeVisibleAnnotations", b"RuntimeInvisibleAnnotations"), _annotations),
    **dict.fromkeys(
        (b"RuntimeVisibleParameterAnnotations", b"RuntimeInvisibleParameterAnnotations"),
        _listed(1, _annotations),
    ),
    **dict.fromkeys(
        (b"RuntimeVisibleTypeAnnotations", b"RuntimeInvisibleTypeAnnotations"),
        _listed(2, _type_annotation),
    ),
}
"""Functions that digest an attribute, by its name."""

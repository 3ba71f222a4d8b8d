"""Attributes of a class file, of its members and of their code, and what of each one counts.

Source: The Java Virtual Machine Specification, Java SE 21 edition, chapters 4.7 and 6.5.
"""

import hashlib
import struct
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from steady.harness.jmh.samecode import constant_pool as pools
from steady.harness.jmh.samecode import decode
from steady.harness.jmh.samecode.class_code import ClassCode
from steady.harness.jmh.samecode.constant_pool import MalformedError

_REFERRING = frozenset({*range(7, 13), pools.HANDLE, 16, 19, 20})
"""Kinds of constants that hold places of others, and nothing else but a handle's kind."""

_NONE = bytes(32)
"""What counts where a place is 0. No constant refers to it."""

_DEEPEST_CONSTANT = 8
"""Constants refer to constants, at most five deep in any class that a JVM takes."""


class Digester:
    """A reader that digests what it reads; a constant counts by its content.

    Its place in the pool, and other constants there, do not count; the version of the format does.
    A dynamic constant counts by how it is made.

    Parameters
    ----------
    code : ClassCode
        The file; it is read from the end of its pool on.
    """

    def __init__(self, code: ClassCode) -> None:
        self.code = code
        self.position = code.pool.end
        """How many bytes are read."""
        self.passed_over: Collection[bytes] = ()
        """Annotations of which the content does not count, by their descriptors."""
        self._meanings: dict[int, bytes] = {}
        self._digest = hashlib.sha256(code.data[4:8])

    def take(self, count: int) -> bytes:
        """Read a number of bytes.

        Raises
        ------
        MalformedError
            If fewer bytes are left.
        """
        taken = self.code.data[self.position : self.position + count]
        if len(taken) < count:
            raise MalformedError("it ends too early")
        self.position += count
        return taken

    def number(self, size: int) -> int:
        """Read an unsigned number that takes this many bytes."""
        return int.from_bytes(self.take(size))

    def count(self, content: bytes) -> None:
        """Add bytes to the digest."""
        self._digest.update(content)

    def counted(self, size: int) -> int:
        """Read a number that counts; it may be of any size."""
        taken = self.take(size)
        self.count(taken)
        return int.from_bytes(taken)

    def constants(self, count: int = 1) -> None:
        """Read the places of constants, which count by the constants there; 0 is none."""
        for _ in range(count):
            self.count_constant(self.number(2))

    def count_constant(self, place: int) -> None:
        """Add the constant at a place to the digest."""
        self.count(self._meaning(place) if place else _NONE)

    def listed_constants(self) -> None:
        """Read a list of the places of constants."""
        self.constants(self.counted(2))

    def digest_anew(self) -> str:
        """Return the digest of what has counted, and begin another one."""
        digest, self._digest = self._digest.hexdigest(), hashlib.sha256()
        return digest

    @contextmanager
    def without_counting(self) -> Iterator[None]:
        """Let what is read within not count."""
        kept = self._digest.copy()
        yield
        self._digest = kept

    def _meaning(self, place: int, depth: int = 0) -> bytes:
        """Return the digest of a constant and of all that it refers to."""
        known = self._meanings.get(place)
        if known is None:
            if depth > _DEEPEST_CONSTANT:
                raise MalformedError("constants refer to constants without an end")
            tag, content = self.code.pool.content(place)
            own, places = self._parts(tag, content)
            meanings = (self._meaning(one, depth + 1) for one in places)
            known = hashlib.sha256(bytes([tag]) + own + b"".join(meanings)).digest()
            self._meanings[place] = known
        return known

    def _parts(self, tag: int, content: bytes) -> tuple[bytes, Sequence[int]]:
        """Return what of a constant counts as it is, and the places to which it refers."""
        if tag in (pools.DYNAMIC, pools.INVOKE_DYNAMIC):
            maker, name_and_type = struct.unpack(">HH", content)
            if maker >= len(self.code.makers):
                raise MalformedError("nothing makes a constant that is made when it is needed")
            return b"", (*self.code.makers[maker], name_and_type)
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
"""Attributes that only debuggers and stack traces read."""

_FOR_COMPILERS = frozenset({b"Scala", b"ScalaInlineInfo", b"ScalaSig", b"TASTY"})
"""Attributes for Scala's compilers. A JVM passes over them (JVMS 4.7.1), and so does reflection."""

FOR_REFLECTION = frozenset(
    {
        *(b"Lkotlin/Metadata;", b"Lkotlin/coroutines/jvm/internal/DebugMetadata;"),
        *(b"Lscala/reflect/ScalaSignature;", b"Lscala/reflect/ScalaLongSignature;"),
    }
)
"""Annotations by which a compiler says again what its language has in a class: any change of a
member changes them. Nobody reads them but by reflection, in a class that is at hand for it."""

_CONSTANT_VALUES = b"BCDFIJSZsc"
_DEEPEST = 50

_TARGETS = {
    **dict.fromkeys((0x00, 0x01, 0x16), 1),  # a type parameter, a formal parameter
    **dict.fromkeys((0x10, 0x11, 0x12, 0x17), 2),  # a supertype, a bound, throws
    **dict.fromkeys((0x13, 0x14, 0x15), 0),  # a field, what a method returns or is called on
    **dict.fromkeys(range(0x42, 0x47), 2),  # a handler, instanceof, new, method references
    **dict.fromkeys(range(0x47, 0x4C), 3),  # a type argument
}
"""For each kind of target of a type annotation, how many bytes describe it."""

_VARIABLE_TARGETS = (0x40, 0x41)


def digest_attributes(file: Digester, apart: Collection[bytes] = DEBUG_ATTRIBUTES) -> None:
    """Add a list of attributes to the digest, except those with some names."""
    counted = 0
    for _ in range(file.number(2)):
        place, length = file.number(2), file.number(4)
        name, end = file.code.pool.raw(place), file.position + length
        if name in apart or name in _FOR_COMPILERS:
            file.take(length)
            continue
        digest = _ATTRIBUTES.get(name)
        if digest is None:
            raise MalformedError("it holds an attribute that is not known here")
        counted += 1
        file.count_constant(place)
        digest(file)
        if file.position != end:
            raise MalformedError("an attribute is not as long as it says")
    file.count(counted.to_bytes(2))


def _digest_body(file: Digester) -> None:
    file.counted(4)  # stack and locals
    _digest_code(file, file.take(file.counted(4)))
    for _ in range(file.counted(2)):  # handlers
        file.counted(6)
        file.constants()
    digest_attributes(file)


def _digest_code(file: Digester, body: bytes) -> None:
    """Let the instructions of a method count."""
    for at, end in decode.instructions(body):
        after = at + 1
        file.count(body[at:after])
        if body[at] in decode.WITH_CONSTANT:
            after += 1 if body[at] == decode.LDC else 2
            file.count_constant(int.from_bytes(body[at + 1 : after]))
        file.count(body[after:end])


def _digest_frames(file: Digester) -> None:
    for _ in range(file.counted(2)):
        kind = file.counted(1)
        if kind < 64:
            continue
        if kind < 128:
            _digest_types(file, 1)
        elif kind < 247:
            raise MalformedError("a stack map is of a kind that is not known")
        else:
            file.counted(2)
            if kind == 247:
                _digest_types(file, 1)
            elif 252 <= kind < 255:
                _digest_types(file, kind - 251)
            elif kind == 255:
                _digest_types(file, file.counted(2))
                _digest_types(file, file.counted(2))


def _digest_types(file: Digester, count: int) -> None:
    for _ in range(count):
        kind = file.counted(1)
        if kind == 7:
            file.constants()
        elif kind == 8:
            file.counted(2)
        elif kind > 8:
            raise MalformedError("a stack map holds a type that is not known")


def _listed(size: int, *parts: Callable[[Digester], object]) -> Callable[[Digester], None]:
    """Return what digests a list: its length, in so many bytes, and the parts of each item."""

    def digest(file: Digester) -> None:
        for _ in range(file.counted(size)):
            for part in parts:
                part(file)

    return digest


def _two_constants(file: Digester) -> None:
    file.constants(2)


def _flags(file: Digester) -> None:
    file.counted(2)


def _nothing(_: Digester) -> None:
    """Skip an attribute whose name says everything."""


def _annotation(file: Digester, depth: int = 0) -> None:
    kind = file.number(2)
    file.count_constant(kind)
    if file.passed_over and file.code.pool.raw(kind) in file.passed_over:
        with file.without_counting():
            _named_values(file, depth)
    else:
        _named_values(file, depth)


def _named_values(file: Digester, depth: int) -> None:
    for _ in range(file.counted(2)):
        file.constants()
        _value(file, depth + 1)


def _value(file: Digester, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise MalformedError("annotations are nested too deeply")
    kind = file.counted(1)
    if kind in _CONSTANT_VALUES:
        file.constants()
    elif kind == ord("e"):
        file.constants(2)
    elif kind == ord("@"):
        _annotation(file, depth)
    elif kind == ord("["):
        for _ in range(file.counted(2)):
            _value(file, depth + 1)
    else:
        raise MalformedError("an annotation holds a value of a kind that is not known")


def _type_annotation(file: Digester) -> None:
    kind = file.counted(1)
    if kind in _VARIABLE_TARGETS:
        file.counted(6 * file.counted(2))
    elif kind in _TARGETS:
        file.counted(_TARGETS[kind])
    else:
        raise MalformedError("a type annotation has a target that is not known")
    file.counted(2 * file.counted(1))  # the path to the type
    _annotation(file)


_annotations = _listed(2, _annotation)

_ATTRIBUTES: dict[bytes, Callable[[Digester], None]] = {
    b"BootstrapMethods": _listed(2, Digester.constants, Digester.listed_constants),
    b"Code": _digest_body,
    b"ConstantValue": Digester.constants,
    b"Deprecated": _nothing,
    b"EnclosingMethod": _two_constants,
    b"Exceptions": Digester.listed_constants,
    b"InnerClasses": _listed(2, _two_constants, Digester.constants, _flags),
    b"MethodParameters": _listed(1, Digester.constants, _flags),
    b"NestHost": Digester.constants,
    b"NestMembers": Digester.listed_constants,
    b"PermittedSubclasses": Digester.listed_constants,
    b"Record": _listed(2, _two_constants, digest_attributes),
    b"Signature": Digester.constants,
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
"""Digests an attribute of each name."""

"""Attributes of a class file, of its members and of their code, and what of each one counts.

Source: The Java Virtual Machine Specification, Java SE 21 edition, chapters 4.7 and 6.5.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Collection, Iterable

from steady.harness.jmh.samecode.constant_pool import ConstantPool, MalformedError

_REFERENCES = {
    **dict.fromkeys((7, 8, 16, 19, 20), "H"),  # class, string, method type, module, package
    **dict.fromkeys((9, 10, 11, 12), "HH"),  # field, method, interface method, name and type
    15: "BH",  # method handle
    **dict.fromkeys((17, 18), "hH"),  # dynamic, invokedynamic: the first is not in the pool
}

_NONE = bytes(32)
"""What counts where a place is 0. No constant refers to it."""

_DEEPEST_CONSTANT = 8
"""Constants refer to constants, at most five deep in any class that a JVM takes."""


class Digester:
    """Computes the digest of what it reads, in which a constant counts by its content.

    Its place in the pool, and other constants there, do not count; the version of the format does.

    Parameters
    ----------
    content : bytes
        The file.
    pool : ConstantPool
        Its constants, behind which it begins to read.
    """

    def __init__(self, content: bytes, pool: ConstantPool) -> None:
        self._content = content
        self.position = pool.end
        """How many bytes are read."""
        self._pool = pool
        self._meanings: dict[int, bytes] = {}
        self._digest = hashlib.sha256()
        self.have_count(content[4:8])

    @property
    def at_end(self) -> bool:
        """Whether all is read."""
        return self.position == len(self._content)

    def take(self, count: int) -> bytes:
        """Read a number of bytes.

        Raises
        ------
        MalformedError
            If fewer bytes are left, or fewer than none are asked for.
        """
        end = self.position + count
        if not self.position <= end <= len(self._content):
            raise MalformedError("it ends too early")
        taken = self._content[self.position : end]
        self.position = end
        return taken

    def number(self, size: int) -> int:
        """Read an unsigned number that takes this many bytes."""
        return int.from_bytes(self.take(size), "big")

    def ahead(self, skipped: int = 0) -> int:
        """Return the number of two bytes that follows, after some others, without reading it."""
        start = self.position + skipped
        return int.from_bytes(self._content[start : start + 2], "big")

    @property
    def digest(self) -> str:
        """The digest of all that has counted, in hexadecimal digits."""
        return self._digest.hexdigest()

    def count(self, *numbers: int) -> None:
        """Let numbers count."""
        self._digest.update(struct.pack(f">{len(numbers)}q", *numbers))

    def counted(self, size: int) -> int:
        """Read a number that counts."""
        return int.from_bytes(self.bytes_counted(size), "big")

    def bytes_counted(self, count: int) -> bytes:
        """Read bytes that count."""
        taken = self.take(count)
        self._digest.update(taken)
        return taken

    def constants(self, count: int = 1, size: int = 2) -> None:
        """Read the places of constants, which count by the constants there; 0 is none."""
        for _ in range(count):
            self.count_constant(self.number(size))

    def count_constant(self, place: int) -> None:
        """Let the constant at a place count."""
        self._digest.update(self._meaning(place) if place else _NONE)

    def listed_constants(self) -> None:
        """Read a list of the places of constants."""
        self.constants(self.counted(2))

    def text(self, place: int) -> bytes:
        """Return the text at a place of the pool."""
        return self._pool.raw(place)

    def digest_anew(self) -> str:
        """Return the digest of what has counted, and begin another one."""
        digest, self._digest = self.digest, hashlib.sha256()
        return digest

    def have_count(self, text: bytes) -> None:
        """Let a text count."""
        self._digest.update(hashlib.sha256(text).digest())

    def _meaning(self, place: int, depth: int = 0) -> bytes:
        """Return the digest of a constant and of all that it refers to."""
        known = self._meanings.get(place)
        if known is not None:
            return known
        if depth > _DEEPEST_CONSTANT:
            raise MalformedError("constants refer to constants without an end")
        tag, content = self._pool.content(place)
        form = _REFERENCES.get(tag)
        digest = hashlib.sha256(bytes([tag]) + (b"" if form else content))
        for kind, number in self.parts(tag, content) if form else ():
            # A big H is a place of the pool; other numbers count as they are.
            part = self._meaning(number, depth + 1) if kind == "H" else struct.pack(">h", number)
            digest.update(part)
        self._meanings[place] = digest.digest()
        return self._meanings[place]

    def parts(self, tag: int, content: bytes) -> Iterable[tuple[str, int]]:
        """Return the numbers of a reference, each with its form: ``H`` is a place of the pool."""
        form = _REFERENCES[tag]
        return zip(form, struct.unpack(f">{form}", content), strict=True)


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

_LAST_INSTRUCTION = 0xC9
_TABLE, _LOOKUP, _WIDE, _INCREMENT = 0xAA, 0xAB, 0xC4, 0x84
_MOST_CASES = 2**16

_OPERANDS = {
    **dict.fromkeys(range(_LAST_INSTRUCTION + 1), (0, 0)),
    **dict.fromkeys((0x10, 0xBC), (0, 1)),  # bipush, newarray
    **dict.fromkeys((*range(0x15, 0x1A), *range(0x36, 0x3B), 0xA9), (0, 1)),  # locals, ret
    **dict.fromkeys((0x11, _INCREMENT), (0, 2)),  # sipush, iinc
    **dict.fromkeys((*range(0x99, 0xA9), 0xC6, 0xC7), (0, 2)),  # jumps
    **dict.fromkeys((0xC8, 0xC9), (0, 4)),  # wide jumps
    0x12: (1, 0),  # ldc
    **dict.fromkeys((0x13, 0x14), (2, 0)),  # ldc_w, ldc2_w
    **dict.fromkeys((*range(0xB2, 0xB9), 0xBB, 0xBD, 0xC0, 0xC1), (2, 0)),  # members and classes
    **dict.fromkeys((0xB9, 0xBA), (2, 2)),  # invokeinterface, invokedynamic
    0xC5: (2, 1),  # multianewarray
}
"""For each instruction, the bytes of its place in the pool, and other bytes that follow."""


def digest_attributes(file: Digester, apart: Collection[bytes] = DEBUG_ATTRIBUTES) -> None:
    """Let a list of attributes count, except those with some names."""
    counted = 0
    for _ in range(file.number(2)):
        name = file.text(file.number(2))
        length = file.number(4)
        if name in apart:
            file.take(length)
            continue
        digest = _ATTRIBUTES.get(name)
        if digest is None:
            raise MalformedError("it holds an attribute that is not known here")
        counted += 1
        file.have_count(name)
        end = file.position + length
        digest(file)
        if file.position != end:
            raise MalformedError("an attribute is not as long as it says")
    file.count(counted)


def _digest_body(file: Digester) -> None:
    file.bytes_counted(4)  # stack and locals
    _digest_code(file, file.counted(4))
    for _ in range(file.counted(2)):  # handlers
        file.bytes_counted(6)
        file.constants()
    digest_attributes(file)


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


def _digest_code(code: Digester, length: int) -> None:
    """Let the instructions of a method count.

    Raises
    ------
    MalformedError
        If they hold an instruction that no JVM knows, or do not end with an instruction.
    """
    start = code.position
    end = start + length
    while code.position < end:
        operation = code.counted(1)
        if operation in (_TABLE, _LOOKUP):
            _digest_switch(code, operation, start)
        elif operation == _WIDE:
            widened = code.counted(1)
            code.bytes_counted(4 if widened == _INCREMENT else 2)
        elif operation in _OPERANDS:
            place, others = _OPERANDS[operation]
            if place:
                code.constants(size=place)
            code.bytes_counted(others)
        else:
            raise MalformedError(f"it holds the instruction {operation}")
    if code.position != end:
        raise MalformedError("its last instruction does not end")


def _digest_switch(code: Digester, operation: int, start: int) -> None:
    code.bytes_counted(-(code.position - start) % 4)  # up to a multiple of four
    code.bytes_counted(4)
    if operation == _LOOKUP:
        cases = 2 * code.counted(4)
    else:
        low, high = (_signed(code.counted(4)) for _ in range(2))
        cases = high - low + 1
    if not 0 <= cases <= _MOST_CASES:
        raise MalformedError("a switch has too many cases")
    code.bytes_counted(4 * cases)


def _signed(number: int) -> int:
    return number - (1 << 32) if number >> 31 else number


def _annotation(file: Digester, depth: int = 0) -> None:
    file.constants()
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
        file.bytes_counted(6 * file.counted(2))
    elif kind in _TARGETS:
        file.bytes_counted(_TARGETS[kind])
    else:
        raise MalformedError("a type annotation has a target that is not known")
    file.bytes_counted(2 * file.counted(1))  # the path to the type
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

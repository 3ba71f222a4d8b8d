"""The digest of a class file without its debug attributes, and the texts that it holds.

Debug attributes say which line of a source, and which variable, an instruction comes from. They
change when a comment is added, although the code that runs does not. Everything else counts: the
constants that anything except a debug attribute refers to, fields, methods, annotations,
instructions, and how long these are. An attribute that this module does not know makes it count
every byte of the file.

Source: The Java Virtual Machine Specification, Java SE 21 edition, chapter 4.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection

from steady.harness.jmh.samecode.class_annotations import ANNOTATIONS
from steady.harness.jmh.samecode.class_reader import (
    Digester,
    MalformedError,
    Reader,
    read_pool,
    texts_of,
)
from steady.harness.jmh.samecode.instructions import digest_code

_MAGIC = 0xCAFEBABE
_LARGEST = 16 * 2**20

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


def digest_class(content: bytes) -> str:
    """Return the SHA-256 of a class file without debug attributes.

    Parameters
    ----------
    content : bytes
        Anything.

    Returns
    -------
    str
        Hexadecimal digits. Of a file that is not a class file, or holds something that is not
        known here, all bytes count.
    """
    try:
        return _digest(content)
    except (MalformedError, RecursionError):
        return hashlib.sha256(b"raw" + content).hexdigest()


def class_texts(content: bytes) -> list[str] | None:
    """Return all texts in the constant pool: names, descriptors, strings.

    Parameters
    ----------
    content : bytes
        Anything.

    Returns
    -------
    list of str or None
        None if it is not a class file.
    """
    reader = Reader(content)
    try:
        version_of(reader)
        return texts_of(read_pool(reader))
    except MalformedError:
        return None


def version_of(reader: Reader) -> bytes:
    """Read the beginning of a class file, and return the version of its format."""
    if reader.number(4) != _MAGIC:
        raise MalformedError("it is not a class file")
    return reader.take(4)


def _digest(content: bytes) -> str:
    if len(content) > _LARGEST:
        raise MalformedError("it is too large")
    start = Reader(content)
    version = version_of(start)
    pool = read_pool(start)
    file = Digester(content, pool, start.position)
    file.have_count(version)
    file.counted(2)  # access
    file.constants(2)  # this class and its superclass
    file.listed_constants()  # interfaces
    for _ in range(2):  # fields and methods
        for _ in range(file.counted(2)):
            file.counted(2)
            file.constants(2)
            digest_attributes(file)
    digest_attributes(file)
    if not file.at_end:
        raise MalformedError("something follows it")
    return file.digest


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
    digest_code(file, file.counted(4))
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


def _digest_bootstrap_methods(file: Digester) -> None:
    for _ in range(file.counted(2)):
        file.constants()
        file.listed_constants()


def _digest_inner_classes(file: Digester) -> None:
    for _ in range(file.counted(2)):
        file.constants(3)
        file.counted(2)


def _digest_parameters(file: Digester) -> None:
    for _ in range(file.counted(1)):
        file.constants()
        file.counted(2)


def _digest_record(file: Digester) -> None:
    for _ in range(file.counted(2)):
        file.constants(2)
        digest_attributes(file)


def _nothing(_: Digester) -> None:
    """Skip an attribute whose name says everything."""


_ATTRIBUTES: dict[bytes, Callable[[Digester], None]] = {
    b"BootstrapMethods": _digest_bootstrap_methods,
    b"Code": _digest_body,
    b"ConstantValue": Digester.constants,
    b"Deprecated": _nothing,
    b"EnclosingMethod": lambda file: file.constants(2),
    b"Exceptions": Digester.listed_constants,
    b"InnerClasses": _digest_inner_classes,
    b"MethodParameters": _digest_parameters,
    b"NestHost": Digester.constants,
    b"NestMembers": Digester.listed_constants,
    b"PermittedSubclasses": Digester.listed_constants,
    b"Record": _digest_record,
    b"Signature": Digester.constants,
    b"StackMapTable": _digest_frames,
    b"Synthetic": _nothing,
    **ANNOTATIONS,
}

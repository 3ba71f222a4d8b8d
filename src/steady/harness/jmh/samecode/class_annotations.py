"""The annotations of a class file, which are texts and constants, nested to any depth."""

from __future__ import annotations

from collections.abc import Callable

from steady.harness.jmh.samecode.class_reader import Digester, MalformedError

_CONSTANTS = b"BCDFIJSZsc"
_DEEPEST = 50

_TARGETS = {
    **dict.fromkeys((0x00, 0x01, 0x16), 1),  # a type parameter, a formal parameter
    **dict.fromkeys((0x10, 0x11, 0x12, 0x17), 2),  # a supertype, a bound, throws
    **dict.fromkeys((0x13, 0x14, 0x15), 0),  # a field, what a method returns or is called on
    **dict.fromkeys(range(0x42, 0x47), 2),  # a handler, instanceof, new, method references
    **dict.fromkeys(range(0x47, 0x4C), 3),  # a type argument
}
"""For each kind of target of a type annotation, how many bytes describe it."""

_VARIABLES = (0x40, 0x41)


def _annotation(file: Digester, depth: int = 0) -> None:
    file.constants()
    for _ in range(file.counted(2)):
        file.constants()
        _value(file, depth + 1)


def _value(file: Digester, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise MalformedError("annotations are nested too deeply")
    kind = file.counted(1)
    if kind in _CONSTANTS:
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


def _annotations(file: Digester) -> None:
    for _ in range(file.counted(2)):
        _annotation(file)


def _parameter_annotations(file: Digester) -> None:
    for _ in range(file.counted(1)):
        _annotations(file)


def _type_annotations(file: Digester) -> None:
    for _ in range(file.counted(2)):
        kind = file.counted(1)
        if kind in _VARIABLES:
            file.bytes_counted(6 * file.counted(2))
        elif kind in _TARGETS:
            file.bytes_counted(_TARGETS[kind])
        else:
            raise MalformedError("a type annotation has a target that is not known")
        file.bytes_counted(2 * file.counted(1))  # the path to the type
        _annotation(file)


ANNOTATIONS: dict[bytes, Callable[[Digester], None]] = {
    b"AnnotationDefault": _value,
    **dict.fromkeys((b"RuntimeVisibleAnnotations", b"RuntimeInvisibleAnnotations"), _annotations),
    **dict.fromkeys(
        (b"RuntimeVisibleParameterAnnotations", b"RuntimeInvisibleParameterAnnotations"),
        _parameter_annotations,
    ),
    **dict.fromkeys(
        (b"RuntimeVisibleTypeAnnotations", b"RuntimeInvisibleTypeAnnotations"), _type_annotations
    ),
}
"""Digests an attribute of each name."""

"""The instructions of a method, and the constants that they use.

A regular expression skips all instructions that use no constant: they are most of the code, and
Python is slow at single bytes.

Source: The Java Virtual Machine Specification, Java SE 21 edition, sections 4.7.3 and 6.5.
"""

import re
import struct
from collections.abc import Iterator
from struct import Struct

from steady.harness.jmh.samecode.class_file import ClassFile, MethodCode
from steady.harness.jmh.samecode.constant_pool import MalformedError

LDC, GETSTATIC, PUTSTATIC = 0x12, 0xB2, 0xB3
INVOKEVIRTUAL, INVOKESPECIAL, INVOKESTATIC = 0xB6, 0xB7, 0xB8
INVOKEINTERFACE, INVOKEDYNAMIC = 0xB9, 0xBA
NEW, ANEWARRAY, CHECKCAST, INSTANCEOF, MULTIANEWARRAY = 0xBB, 0xBD, 0xC0, 0xC1, 0xC5
SWITCHES = (0xAA, 0xAB)
_LOOKUP, _WIDE = 0xAB, 0xC4
_MOST_CASES = 2**16

USING_CONSTANT = frozenset({0x12, 0x13, 0x14, *range(0xB2, 0xBC), 0xBD, 0xC0, 0xC1, 0xC5})
"""Instructions with the index of a constant: of two bytes, except for `LDC`."""

LENGTHS = bytes(
    [1] * 16 + [2, 3, 2, 3, 3] + [2] * 5 + [1] * 28 + [2] * 5 + [1] * 73 + [3] + [1] * 20
    + [3] * 16 + [2, 0, 0] + [1] * 6 + [3] * 7 + [5, 5, 3, 2, 3, 1, 1, 3, 3, 1, 1, 0, 4, 3, 3, 5, 5]
)  # fmt: skip
"""The length of each instruction in bytes; 0 where it varies."""

_STEP = re.compile(
    rb"(?:[\x00-\x0f\x1a-\x35\x3b-\x83\x85-\x98\xac-\xb1\xbe\xbf\xc2\xc3]"
    rb"|[\x10\x15-\x19\x36-\x3a\xa9\xbc]."
    rb"|[\x11\x84\x99-\xa8\xc6\xc7].."
    rb"|[\xc8\xc9]....|\xc4(?:\x84....|[^\x84]..))*+"
    rb"(?:()(?:[\xb2-\xb8\xbb\xbd\xc0\xc1\x13\x14]..|[\xb9\xba]....|\x12.|\xc5..."
    rb"|[\xaa\xab])|\Z)",
    re.DOTALL,
)
_HEAD = Struct(">HHI").unpack_from
_U2 = Struct(">H").unpack_from
_S4 = Struct(">i").unpack_from

ConstantUse = tuple[int, int, int]
"""The opcode, the index of its constant in the pool, and the position of the instruction."""


def bytecode_of(data: bytes, method: MethodCode) -> bytes:
    """Return the instructions of a method; none if it has no code."""
    if not method.start:
        return b""
    length = _HEAD(data, method.start)[2]
    begin = method.start + 8
    if begin + length > method.end:
        raise MalformedError("a method's code is longer than declared")
    return data[begin : begin + length]


def constant_uses(code: bytes) -> Iterator[ConstantUse]:
    """Yield every use of a constant; any form of ``ldc`` is `LDC`.

    Raises
    ------
    MalformedError
        If an instruction is unknown, or the last one is cut off.
    """
    position, end = 0, len(code)
    while position < end:
        match = _STEP.match(code, position)
        if match is None:
            raise MalformedError("the code contains an unknown instruction")
        at, position = match.start(1), match.end()
        if at < 0:
            return
        opcode = code[at]
        if opcode in SWITCHES:
            position = switch_end(code, at)
        elif opcode == LDC:
            yield LDC, code[at + 1], at
        else:
            yield (LDC if opcode < 0x20 else opcode), _U2(code, at + 1)[0], at


def iterate_instructions(code: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each instruction begins and ends.

    Raises
    ------
    MalformedError
        As `constant_uses`.
    """
    at = 0
    while at < len(code):
        opcode = code[at]
        if opcode in SWITCHES:
            end = switch_end(code, at)
        elif opcode == _WIDE:
            end = at + (6 if code[at + 1 : at + 2] == b"\x84" else 4)
        elif opcode < len(LENGTHS):
            end = at + LENGTHS[opcode]
        else:
            raise MalformedError("the code contains an unknown instruction")
        if end > len(code):
            raise MalformedError("the last instruction is truncated")
        yield at, end
        at = end


def switch_end(code: bytes, at: int) -> int:
    """Return where the instruction after a switch begins."""
    return at + 1 + -(at + 1) % 4 + 4 * len(switch_operands(code, at))


def switch_operands(code: bytes, at: int) -> tuple[int, ...]:
    """Return the operands of a switch: its default target, its bounds, and its cases."""
    start = at + 1 + -(at + 1) % 4
    try:
        if code[at] == _LOOKUP:
            count = 2 + 2 * _S4(code, start + 4)[0]
        else:
            count = 4 + _S4(code, start + 8)[0] - _S4(code, start + 4)[0]
        if not 2 <= count <= _MOST_CASES:
            raise MalformedError("a switch has too many cases")
        return struct.unpack_from(f">{count}i", code, start)
    except struct.error:
        raise MalformedError("a switch is truncated") from None


def caught_types(file: ClassFile, method: MethodCode) -> Iterator[int]:
    """Yield the indices of the classes that a method with code catches."""
    at = method.start + 8 + _HEAD(file.data, method.start)[2]
    for number in range(_U2(file.data, at)[0]):
        caught = _U2(file.data, at + 2 + 8 * number + 6)[0]
        if caught:
            yield caught

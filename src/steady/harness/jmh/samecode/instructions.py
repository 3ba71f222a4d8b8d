"""Finds which bytes of a method's instructions are places in the pool."""

from __future__ import annotations

from steady.harness.jmh.samecode.class_reader import Digester, MalformedError

_LAST = 0xC9
_TABLE, _LOOKUP, _WIDE, _INCREMENT = 0xAA, 0xAB, 0xC4, 0x84
_MOST_CASES = 2**16

_OPERANDS = {
    **dict.fromkeys(range(_LAST + 1), (0, 0)),
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
"""For each instruction, the bytes of its place in the pool, and other bytes that follow.

Source: The Java Virtual Machine Specification, Java SE 21 edition, chapter 6.5.
"""


def digest_code(code: Digester, length: int) -> None:
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

"""The instructions of a method, the constants that they use, and constant arguments of calls.

For speed, a regular expression skips the instructions that use no constant, which are most of the
code.

Source: The Java Virtual Machine Specification, Java SE 21 edition, sections 4.7.3 and 6.5.
"""

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from struct import Struct

from steady.harness.jmh.samecode.class_file import ClassFile, MethodCode
from steady.harness.jmh.samecode.constant_pool import STRING, MalformedError

LDC, GETSTATIC, PUTSTATIC = 0x12, 0xB2, 0xB3
INVOKEVIRTUAL, INVOKESPECIAL, INVOKESTATIC = 0xB6, 0xB7, 0xB8
INVOKEINTERFACE, INVOKEDYNAMIC = 0xB9, 0xBA
NEW, ANEWARRAY, CHECKCAST, INSTANCEOF, MULTIANEWARRAY = 0xBB, 0xBD, 0xC0, 0xC1, 0xC5
SWITCHES = (0xAA, 0xAB)
_LOOKUP, _WIDE = 0xAB, 0xC4
_MOST_CASES = 2**16

USING_CONSTANT = frozenset({0x12, 0x13, 0x14, *range(0xB2, 0xBC), 0xBD, 0xC0, 0xC1, 0xC5})
"""Instructions with the index of a constant, which has two bytes except for `LDC`."""

LENGTHS = bytes(
    [1] * 16 + [2, 3, 2, 3, 3] + [2] * 5 + [1] * 28 + [2] * 5 + [1] * 73 + [3] + [1] * 20
    + [3] * 16 + [2, 0, 0] + [1] * 6 + [3] * 7 + [5, 5, 3, 2, 3, 1, 1, 3, 3, 1, 1, 0, 4, 3, 3, 5, 5]
)  # fmt: skip
"""Length of each instruction in bytes; 0 if it varies."""

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
"""An opcode, the index of its constant in the pool, and the position of the instruction."""


def bytecode_of(data: bytes, method: MethodCode) -> bytes:
    """Return the bytecode of a method; empty if it has no code."""
    if not method.start:
        return b""
    length = _HEAD(data, method.start)[2]
    begin = method.start + 8
    if begin + length > method.end:
        raise MalformedError("a method's code is longer than declared")
    return data[begin : begin + length]


def constant_uses(code: bytes) -> Iterator[ConstantUse]:
    """Yield every use of a constant; all forms of ``ldc`` are yielded as `LDC`.

    Raises
    ------
    MalformedError
        If an instruction is unknown, or the last one is truncated.
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
    """Yield the start and the end of each instruction.

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
    """Return the position after a switch instruction."""
    return at + 1 + -(at + 1) % 4 + 4 * len(switch_operands(code, at))


def switch_operands(code: bytes, at: int) -> tuple[int, ...]:
    """Return the operands of a switch: default target, bounds or number of pairs, and cases."""
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
    """Yield the constant indices of the classes that a method with code catches."""
    at = method.start + 8 + _HEAD(file.data, method.start)[2]
    for number in range(_U2(file.data, at)[0]):
        caught = _U2(file.data, at + 2 + 8 * number + 6)[0]
        if caught:
            yield caught


_ARGUMENT = re.compile(r"\[?(?:[BCDFIJSZ]|L[^;]*+;?)")
"""Pattern of an argument's type, of an array with its last bracket; it never backtracks."""
_STRING, _CLASS = "Ljava/lang/String;", "Ljava/lang/Class;"
_PUSHES = frozenset((*range(0x01, 0x2E), 0xB2))
_JUMPS = frozenset((*range(0x99, 0xA9), 0xC6, 0xC7))
_REPLACES = frozenset({0xB4, 0xBC, 0xBD, 0xBE, 0xC1})
"""Instructions that replace a value: ``getfield``, new arrays, ``arraylength``, ``instanceof``."""
_STORES = frozenset(range(0x36, 0x4F))
_CAST, _DUP, _ARRAY_STORE = 0xC0, 0x59, 0x53
_COMPARED, _POP = (b"\xa5", b"\xa6"), b"\x57"
_PRINTING = frozenset(
    {
        *("getName", "getSimpleName", "getTypeName", "getCanonicalName", "getPackageName"),
        *("hashCode", "toString", "desiredAssertionStatus", "isArray", "isEnum", "isInterface"),
    }
)
"""Methods of ``Class`` without arguments that do not return a class."""
_WIDE_JUMPS = (0xC8, 0xC9)
_S2 = Struct(">h").unpack_from


def constant_strings(
    file: ClassFile, body: bytes, calls: Mapping[int, str]
) -> dict[int, str | None]:
    """Return the constant string that each call receives; None if it may not be constant.

    Parameters
    ----------
    file : ClassFile
        The class.
    body : bytes
        The instructions of the method.
    calls : mapping of int to str
        Descriptor of the called method, by position of the call.
    """
    targets = _jump_targets(body)
    found: dict[int, str | None] = {}
    stack: list[str | None] = []
    for at, _ in iterate_instructions(body):
        if at in targets:
            stack = []
        if at in calls:
            kinds = _ARGUMENT.findall(calls[at].partition(")")[0])
            depth = _depth_of_string(kinds)
            found[at] = stack[-depth] if 0 < depth <= len(stack) else None
        stack = _stack_after(file, body, at, stack)
    return found


def _depth_of_string(kinds: Sequence[str]) -> int:
    """Return the depth of the string on the stack.

    It is 1 for the last argument, and 0 if there is no string.
    """
    before = [_CLASS] if kinds[:1] == [_CLASS] else []
    return len(kinds) - len(before) if kinds[: len(before) + 1] == [*before, _STRING] else 0


def _stack_after(
    file: ClassFile, body: bytes, at: int, stack: list[str | None]
) -> list[str | None]:
    """Return the stack after an instruction: constant strings, and None for other values.

    The lowest values may be missing. Values of two words are one item.
    """
    opcode = body[at]
    if opcode in (LDC, LDC + 1):
        index = body[at + 1] if opcode == LDC else _U2(body, at + 1)[0]
        is_string = file.pool.tags[index] == STRING
        return [*stack, file.pool.utf8_of(index, STRING) if is_string else None]
    if opcode in _PUSHES or opcode == NEW:
        return [*stack, None]
    if opcode in _REPLACES:
        return [*stack[:-1], None]
    if opcode == _CAST:
        return stack
    if opcode == _DUP:
        return [*stack, stack[-1] if stack else None]
    if opcode == _ARRAY_STORE:
        return stack[:-3]
    if opcode in _STORES or opcode == _POP[0]:
        return stack[:-1]
    if INVOKEVIRTUAL <= opcode <= INVOKESTATIC or opcode == INVOKEINTERFACE:
        descriptor = file.pool.member(_U2(body, at + 1)[0])[2]
        count = len(_ARGUMENT.findall(descriptor.partition(")")[0])) + (opcode != INVOKESTATIC)
        left = stack[: len(stack) - count] if len(stack) >= count else []
        return left if descriptor.endswith(")V") else [*left, None]
    return []


def is_class_only_compared(file: ClassFile, body: bytes, at: int) -> bool:
    """Return whether the result of a call of ``getClass`` is only compared, printed or discarded.

    Parameters
    ----------
    file : ClassFile
        The class.
    body : bytes
        The instructions of the method.
    at : int
        The position of the call.
    """
    after = at + 3
    if _is_dropped(file, body, after):
        return True
    if after < len(body) and body[after] in _PUSHES:  # the other side of a comparison
        after += LENGTHS[body[after]]
        if after < len(body) and body[after] == INVOKEVIRTUAL:
            if file.pool.member(_U2(body, after + 1)[0])[1] != "getClass":
                return False
            after += 3
        return body[after : after + 1] in _COMPARED
    return False


def _is_dropped(file: ClassFile, body: bytes, at: int) -> bool:
    if body[at : at + 1] in (*_COMPARED, _POP):
        return True
    if body[at : at + 1] != bytes([INVOKEVIRTUAL]):
        return False
    owner, name, _ = file.pool.member(_U2(body, at + 1)[0])
    return owner == "java/lang/Class" and name in _PRINTING


def _jump_targets(body: bytes) -> set[int]:
    """Return the targets of all jumps."""
    targets = set[int]()
    for at, _ in iterate_instructions(body):
        opcode = body[at]
        if opcode in SWITCHES:
            words = switch_operands(body, at)
            targets.update(at + word for word in (words[0], *words[2:]))
        elif opcode in _JUMPS:
            targets.add(at + _S2(body, at + 1)[0])
        elif opcode in _WIDE_JUMPS:
            targets.add(at + _S4(body, at + 1)[0])
    return targets

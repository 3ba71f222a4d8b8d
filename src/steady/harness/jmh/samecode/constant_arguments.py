"""Constant strings among the arguments of calls, and uses of the result of ``getClass``.

The string is the first argument, or the second one after a class.

The operand stack is followed from one instruction to the next. At the target of a jump, and after
an instruction that this module does not know, its content is unknown.

Source: JVMS 6.5; JLS 15.12.4.2 (arguments are evaluated from left to right).
"""

import re
from collections.abc import Mapping, Sequence
from struct import Struct

from steady.harness.jmh.samecode import instructions
from steady.harness.jmh.samecode.class_file import ClassFile
from steady.harness.jmh.samecode.constant_pool import STRING

_ARGUMENT = re.compile(r"\[?(?:[BCDFIJSZ]|L[^;]*+;?)")
"""The type of an argument, of an array with its last bracket; matched without backtracking."""
_STRING, _CLASS = "Ljava/lang/String;", "Ljava/lang/Class;"
_PUSHES = frozenset((*range(0x01, 0x2E), 0xB2))
_JUMPS = frozenset((*range(0x99, 0xA9), 0xC6, 0xC7))
_REPLACES = frozenset({0xB4, 0xBC, 0xBD, 0xBE, 0xC1})
"""``getfield``, new arrays, ``arraylength``, ``instanceof``: they replace a value by another."""
_STORES = frozenset(range(0x36, 0x4F))
_CAST, _DUP, _ARRAY_STORE = 0xC0, 0x59, 0x53
_COMPARED, _POP = (b"\xa5", b"\xa6"), b"\x57"
_PRINTING = frozenset(
    {
        *("getName", "getSimpleName", "getTypeName", "getCanonicalName", "getPackageName"),
        *("hashCode", "toString", "desiredAssertionStatus", "isArray", "isEnum", "isInterface"),
    }
)
"""Methods of ``Class`` that return no other class and take no argument."""
_WIDE_JUMPS = (0xC8, 0xC9)
_S2 = Struct(">h").unpack_from
_S4 = Struct(">i").unpack_from
_U2 = Struct(">H").unpack_from


def constant_strings(
    file: ClassFile, body: bytes, calls: Mapping[int, str]
) -> dict[int, str | None]:
    """Return the constant string that each call gets; None where it may not be constant.

    Parameters
    ----------
    file : ClassFile
        The class.
    body : bytes
        The instructions of the method.
    calls : mapping of int to str
        The position of each call, and the descriptor of the method that it calls.
    """
    targets = _jump_targets(body)
    found: dict[int, str | None] = {}
    stack: list[str | None] = []
    for at, _ in instructions.iterate_instructions(body):
        if at in targets:
            stack = []
        if at in calls:
            kinds = _ARGUMENT.findall(calls[at].partition(")")[0])
            depth = _depth_of_string(kinds)
            found[at] = stack[-depth] if 0 < depth <= len(stack) else None
        stack = _stack_after(file, body, at, stack)
    return found


def _depth_of_string(kinds: Sequence[str]) -> int:
    """Return the depth of the string on the stack, of which 1 is the last argument; 0 if none."""
    before = [_CLASS] if kinds[:1] == [_CLASS] else []
    return len(kinds) - len(before) if kinds[: len(before) + 1] == [*before, _STRING] else 0


def _stack_after(
    file: ClassFile, body: bytes, at: int, stack: list[str | None]
) -> list[str | None]:
    """Return the stack after an instruction: constant strings, and None for other values.

    There may be more values below. Values of two words count once.
    """
    opcode = body[at]
    if opcode in (instructions.LDC, instructions.LDC + 1):
        index = body[at + 1] if opcode == instructions.LDC else _U2(body, at + 1)[0]
        is_string = file.pool.tags[index] == STRING
        return [*stack, file.pool.utf8_of(index, STRING) if is_string else None]
    if opcode in _PUSHES or opcode == instructions.NEW:
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
    if (
        instructions.INVOKEVIRTUAL <= opcode <= instructions.INVOKESTATIC
        or opcode == instructions.INVOKEINTERFACE
    ):
        descriptor = file.pool.member(_U2(body, at + 1)[0])[2]
        count = len(_ARGUMENT.findall(descriptor.partition(")")[0])) + (
            opcode != instructions.INVOKESTATIC
        )
        left = stack[: len(stack) - count] if len(stack) >= count else []
        return left if descriptor.endswith(")V") else [*left, None]
    return []


def is_class_only_compared(file: ClassFile, body: bytes, at: int) -> bool:
    """Return whether the result of ``getClass`` is only compared, printed or dropped.

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
        after += instructions.LENGTHS[body[after]]
        if after < len(body) and body[after] == instructions.INVOKEVIRTUAL:
            if file.pool.member(_U2(body, after + 1)[0])[1] != "getClass":
                return False
            after += 3
        return body[after : after + 1] in _COMPARED
    return False


def _is_dropped(file: ClassFile, body: bytes, at: int) -> bool:
    if body[at : at + 1] in (*_COMPARED, _POP):
        return True
    if body[at : at + 1] != bytes([instructions.INVOKEVIRTUAL]):
        return False
    owner, name, _ = file.pool.member(_U2(body, at + 1)[0])
    return owner == "java/lang/Class" and name in _PRINTING


def _jump_targets(body: bytes) -> set[int]:
    """Return the targets of all jumps."""
    targets = set[int]()
    for at, _ in instructions.iterate_instructions(body):
        opcode = body[at]
        if opcode in instructions.SWITCHES:
            words = instructions.switch_operands(body, at)
            targets.update(at + word for word in (words[0], *words[2:]))
        elif opcode in _JUMPS:
            targets.add(at + _S2(body, at + 1)[0])
        elif opcode in _WIDE_JUMPS:
            targets.add(at + _S4(body, at + 1)[0])
    return targets

"""The constant name that a call is given, as far as the code shows it.

It is the first argument, or the second one behind a class.

The values on the stack are followed from one instruction to the next. Where a jump may arrive, and
after an instruction that is not known here, nothing is known of them.

Source: JVMS 6.5; JLS 15.12.4.2 (arguments are evaluated from left to right).
"""

import re
from collections.abc import Mapping, Sequence
from struct import Struct

from steady.harness.jmh.samecode import instructions
from steady.harness.jmh.samecode.class_file import ClassFile
from steady.harness.jmh.samecode.constant_pool import STRING

_ARGUMENT = re.compile(r"\[?(?:[BCDFIJSZ]|L[^;]*+;?)")
"""The type of an argument, with the last bracket of an array: never longer than it has to look."""
_STRING, _CLASS = "Ljava/lang/String;", "Ljava/lang/Class;"
_PUSHES = frozenset((*range(0x01, 0x2E), 0xB2))
_JUMPS = frozenset((*range(0x99, 0xA9), 0xC6, 0xC7))
_REPLACES = frozenset({0xB4, 0xBC, 0xBD, 0xBE, 0xC1})
"""``getfield``, new arrays, ``arraylength``, ``instanceof``: a value for a value."""
_STORES = frozenset(range(0x36, 0x4F))
_CAST, _DUP, _ARRAY_STORE = 0xC0, 0x59, 0x53
_COMPARED, _POP = (b"\xa5", b"\xa6"), b"\x57"
_PRINTING = frozenset(
    {
        *("getName", "getSimpleName", "getTypeName", "getCanonicalName", "getPackageName"),
        *("hashCode", "toString", "desiredAssertionStatus", "isArray", "isEnum", "isInterface"),
    }
)
"""Methods of ``Class`` that give no other class and take nothing."""
_WIDE_JUMPS = (0xC8, 0xC9)
_S2 = Struct(">h").unpack_from
_S4 = Struct(">i").unpack_from
_U2 = Struct(">H").unpack_from


def constant_names(code: ClassFile, body: bytes, calls: Mapping[int, str]) -> dict[int, str | None]:
    """Return the names that calls are given; None for one that is not surely constant.

    Parameters
    ----------
    code : ClassFile
        The class.
    body : bytes
        The instructions of the method.
    calls : mapping of int to str
        Where each call is, and the descriptor of the method that it calls.
    """
    targets = _targets(body)
    found: dict[int, str | None] = {}
    stack: list[str | None] = []
    for at, _ in instructions.iterate_instructions(body):
        if at in targets:
            stack = []
        if at in calls:
            kinds = _ARGUMENT.findall(calls[at].partition(")")[0])
            place = _place_of_name(kinds)
            found[at] = stack[-place] if 0 < place <= len(stack) else None
        stack = _after(code, body, at, stack)
    return found


def _place_of_name(kinds: Sequence[str]) -> int:
    """Return how far from the last argument the name is: the first, or behind a class; 0: none."""
    before = [_CLASS] if kinds[:1] == [_CLASS] else []
    return len(kinds) - len(before) if kinds[: len(before) + 1] == [*before, _STRING] else 0


def _after(code: ClassFile, body: bytes, at: int, stack: list[str | None]) -> list[str | None]:
    """Return what is on the stack after an instruction: texts, and None for other values.

    An empty list says nothing: more may lie below. Values of two words count once.
    """
    operation = body[at]
    if operation in (instructions.LDC, instructions.LDC + 1):
        index = body[at + 1] if operation == instructions.LDC else _U2(body, at + 1)[0]
        is_text = code.pool.tags[index] == STRING
        return [*stack, code.pool.utf8_of(index, STRING) if is_text else None]
    if operation in _PUSHES or operation == instructions.NEW:
        return [*stack, None]
    if operation in _REPLACES:
        return [*stack[:-1], None]
    if operation == _CAST:
        return stack
    if operation == _DUP:
        return [*stack, stack[-1] if stack else None]
    if operation == _ARRAY_STORE:
        return stack[:-3]
    if operation in _STORES or operation == _POP[0]:
        return stack[:-1]
    if instructions.INVOKEVIRTUAL <= operation <= instructions.INVOKESTATIC or operation == instructions.INVOKEINTERFACE:
        descriptor = code.pool.member(_U2(body, at + 1)[0])[2]
        count = len(_ARGUMENT.findall(descriptor.partition(")")[0])) + (
            operation != instructions.INVOKESTATIC
        )
        left = stack[: len(stack) - count] if len(stack) >= count else []
        return left if descriptor.endswith(")V") else [*left, None]
    return []


def is_class_only_compared(code: ClassFile, body: bytes, at: int) -> bool:
    """Tell whether what ``getClass`` returns is compared, printed or dropped, and no more.

    Parameters
    ----------
    code : ClassFile
        The class.
    body : bytes
        The instructions of the method.
    at : int
        Where the call is.
    """
    after = at + 3
    if _drops(code, body, after):
        return True
    if after < len(body) and body[after] in _PUSHES:  # what it is compared with
        after += instructions.LENGTHS[body[after]]
        if after < len(body) and body[after] == instructions.INVOKEVIRTUAL:
            if code.pool.member(_U2(body, after + 1)[0])[1] != "getClass":
                return False
            after += 3
        return body[after : after + 1] in _COMPARED
    return False


def _drops(code: ClassFile, body: bytes, at: int) -> bool:
    if body[at : at + 1] in (*_COMPARED, _POP):
        return True
    if body[at : at + 1] != bytes([instructions.INVOKEVIRTUAL]):
        return False
    owner, name, _ = code.pool.member(_U2(body, at + 1)[0])
    return owner == "java/lang/Class" and name in _PRINTING


def _targets(body: bytes) -> set[int]:
    """Return where jumps go."""
    targets = set[int]()
    for at, _ in instructions.iterate_instructions(body):
        operation = body[at]
        if operation in instructions.SWITCHES:
            words = instructions.switch_operands(body, at)
            targets.update(at + word for word in (words[0], *words[2:]))
        elif operation in _JUMPS:
            targets.add(at + _S2(body, at + 1)[0])
        elif operation in _WIDE_JUMPS:
            targets.add(at + _S4(body, at + 1)[0])
    return targets

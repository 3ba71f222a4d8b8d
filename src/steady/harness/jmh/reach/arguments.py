"""The constant that a call is given as its first argument, as far as the code shows it.

The instructions before the call are read backwards: each must push one value and do nothing else,
and none may be reached by a jump, which could bring another value.

Source: JVMS 6.5; JLS 15.12.4.2 (arguments are evaluated from left to right).
"""

from __future__ import annotations

import re
from struct import Struct

from steady.harness.jmh.reach.class_code import ClassCode
from steady.harness.jmh.reach.constant_pool import STRING
from steady.harness.jmh.reach.decode import LDC, VIRTUAL, after_switch, switch_words
from steady.harness.jmh.samecode.class_reader import MalformedError

_ARGUMENT = re.compile(r"\[*(?:[BCDFIJSZ]|L[^;]*;)")
_STRING = "Ljava/lang/String;"
_PUSHES = frozenset((*range(0x01, 0x2E), 0xB2))
_JUMPS = frozenset((*range(0x99, 0xA9), 0xC6, 0xC7))
_COMPARED, _POP = (b"\xa5", b"\xa6"), b"\x57"
_PRINTING = frozenset(
    {
        *("getName", "getSimpleName", "getTypeName", "getCanonicalName", "getPackageName"),
        *("hashCode", "toString", "desiredAssertionStatus", "isArray", "isEnum", "isInterface"),
    }
)
"""Methods of ``Class`` that give no other class and take nothing."""
_WIDE_JUMPS = (0xC8, 0xC9)
_SWITCHES = (0xAA, 0xAB)
_S2 = Struct(">h").unpack_from
_S4 = Struct(">i").unpack_from
_U2 = Struct(">H").unpack_from

_LENGTHS = bytes(
    [1] * 16 + [2, 3, 2, 3, 3] + [2] * 5 + [1] * 28 + [2] * 5 + [1] * 73 + [3] + [1] * 20
    + [3] * 16 + [2, 0, 0] + [1] * 6 + [3] * 7 + [5, 5, 3, 2, 3, 1, 1, 3, 3, 1, 1, 0, 4, 3, 3, 5, 5]
)  # fmt: skip
"""Bytes that each instruction takes; 0 where it depends."""


def first_argument(code: ClassCode, body: bytes, at: int, descriptor: str) -> str | None:
    """Return the text that a call is given first; None if it is not a constant for sure.

    Parameters
    ----------
    code : ClassCode
        The class.
    body : bytes
        The instructions of the method.
    at : int
        Where the call is.
    descriptor : str
        Of the method that is called.
    """
    arguments = _ARGUMENT.findall(descriptor.partition(")")[0])
    if not arguments or arguments[0] != _STRING:
        return None
    starts, targets = _walk(body)
    place = starts.index(at)
    before = starts[max(place - len(arguments), 0) : place]
    if len(before) < len(arguments) or any(one in targets for one in (*before[1:], at)):
        return None
    if any(body[one] not in _PUSHES for one in before):
        return None
    first = before[0]
    if body[first] == LDC:
        index = body[first + 1]
    elif body[first] == LDC + 1:
        index = _U2(body, first + 1)[0]
    else:
        return None
    return code.pool.word(index, STRING) if code.pool.tags[index] == STRING else None


def is_only_compared(code: ClassCode, body: bytes, at: int) -> bool:
    """Tell whether what ``getClass`` returns is compared, printed or dropped, and no more.

    Parameters
    ----------
    code : ClassCode
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
        after += _LENGTHS[body[after]]
        if after < len(body) and body[after] == VIRTUAL:
            if code.pool.member(_U2(body, after + 1)[0])[1] != "getClass":
                return False
            after += 3
        return body[after : after + 1] in _COMPARED
    return False


def _drops(code: ClassCode, body: bytes, at: int) -> bool:
    if body[at : at + 1] in (*_COMPARED, _POP):
        return True
    if body[at : at + 1] != bytes([VIRTUAL]):
        return False
    owner, name, _ = code.pool.member(_U2(body, at + 1)[0])
    return owner == "java/lang/Class" and name in _PRINTING


def _walk(body: bytes) -> tuple[list[int], set[int]]:
    """Return where instructions begin, and where jumps go."""
    starts, targets = list[int](), set[int]()
    at = 0
    while at < len(body):
        starts.append(at)
        operation = body[at]
        if operation in _SWITCHES:
            words = switch_words(body, at)
            targets.update(at + word for word in (words[0], *words[2:]))
            at = after_switch(body, at)
            continue
        if operation in _JUMPS:
            targets.add(at + _S2(body, at + 1)[0])
        elif operation in _WIDE_JUMPS:
            targets.add(at + _S4(body, at + 1)[0])
        if operation >= len(_LENGTHS):
            raise MalformedError("it holds an instruction that is not known")
        at += _LENGTHS[operation] or (6 if body[at + 1] == 0x84 else 4)
    return starts, targets

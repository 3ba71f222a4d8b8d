"""The methods of a class file, apart from the rest of the class.

Source: The Java Virtual Machine Specification, Java SE 21 edition, chapter 4.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from struct import error, unpack

from steady.harness.jmh.samecode.class_attributes import DEBUG_ATTRIBUTES, digest_attributes
from steady.harness.jmh.samecode.class_code import ClassCode, Signature
from steady.harness.jmh.samecode.class_reader import Digester
from steady.harness.jmh.samecode.constant_pool import MalformedError

_DYNAMIC = (17, 18)
_BOOTSTRAP, _INNER, _NEST = b"BootstrapMethods", b"InnerClasses", b"NestMembers"
_APART = DEBUG_ATTRIBUTES | {_BOOTSTRAP, _INNER, _NEST}
"""Attributes that count if a method refers to them, and lists of other classes within this one."""


@dataclass(frozen=True, slots=True)
class Members:
    """A class, with its methods apart.

    Parameters
    ----------
    shape : str
        The digest of everything except its methods and fields: its parents, annotations. The list
        of classes within it does not count.
    fields : str
        The digest of its fields in their order.
    methods : mapping of Signature to str
        For each method, the digest of all that it is: flags, instructions, annotations; not what
        only debuggers read.
    whole : str
        The digest of all that is not for debuggers: the order of the methods, and lists of other
        classes, too.
    """

    shape: str
    fields: str
    methods: Mapping[Signature, str]
    whole: str


def read_members(code: ClassCode) -> Members:
    """Read the members of a class.

    Raises
    ------
    MalformedError
        If it holds something that is not known here.
    """
    try:
        return _members(_MemberReader(code))
    except (RecursionError, error) as problem:
        raise MalformedError(f"it is nested too deeply, or ends too early ({problem})") from None


class _MemberReader(Digester):
    """Lets a dynamic constant count by how it is made."""

    def __init__(self, code: ClassCode) -> None:
        super().__init__(code.data, code.pool)
        self.code = code

    def parts(self, tag: int, content: bytes) -> Iterable[tuple[str, int]]:
        if tag not in _DYNAMIC:
            return super().parts(tag, content)
        maker, name_and_type = unpack(">hH", content)
        if not 0 <= maker < len(self.code.makers):
            raise MalformedError("nothing makes a constant that is made when it is needed")
        return [("H", place) for place in (*self.code.makers[maker], name_and_type)]

    def count_as_inner(self) -> None:
        """Let what the class says about itself in its list of inner classes count."""
        for name, (outer, simple, flags) in self.code.inner:
            if name == self.code.name:
                self.count_constant(outer)
                self.count_constant(simple)
                self.count(flags)


def _members(file: _MemberReader) -> Members:
    file.counted(2)  # access
    file.count_as_inner()
    file.constants(2)
    file.listed_constants()
    shape = file.digest_anew()
    for _ in range(file.counted(2)):  # fields
        file.counted(2)
        file.constants(2)
        digest_attributes(file)
    fields = file.digest_anew()
    methods = [_method(file) for _ in range(file.number(2))]
    attributes = file.position
    digest_attributes(file, _APART)
    shape += file.digest_anew()
    file.position = attributes
    digest_attributes(file)
    if not file.at_end:
        raise MalformedError("something follows it")
    whole = "".join((shape, fields, *(one for _, one in methods), file.digest))
    return Members(shape, fields, dict(methods), hashlib.sha256(whole.encode()).hexdigest())


def _method(file: _MemberReader) -> tuple[Signature, str]:
    file.counted(2)  # access
    pool = file.code.pool
    signature = pool.text(file.ahead()), pool.text(file.ahead(2))
    file.constants(2)
    digest_attributes(file)
    return signature, file.digest_anew()

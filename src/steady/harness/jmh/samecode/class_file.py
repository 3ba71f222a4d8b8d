"""The digest of a class file without its debug attributes.

Debug attributes say which line of a source, and which variable, an instruction comes from. They
change when a comment is added, although the code that runs does not. Everything else counts: the
constants that anything except a debug attribute refers to, fields, methods, annotations,
instructions, and how long these are. An attribute that `class_attributes` does not know makes every
byte of the file count.

Source: The Java Virtual Machine Specification, Java SE 21 edition, chapter 4.
"""

from __future__ import annotations

import hashlib

from steady.harness.jmh.samecode.class_attributes import digest_attributes
from steady.harness.jmh.samecode.class_reader import Digester, MalformedError

_LARGEST = 16 * 2**20


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


def _digest(content: bytes) -> str:
    if len(content) > _LARGEST:
        raise MalformedError("it is too large")
    file = Digester(content)
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

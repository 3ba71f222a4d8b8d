"""Changed methods, and whether a benchmark reaches them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from steady.text.escape import shorten, visible
from steady.text.numbers import count

_LONGEST = 300
_VERSION = re.compile(r"v\d+")


class ChangedMethod(Struct, frozen=True, forbid_unknown_fields=True):
    """A method or function of head that base lacks, or that has other code in base.

    Parameters
    ----------
    holder : str
        Class with its package, or import path of a package.
    name : str
        Name of the method. Constructors are ``<init>``, static initializers ``<clinit>``.
    parameters : str
        Types of the parameters, separated by commas.
    reached : bool
        Whether a path through the call graph leads from a benchmark to it.
    """

    holder: str
    name: str
    parameters: str = ""
    reached: bool = False

    @classmethod
    def of(cls, holder: str, name: str, parameters: str, is_reached: bool) -> ChangedMethod:
        """Return a changed method with names of limited length, without lone surrogates."""
        return cls(_clean(holder), _clean(name), _clean(parameters), is_reached)

    @property
    def label(self) -> str:
        """The full name: ``a.b.Parser.skip(int)``."""
        parameters = "" if "/" in self.holder else f"({self.parameters})"
        return f"{self.holder}.{self.name}{parameters}"

    @property
    def short(self) -> str:
        """The name without packages and parameters: ``Parser.skip``."""
        if "/" not in self.holder:
            return f"{self.holder.rpartition('.')[2]}.{self.name}"
        parts = self.holder.split("/")
        last = -2 if _VERSION.fullmatch(parts[-1]) else -1
        return f"{parts[last]}.{self.name}"


def _clean(name: str) -> str:
    return shorten(name.encode("utf-8", "backslashreplace").decode(), _LONGEST)


ChangedMethods = tuple[ChangedMethod, ...]


def joined_methods(parts: Iterable[ChangedMethods | None]) -> ChangedMethods | None:
    """Join the changed methods of several builds; None if those of one are unknown.

    A method is reached if a benchmark of one build reaches it.
    """
    found: dict[tuple[str, str, str], ChangedMethod] = {}
    for part in parts:
        if part is None:
            return None
        for one in part:
            key = one.holder, one.name, one.parameters
            if key not in found or one.reached:
                found[key] = one
    return tuple(found[key] for key in sorted(found))


MOST_NAMES = 3
_LONGEST_NAME = 80


def unreached(methods: ChangedMethods | None) -> ChangedMethods:
    """Return the methods that no benchmark reaches."""
    return tuple(one for one in methods or () if not one.reached)


def unreached_words(methods: ChangedMethods | None) -> tuple[str, tuple[str, ...]]:
    """Return a sentence on the changed methods that no benchmark reaches, and their short names.

    The sentence is empty if there are none. Names are untrusted.

    Examples
    --------
    >>> unreached_words((ChangedMethod("a.B", "c"), ChangedMethod("a.B", "d", reached=True)))
    ('1 of 2 changed methods is reached by no benchmark', ('B.c',))
    """
    missed = unreached(methods)
    if not missed:
        return "", ()
    names = dict.fromkeys(shorten(one.short, _LONGEST_NAME) for one in missed)
    verb = "is" if len(missed) == 1 else "are"
    of = count(len(methods or ()), "changed method")
    return f"{len(missed):,} of {of} {verb} reached by no benchmark", tuple(names)


def unreached_line(methods: ChangedMethods | None) -> str:
    """Return `unreached_words` as one line of printable text, with three names at most."""
    words, names = unreached_words(methods)
    more = ", ..." * (len(names) > MOST_NAMES)
    return f"{words}: {', '.join(map(visible, names[:MOST_NAMES]))}{more}" if words else ""

"""Changed methods, and whether a benchmark reaches them."""

import re
from collections.abc import Iterable

from msgspec import Struct

_VERSION = re.compile(r"v\d+")


class ChangedMethod(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
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

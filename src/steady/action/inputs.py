"""How an input of the action is declared: once, as a field of `steady.action.settings`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeVar

from steady.action.kinds import Kind
from steady.errors import InputError

Mode = Literal["optimize", "compare", "report", "record"]

MODES: tuple[Mode, ...] = ("optimize", "compare", "report", "record")

T = TypeVar("T")

_DECLARED = "input"
"""Where a field's metadata hold its declaration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """What a workflow may say under ``with``.

    Parameters
    ----------
    name : str
        As workflows write it.
    kind : Kind
        What it may be.
    description : str
        As `action.yml` and the README's table say it.
    default : str
        What stands for it where it is left out or empty; empty: nothing does.
    modes : tuple of {"optimize", "compare", "report", "record"}
        Those that use it.
    required : bool
        Whether these modes cannot do without.
    """

    name: str = ""
    kind: Kind[Any]
    description: str
    default: str = ""
    modes: tuple[Mode, ...] = MODES
    required: bool = False

    @property
    def variable(self) -> str:
        """The environment variable in which GitHub's runner hands it over; hyphens stay."""
        return f"INPUT_{self.name.upper()}"

    @property
    def field(self) -> str:
        """Its name in `ActionInputs`."""
        return self.name.replace("-", "_")

    @property
    def own_default(self) -> str:
        """The default, unless it is an expression that only GitHub can fill in."""
        return "" if self.default.startswith("${{") else self.default

    def read(self, text: str, mode: Mode) -> Any:
        """Parse what a workflow gave.

        Returns
        -------
        object
            None where nothing was given, and nothing stands for it.

        Raises
        ------
        InputError
            If it is not what the input may be, or if `mode` has no use for it or needs it.
        """
        if mode not in self.modes:
            if text and text != self.default:
                raise InputError(f"input `{self.name}` is not used by mode `{mode}`: leave it out")
            return None
        text = text or self.own_default
        if not text:
            if self.required:
                raise InputError(f"input `{self.name}` is required by mode `{mode}`: give it")
            return None
        return self.parse(text)

    def parse(self, text: str) -> Any:
        """Parse what stands for something; see `read`."""
        try:
            return self.kind.parse(text)
        except (ValueError, KeyError):
            shown = text if len(text) <= 80 else text[:79] + "…"
            hint = self.kind.hint(text, f"`{self.name}: {{}}`")
            raise InputError(
                f"input `{self.name}`: expected {self.kind.expected}, got {shown!r}{hint}"
            ) from None


def declare(
    kind: Kind[T],
    description: str,
    *,
    default: str | None = None,
    modes: tuple[Mode, ...] = MODES,
    required: bool = False,
    secret: bool = False,
) -> T:
    """Declare an input as a field of a dataclass; see `Input` for what each argument means.

    The field's own default is the parsed one; without any, who makes an instance has to give one.
    A secret field is never shown.
    """
    declared = Input(
        kind=kind, description=description, default=default or "", modes=modes, required=required
    )
    metadata = {_DECLARED: declared}
    if default is None:
        without_default: T = field(repr=not secret, metadata=metadata)
        return without_default
    value = kind.parse(declared.own_default)
    return field(default=value, repr=not secret, metadata=metadata)


def optional(kind: Kind[T], description: str, *, modes: tuple[Mode, ...] = MODES) -> T | None:
    """Declare an input that is None where it is left out; see `declare`."""
    declared = Input(kind=kind, description=description, modes=modes)
    return field(default=None, metadata={_DECLARED: declared})


def declared_in(inputs: type[Any]) -> tuple[Input, ...]:
    """Return the inputs that a dataclass declares, in its order."""
    return tuple(
        replace(one.metadata[_DECLARED], name=one.name.replace("_", "-")) for one in fields(inputs)
    )

"""The inputs of the action: options that a workflow gives as texts."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from steady.errors import InputError
from steady.options.kinds import Kind
from steady.options.option import MODES, InAction, Mode, Option

_DECLARED = "input"
"""Where a field's metadata hold its declaration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """What a workflow may say under ``with``.

    Parameters
    ----------
    name : str
        As workflows write it.
    option : Option
        What is declared.
    kind : Kind
        What it may be.
    description, default, modes, required
        As in `InAction`.
    """

    name: str = ""
    option: Option
    kind: Kind[Any]
    description: str
    default: str
    modes: tuple[Mode, ...]
    required: bool

    @classmethod
    def of(cls, option: Option, kind: Kind[Any] | None = None) -> Input:
        """Return the input that an option is, and how the action reads it if in its own way."""
        said = option.action
        if said is None:
            raise TypeError(f"the action does not have the option {option.name}")
        return cls(
            option=option,
            kind=kind or option.kind,
            description=said.description,
            default=said.default,
            modes=said.modes,
            required=said.required,
        )

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


def declare(option: Option, kind: Kind[Any] | None = None, *, secret: bool = False) -> Any:
    """Declare an input as a field of a dataclass.

    The field's own default is the parsed one, or None where nothing stands for it; what is
    required has none.

    Parameters
    ----------
    option : Option
        What is declared.
    kind : Kind, optional
        How the action reads it, if not as the commands do.
    secret : bool
        Whether it is never shown.
    """
    declared = Input.of(option, kind)
    metadata = {_DECLARED: declared}
    try:
        value = declared.kind.parse(declared.own_default)
    except (ValueError, KeyError):
        if declared.required:
            return field(metadata=metadata)
        value = None
    return field(default=value, repr=not secret, metadata=metadata)


def optional(option: Option, kind: Kind[Any] | None = None) -> Any:
    """Declare an input that is None where it is left out; see `declare`."""
    return field(default=None, metadata={_DECLARED: Input.of(option, kind)})


def own(
    kind: Kind[Any],
    description: str,
    *,
    modes: tuple[Mode, ...] = MODES,
    default: str = "",
    required: bool = False,
    secret: bool = False,
) -> Any:
    """Declare an input that only the action has; its name is the field's. See `declare`."""
    said = InAction(description, modes, default, required)
    return declare(Option("", kind, action=said), secret=secret)


def declared_in(inputs: type[Any]) -> tuple[Input, ...]:
    """Return the inputs that a dataclass declares, in its order."""
    return tuple(_named(one.metadata[_DECLARED], one.name) for one in fields(inputs))


def _named(declared: Input, field_name: str) -> Input:
    name = field_name.replace("_", "-")
    option = declared.option if declared.option.name else replace(declared.option, name=name)
    return replace(declared, name=name, option=option)

"""Declaration of options, and their use as fields of commands and of the action's inputs."""

from collections.abc import Hashable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, cast

from steady.options.kinds import FLAG, Kind

Mode = Literal["optimize", "compare", "report", "record"]

MODES: tuple[Mode, ...] = ("optimize", "compare", "report", "record")

Place = Literal["settings", "Python"]

Words = Literal["one", "several", "each"]
"""Values that an option takes: one, one or more after the flag, or one after each of its flags."""

_USE = "option"
"""Key of the `Use` in a field's metadata."""


@dataclass(frozen=True, slots=True)
class InAction:
    """The declaration of an option as an action input.

    Parameters
    ----------
    description : str
        Description in `action.yml` and on the page of inputs.
    modes : tuple of {"optimize", "compare", "report", "record"}
        Modes that use the input.
    default : str
        Default if the input is missing or empty, if it differs from that of the commands; empty
        for the default of the commands.
    required : bool
        Whether these modes require the input.
    """

    description: str
    modes: tuple[Mode, ...] = MODES
    default: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """The declaration of an option.

    Commands and the action refer to it by fields (see `use`).

    Parameters
    ----------
    name : str
        Name without leading hyphens.
    kind : Kind
        Kind of its values.
    help : str
        Help text shared by the commands, with placeholders ``{default}`` for the default and
        ``{what}`` for a part specific to each command.
    default : object
        Default of the commands; None for no default, or False for a flag.
    metavar : str, optional
        Placeholder in the help text, if not that of its kind.
    takes : {"one", "several", "each"}
        Number of values.
    short : tuple of str
        Values with a flag of their own: ``--json`` for ``--output json``.
    action : InAction, optional
        Declaration as an action input, if it is one.
    others : tuple of {"settings", "Python"}
        Other interfaces that have it under this name.
    """

    name: str
    kind: Kind[Any]
    help: str = ""
    default: Any = None
    metavar: str | None = None
    takes: Words = "one"
    short: tuple[str, ...] = ()
    action: InAction | None = None
    others: tuple[Place, ...] = ()

    @property
    def shown_default(self) -> str:
        """The default of the commands as a user writes it; empty if there is none."""
        return "" if self.default is None else self.kind.show(self.default)


@dataclass(frozen=True, slots=True)
class Use:
    """The use of an option by one command.

    Parameters
    ----------
    field : str
        Name of the field: the option's name with underscores.
    option : Option
        Declaration of the option.
    help : str
        Help text of this command.
    default : object
        Default value of the field.
    metavar : str, optional
        Placeholder in the help text.
    operand : str
        Empty for an option; for an operand, its number of words: ``1``, ``?``, ``*`` or ``+``.
    required : bool
        Whether the command requires it.
    """

    field: str
    option: Option
    help: str
    default: Any
    metavar: str | None
    operand: str
    required: bool

    @property
    def flag(self) -> str:
        """The flag on the command line."""
        return f"--{self.field.replace('_', '-')}"

    @property
    def is_switch(self) -> bool:
        """Whether it is a flag without a value."""
        return isinstance(self.default, bool)


def use(
    option: Option,
    help: str = "",  # noqa: A002
    *,
    what: str = "",
    default: Any = MISSING,
    metavar: str | None = None,
    operand: str = "",
    required: bool = False,
) -> Any:
    """Return a dataclass field that uses an option; arguments override its attributes.

    Parameters
    ----------
    option : Option
        Declaration of the option.
    help, default, metavar
        Values that replace those of the option.
    what : str
        Replacement of ``{what}`` in the option's help text.
    operand : {"", "1", "?", "*", "+"}
        Number of words of an operand; empty for an option.
    required : bool
        Whether the field has no default.
    """
    if default is MISSING:
        default = option.default
    if default is None and option.kind is FLAG:
        default = False
    if default is None and (option.takes != "one" or operand in ("*", "+")):
        default = ()
    needed = required or operand in ("1", "+")
    said = help or option.help.replace("{what}", what)
    metadata = {
        _USE: Use("", option, said, None if needed else default,
                  metavar or option.metavar or option.kind.metavar, operand, needed)
    }  # fmt: skip
    if needed:
        return field(metadata=metadata)
    return field(default=default, metadata=metadata)


def use_of(declared: Field[Any]) -> Use:
    """Return the `Use` that a field declares."""
    used: Use = declared.metadata[_USE]
    return replace(used, field=declared.name)


def uses(command: type[Any]) -> Mapping[str, Use]:
    """Return the options of a command by field name."""
    return _uses(cast("Hashable", command))


@cache
def _uses(command: Hashable) -> Mapping[str, Use]:
    return {one.name: use_of(one) for one in fields(cast("Any", command))}

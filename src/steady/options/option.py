"""The declaration of an option, and its use as a field of a command or of the action's inputs."""

from collections.abc import Hashable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, cast

from steady.options.kinds import FLAG, Kind

Mode = Literal["optimize", "compare", "report", "record"]

MODES: tuple[Mode, ...] = ("optimize", "compare", "report", "record")

Place = Literal["settings", "Python"]

Words = Literal["one", "several", "each"]
"""How many words an option takes: one, one or more behind it, or one each time it is given."""

_USE = "option"
"""Where a field's metadata hold its use."""


@dataclass(frozen=True, slots=True)
class InAction:
    """What the action says of an option.

    Parameters
    ----------
    description : str
        As `action.yml` and the page of inputs say it.
    modes : tuple of {"optimize", "compare", "report", "record"}
        Those that use it.
    default : str
        What stands for it where it is left out or empty, if not the default of the commands;
        empty: that one, if there is one.
    required : bool
        Whether these modes cannot do without.
    """

    description: str
    modes: tuple[Mode, ...] = MODES
    default: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """An option, declared once.

    Commands have it where a field of theirs uses it (`use`), and so has the action.

    Parameters
    ----------
    name : str
        As it is written, without the hyphens before it.
    kind : Kind
        What it may be.
    help : str
        What the commands say of it, if they say the same; ``{default}`` stands for the default,
        and ``{what}`` for what each of them says.
    default : object
        Of the commands; None: nothing, or False for what is a flag.
    metavar : str, optional
        What stands for the value in the help, if not what its kind says.
    takes : {"one", "several", "each"}
        How many words it takes.
    short : tuple of str
        Those of its names that are flags of their own: ``--json`` for ``--output json``.
    action : InAction, optional
        What the action says of it, if it has it.
    others : tuple of {"settings", "Python"}
        Who else has it under this name.
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
        """The default of the commands as a user writes it; empty where there is none."""
        return "" if self.default is None else self.kind.show(self.default)


@dataclass(frozen=True, slots=True)
class Use:
    """An option as one command has it.

    Parameters
    ----------
    field : str
        The field's name, which is the option's with underscores.
    option : Option
        As it is declared.
    help : str
        What this command says of it.
    default : object
        What the field is where nobody gives it.
    metavar : str, optional
        What stands for the value.
    operand : str
        Empty for an option; else how many words stand for it: ``1``, ``?``, ``*`` or ``+``.
    required : bool
        Whether the command cannot do without.
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
        """The option as it is typed."""
        return f"--{self.field.replace('_', '-')}"

    @property
    def is_switch(self) -> bool:
        """Whether it takes no value."""
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
    """Use an option as a field of a command; what is not given is as the option says.

    Parameters
    ----------
    option : Option
        Declared once.
    help, default, metavar
        What this command says otherwise.
    what : str
        What stands for ``{what}`` in the option's own help.
    operand : {"", "1", "?", "*", "+"}
        Whether it is an operand, and of how many words.
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
    """Return the use that a field is."""
    used: Use = declared.metadata[_USE]
    return replace(used, field=declared.name)


def uses(command: type[Any]) -> Mapping[str, Use]:
    """Return what a command uses, by the names of its fields."""
    return _uses(cast("Hashable", command))


@cache
def _uses(command: Hashable) -> Mapping[str, Use]:
    return {one.name: use_of(one) for one in fields(cast("Any", command))}

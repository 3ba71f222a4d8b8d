"""The base class of commands: option values, parsed and formatted as arguments."""

import argparse
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from steady.options.option import Use, uses
from steady.text.nearest import did_you_mean

CommandT = TypeVar("CommandT", bound="Command")

OUTPUT_FIELD = "out"
"""Name of the output option, which comes last in a command line."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A parsed or suggested command, with a field for each option."""

    called: ClassVar[str]
    """Name of the command, without ``steady``."""

    help: ClassVar[str] = ""
    """Summary in the list of subcommands."""

    description: ClassVar[str] = ""
    """First paragraph of the help text; by default the class's docstring."""

    ending: ClassVar[str] = ""
    """Last paragraph of the help text."""

    words_behind: ClassVar[str] = ""
    """Name of the operand after ``--``: the arguments of another command."""

    usage: ClassVar[str] = ""
    """Usage line of the help text, if not generated."""

    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Fields by heading in the help text; the others come first."""

    exclusive: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Groups of mutually exclusive fields."""

    @classmethod
    def parsed(cls: type[CommandT], namespace: argparse.Namespace) -> CommandT:
        """Return the command of a parsed namespace; see `steady.options.parser`."""
        known = {one.name for one in fields(cls)}
        given = {name: value for name, value in vars(namespace).items() if name in known}
        return cls(**{n: tuple(v) if isinstance(v, list) else v for n, v in given.items()})

    @classmethod
    def described(cls) -> str:
        """Return the description in the help text; subcommands have one only if declared."""
        said = "" if cls.help else (cls.__doc__ or "").replace("``", "").rstrip(".")
        return cls.description or said

    @property
    def words(self) -> list[str]:
        """The arguments after ``steady``: operands, then options in order of declaration.

        Options with default values are omitted, and the output option comes last.
        """
        operands: list[str] = []
        options: list[str] = []
        last: list[str] = []
        for used in uses(type(self)).values():
            value = getattr(self, used.field)
            if value == used.default and not used.required:
                continue
            if used.operand:
                operands += _texts(used, value)
            else:
                (last if used.field == OUTPUT_FIELD else options).extend(_option_words(used, value))
        options += last
        if any(word.startswith("-") for word in operands) or (self.words_behind and operands):
            return [*self.called.split(), *options, "--", *operands]
        return [*self.called.split(), *operands, *options]

    @property
    def line(self) -> str:
        """The command line, quoted for a shell."""
        return shlex.join(["steady", *self.words])


def converted(kind: type[CommandT], command: Command, **more: Any) -> CommandT:
    """Return a command of another kind with the shared options, and additional ones."""
    names = uses(kind).keys() & uses(type(command)).keys() - more.keys()
    shared: Mapping[str, Any] = {name: getattr(command, name) for name in names}
    return kind(**shared, **more)


def _texts(used: Use, value: Any) -> list[str]:
    several = used.operand in ("*", "+") if used.operand else used.option.takes != "one"
    values = value if several and isinstance(value, tuple) else (value,)
    return [used.option.kind.show(one) for one in values]


def _option_words(used: Use, value: Any) -> list[str]:
    if used.is_switch:
        return [used.flag]
    texts = _texts(used, value)
    if used.option.takes == "several" and not any(text.startswith("-") for text in texts):
        return [used.flag, *texts]
    words: list[str] = []
    for text in texts:  # a single word if the value looks like an option
        words += [f"{used.flag}={text}"] if text.startswith("-") else [used.flag, text]
    return words


def fill(parser: argparse.ArgumentParser, command: type[Command]) -> None:
    """Add the options of a command to a parser."""
    parser.description = command.described()
    if command.ending:
        parser.epilog = command.ending
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.usage = command.usage or None
    groups: dict[str, Any] = {}
    for title, names in command.groups.items():
        groups |= dict.fromkeys(names, parser.add_argument_group(title))
    for names in command.exclusive:
        own = groups.get(names[0], parser).add_mutually_exclusive_group()
        groups |= dict.fromkeys(names, own)
    for used in uses(command).values():
        _add(groups.get(used.field, parser), used)


def _add(parser: Any, used: Use) -> None:
    option = used.option
    # Choices are not passed to argparse, because it would import all tables of names at once.
    metavar = used.metavar
    if metavar is None and option.kind.known is not None:
        metavar = "{" + ",".join(option.kind.names) + "}"
    what: dict[str, Any] = {"help": _help(used), "metavar": metavar, "type": _typed(used)}
    if used.operand:
        many = {} if used.operand == "1" else {"nargs": used.operand}
        default = {"default": used.default} if used.operand == "?" else {}
        parser.add_argument(used.field, **many, **default, **what)
        return
    if used.is_switch:
        parser.add_argument(
            used.flag, action="store_true", default=argparse.SUPPRESS, help=what["help"]
        )
        return
    if option.takes == "several":
        what |= {"action": "extend", "nargs": "+"}
    elif option.takes == "each":
        what["action"] = "append"
    required = {"required": True} if used.required else {}
    parser.add_argument(used.flag, default=argparse.SUPPRESS, **required, **what)
    for name in option.short:
        parser.add_argument(
            f"--{name}", action="store_const", const=name, dest=used.field,
            default=argparse.SUPPRESS, help=f"short for {used.flag} {name}",
        )  # fmt: skip


def _help(used: Use) -> str:
    text = used.help
    if "{default}" in text:
        shown = used.default
        shown = shown if shown is None else used.option.kind.show(shown)
        text = text.replace("{default}", str(shown))
    return text.replace("%", "%%")


def _typed(used: Use) -> Callable[[str], Any]:
    kind = used.option.kind

    def typed(text: str) -> Any:
        try:
            return kind.parse(text, f"{used.flag} {{}}")
        except KeyError:
            known = f"(choose from {', '.join(kind.names)}){did_you_mean(text, kind.names)}"
            raise argparse.ArgumentTypeError(f"invalid choice: {text!r} {known}") from None
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return typed

"""The options of a command as argparse takes them, from the fields that use them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from steady.options.command import Command
from steady.options.commands import KIND, below, described
from steady.options.option import Use, uses


def fill_all(parser: argparse.ArgumentParser, name: str) -> None:
    """Declare the options of a command, or of those below it."""
    parser.description = described(name)
    kinds = below(name)
    if name in kinds:
        _fill(parser, kinds[name])
        return
    metavar = "ACTION" if name == "settings" else "COMMAND"
    commands = parser.add_subparsers(metavar=metavar, required=True)
    for word, kind in kinds.items():
        _fill(commands.add_parser(word, help=kind.help), kind)


def _fill(parser: argparse.ArgumentParser, command: type[Command]) -> None:
    """Declare the options of a command as its fields use them."""
    parser.description = command.described()
    if command.ending:
        parser.epilog = command.ending
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
    groups: dict[str, Any] = {}
    for names in command.exclusive:
        groups |= dict.fromkeys(names, parser.add_mutually_exclusive_group())
    for used in uses(command).values():
        _add(groups.get(used.field, parser), used)
    parser.set_defaults(**{KIND: command})


def _add(parser: Any, used: Use) -> None:
    option = used.option
    what: dict[str, Any] = {"help": _help(used), "metavar": used.metavar}
    if option.kind.names:
        what["choices"] = option.kind.names
    what["type"] = _typed(used)
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
            return text  # not one of the names, which says `_check_value`
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return typed

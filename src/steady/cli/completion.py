"""``steady completion``: print what completes commands and options in a shell."""

from __future__ import annotations

import re
import shlex
from argparse import SUPPRESS
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

from steady.options.other_options import CompletionCommand
from steady.options.parser import COMMANDS, Parser, build_parser

_END = re.compile(r" \(|[;:.] ")

_ZSH = """\
autoload -U +X bashcompinit && bashcompinit
"""


@dataclass(frozen=True)
class Completed:
    """What can follow a command.

    Parameters
    ----------
    words : tuple of str
        The command: empty for ``steady`` itself, ``("history", "list")`` for one below another.
    help : str
        What it does.
    below : tuple of str
        The commands below it.
    options : mapping of str to str
        What each option means.
    values : mapping of str to sequence of str
        The values of options that take one of a few.
    operands : sequence of str
        The operands, where they are some of a few.
    """

    words: tuple[str, ...]
    help: str
    below: tuple[str, ...]
    options: Mapping[str, str]
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    operands: Sequence[str] = ()


def all_commands() -> list[Completed]:
    """Return ``steady`` itself and all commands, with what each takes."""
    root = build_parser([])
    commands = [_command((), "", root)]
    for name, text in COMMANDS.items():
        parser = build_parser([name]).below[name]
        commands += _with_those_below((name,), text, parser)
    return commands


def bash(commands: Sequence[Completed], shell: str = "bash") -> str:
    """Return the script for bash, or for zsh, which reads it as bash does."""
    named = [command for command in commands if command.words]
    values = (
        f'    "{_place(command)}|{option}") words={_quoted(known)} ;;'
        for command in commands
        for option, known in command.values.items()
    )
    options = (
        f'        "{_place(command)}|-"*) words={_quoted(command.options)} ;;'
        for command in commands
    )
    following = (
        f'        "{_place(command)}|"*) words={_quoted((*command.below, *command.operands))} ;;'
        for command in commands
        if command.below or command.operands
    )
    script = resources.files("steady.cli").joinpath("completion.bash").read_text(encoding="utf-8")
    for place, text in {
        "places": " | ".join(f'"{_place(command)}"' for command in named),
        "values": "\n".join(values),
        "options": "\n".join(options),
        "commands": "\n".join(following),
    }.items():
        script = script.replace(f"@{place}@", text)
    return _ZSH + script if shell == "zsh" else script


def fish(commands: Sequence[Completed]) -> str:
    """Return the script for fish."""
    helps = {command.words: command.help for command in commands}
    lines = []
    for command in commands:
        start = f"complete -c steady -n {_single(_condition(command))}"
        lines += [
            f"{start} -f -a {_single(name)} -d {_single(helps[*command.words, name])}"
            for name in command.below
        ]
        if command.operands:
            lines.append(f"{start} -f -a {_single(' '.join(command.operands))}")
        for option, text in command.options.items():
            if option.startswith("--"):
                known = command.values.get(option, ())
                more = f" -x -a {_single(' '.join(known))}" if known else ""
                lines.append(f"{start} -l {option[2:]}{more} -d {_single(text)}")
    return "\n".join(lines) + "\n"


def _with_those_below(words: tuple[str, ...], text: str, parser: Parser) -> Iterator[Completed]:
    yield _command(words, text, parser)
    for name, inner in parser.below.items():
        yield from _with_those_below((*words, name), inner.description or "", inner)


def _command(words: tuple[str, ...], text: str, parser: Parser) -> Completed:
    options: dict[str, str] = {}
    values: dict[str, Sequence[str]] = {}
    operands: Sequence[str] = ()
    below = tuple(parser.below)
    for action in parser.actions:
        known = tuple(map(str, action.choices or ()))
        for option in action.option_strings:
            if action.help != SUPPRESS:
                options[option] = _first_words(action.help or "")
                values |= {option: known} if known else {}
        if known and not action.option_strings and not below:
            operands = known
    return Completed(words, _first_words(text), below, options, values, operands)


def _first_words(text: str) -> str:
    """Return the beginning of a help text, which is all that a shell has room for."""
    return _END.split(text.replace("%%", "%"))[0]


def _place(command: Completed) -> str:
    return "".join(f" {word}" for word in command.words)


def _quoted(words: Sequence[str] | Mapping[str, str]) -> str:
    return shlex.quote(" ".join(words))


def _single(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _condition(command: Completed) -> str:
    if not command.words:
        return "__fish_use_subcommand"
    seen = [f"__fish_seen_subcommand_from {word}" for word in command.words]
    below = [f"not __fish_seen_subcommand_from {' '.join(command.below)}"] if command.below else []
    return "; and ".join((*seen, *below))


def run(command: CompletionCommand) -> int:
    """Print the script that completes commands and options."""
    known = all_commands()
    print(fish(known) if command.shell == "fish" else bash(known, command.shell), end="")
    return 0

"""``steady completion``: print what completes commands and options in a shell."""

from __future__ import annotations

from steady.options.completion import all_commands, bash, fish
from steady.options.other_options import CompletionCommand


def run(command: CompletionCommand) -> int:
    """Print the script."""
    known = all_commands()
    print(fish(known) if command.shell == "fish" else bash(known, command.shell), end="")
    return 0

"""All commands, those below others too."""

from __future__ import annotations

from steady.options.command import Command
from steady.options.parser import COMMANDS, below


def kinds_of_commands() -> list[type[Command]]:
    return [kind for name in COMMANDS for kind in below(name).values()]

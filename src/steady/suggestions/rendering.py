"""Rendering of suggested commands for a terminal, with an explanation of their placeholders."""

import shlex

from steady.harnesses import HARNESSES
from steady.options.command import Command
from steady.suggestions.commands import BASE, BENCHMARKS, build_hint


def code(command: Command) -> str:
    """Return a command as it stands within a sentence."""
    return f"`{command.line}`"


def placeholders(*commands: Command) -> str:
    """Return the end of a sentence that explains the placeholders in its commands, if any."""
    words = {word for command in commands for word in command.words}
    used = [name for name in (BASE, BENCHMARKS) if name in words]
    if not used:
        return ""
    verb = "stands" if len(used) == 1 else "stand"
    return (
        f" ({' and '.join(used)} {verb} for the benchmarks of a version: {_runnable()}"
        f"{build_hint()})"
    )


def _runnable() -> str:
    """Return the forms of a version's benchmarks: built files, or a check-out and a command."""
    buildings = [entry.value.building for entry in HARNESSES.values() if entry.value.running]
    built = ", or ".join(one.target for one in buildings if not one.words)
    *words, last = [f"`-- {shlex.join(one.words)}`" for one in buildings if one.words]
    such = f"{', '.join(words)} or {last}"
    return (
        f"{built}; or a check-out, if the command ends with the benchmarks' own command, such as "
        f"{such}"
    )

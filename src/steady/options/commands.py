"""The commands by their names; only the one that is asked for is imported."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steady.options.command import Command

KIND = "command_kind"
"""Where what argparse has parsed says which command it is."""


COMMANDS = {
    "analyze": "show where each fork becomes steady, and whether the forks agree",
    "optimize": "make a plan: how little of each benchmark is enough",
    "plan": "show a plan, or cut it into parts for several machines",
    "changed": "list the benchmarks that run the same code in base and head",
    "run": "measure base and head in turn",
    "merge": "join the results of the shards of a run",
    "compare": "compare two runs, benchmark by benchmark",
    "report": "write comment, job summary, HTML report and JSON",
    "plot": "draw one benchmark: its forks, or what changed",
    "history": "keep results from run to run",
    "settings": "check .github/steady.yml, or print the JSON schema for it",
    "methods": "list every method with its source",
    "demo": "show a recorded run: two versions, the verdict, a plan",
    "completion": "print a completion script for bash, zsh or fish",
}
"""What each of them does, as the list of commands says it."""

_MODULES = {
    "analyze": "plan_options",
    "optimize": "plan_options",
    "plan": "plan_options",
    "changed": "run_options",
    "run": "run_options",
    "merge": "run_options",
    "compare": "compare_options",
    "report": "compare_options",
    "plot": "compare_options",
    "history": "history_options",
}
"""Where the options of each are declared, if not in `other_options`."""


def below(name: str) -> Mapping[str, type[Command]]:
    """Return the commands of a name: itself alone, or those below it by their own words."""
    module = import_module(f"steady.options.{_MODULES.get(name, 'other_options')}")
    commands: Mapping[str, Mapping[str, type[Command]]] = module.COMMANDS
    return commands[name]


def described(name: str) -> str:
    """Return what a command's help says first, where others are below it."""
    return _GROUPS.get(name, "")


_GROUPS = {
    "history": "steady history: keep results from run to run, and find the run to compare with",
    "settings": "steady settings: look a settings file over, or print its JSON schema for editors",
}

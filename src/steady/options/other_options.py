"""Options of the other commands: settings, methods, plot, demo and completion."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from steady.options import kinds
from steady.options import shared_options as shared
from steady.options.command import Command
from steady.options.option import Option, use

BENCHMARK = Option("name", kinds.TEXT, metavar="NAME")
"""A benchmark, as in `Suite`."""

SHELL = Option("shell", kinds.choice("bash", "zsh", "tcsh"), help="shell to complete for")


@dataclass(frozen=True, kw_only=True)
class CheckCommand(Command):
    """Options of ``steady settings check``."""

    called = "settings check"
    help = "check a settings file, and report each error with its line"

    file: Path = use(
        shared.SETTINGS,
        "settings file (default: {default})",
        default=Path(shared.DEFAULT_SETTINGS),
        operand="?",
    )


@dataclass(frozen=True, kw_only=True)
class SchemaCommand(Command):
    """Options of ``steady settings schema``."""

    called = "settings schema"
    help = "print the JSON schema"


@dataclass(frozen=True, kw_only=True)
class MethodsCommand(Command):
    """``steady methods``: list all methods, with descriptions and sources."""

    called = "methods"
    json: bool = use(shared.JSON, "print JSON instead of tables")


@dataclass(frozen=True, kw_only=True)
class DemoCommand(Command):
    """``steady demo``: plan and compare JMH suites, from recorded runs."""

    called = "demo"

    out: Path = use(shared.OUT, "output folder (default: {default})", default=Path("build/demo"))


@dataclass(frozen=True, kw_only=True)
class PlotCommand(Command):
    """``steady plot``: plot the forks of one benchmark, with warm-up and planned iterations."""

    called = "plot"

    results: str = use(shared.RESULTS, "result file, folder or glob pattern", operand="1")
    name: str = use(
        BENCHMARK,
        "name of the benchmark with its parameters, the end of the name, or a pattern such as "
        "'*parse*'",
        operand="1",
    )
    format: str | None = use(shared.FORMAT)
    detector: str = use(shared.DETECTOR)
    plan: Path | None = use(
        shared.PLAN,
        "also show the iterations that this plan measures: its folder, such as "
        ".steady, or its file",
    )
    out: Path | None = use(
        shared.OUT,
        "output file: .png, .svg or .pdf (default: a PNG named after the benchmark)",
        metavar="FILE",
    )


@dataclass(frozen=True, kw_only=True)
class CompletionCommand(Command):
    """``steady completion``: print a completion script for a shell."""

    called = "completion"

    shell: Literal["bash", "zsh", "tcsh"] = use(SHELL, operand="1")

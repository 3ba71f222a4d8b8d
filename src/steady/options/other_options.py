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

SHELL = Option("shell", kinds.choice("bash", "zsh", "tcsh"), help="shell that you use")


@dataclass(frozen=True, kw_only=True)
class CheckCommand(Command):
    """Options of ``steady settings check``."""

    called = "settings check"
    help = "check a settings file, and show each mistake with its line"

    file: Path = use(
        shared.SETTINGS,
        "the settings (default: {default})",
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
    """``steady methods``: what can be named, what it does, where it comes from."""

    called = "methods"
    json: bool = use(shared.JSON, "print JSON instead of tables")


@dataclass(frozen=True, kw_only=True)
class DemoCommand(Command):
    """``steady demo``: shorten a suite, then guard it, on recorded runs of JMH suites."""

    called = "demo"

    out: Path = use(
        shared.OUT, "where the results go (default: {default})", default=Path("build/demo")
    )


@dataclass(frozen=True, kw_only=True)
class PlotCommand(Command):
    """``steady plot``: draw the forks of one benchmark, with their warm-up and what is planned."""

    called = "plot"

    results: str = use(shared.RESULTS, "result file, folder or pattern", operand="1")
    name: str = use(
        BENCHMARK,
        "the benchmark: its name with its parameters, the end of the name, or a pattern such as "
        "'*parse*'",
        operand="1",
    )
    format: str | None = use(shared.FORMAT)
    detector: str = use(shared.DETECTOR)
    plan: Path | None = use(
        shared.PLAN, "also show what this plan measures: its folder, .steady, or its file"
    )
    out: Path | None = use(
        shared.OUT,
        "picture to write: .png, .svg or .pdf (default: a PNG named after the benchmark)",
        metavar="FILE",
    )


@dataclass(frozen=True, kw_only=True)
class CompletionCommand(Command):
    """``steady completion``: print a script by which a shell completes commands and options."""

    called = "completion"

    shell: Literal["bash", "zsh", "tcsh"] = use(SHELL, operand="1")

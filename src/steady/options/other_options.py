"""Options of the commands that show: settings, methods and the demo."""

from dataclasses import dataclass
from pathlib import Path

from steady.options import shared_options as shared
from steady.options.command import Command
from steady.options.option import use


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

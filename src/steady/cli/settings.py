"""``steady settings``: look a settings file over, or print its JSON schema for editors."""

from __future__ import annotations

import shlex
import sys

from steady.cli.printing import line
from steady.cli.schemas import schema_text
from steady.errors import InputError
from steady.options.other_options import CheckCommand, SchemaCommand
from steady.settings import SettingsError, read_settings, utc_today
from steady.text.counting import count
from steady.text.escape import visible


def run(arguments: CheckCommand | SchemaCommand) -> int:
    """Check the file, or print the schema."""
    return _check(arguments) if isinstance(arguments, CheckCommand) else _schema()


def _check(arguments: CheckCommand) -> int:
    """Print what the file holds and which of its entries have expired, or what is wrong."""
    if not arguments.file.exists():
        folder, file = (shlex.quote(str(path)) for path in (arguments.file.parent, arguments.file))
        raise InputError(
            "there is no such file, and nothing needs it: without settings, the defaults hold; "
            f"to begin one, type `mkdir -p {folder} && echo 'version: 1' > {file}`",
            source=arguments.file,
        )
    try:
        settings = read_settings(arguments.file)
    except SettingsError as error:
        for text in error.lines:
            print(visible(text), file=sys.stderr)
        raise InputError(
            f"{count(len(error.faults), 'mistake')} in {visible(str(arguments.file))}"
        ) from None
    held = (
        count(len(settings.thresholds), "threshold"),
        f"{len(settings.ignore):,} ignored",
        f"{len(settings.accepted):,} accepted",
        *([f"{len(settings.important):,} important"] if settings.important else ()),
    )
    line(f"{arguments.file}: fine ({', '.join(held)})")
    for entry in settings.accepted:
        if entry.expires is not None and entry.expires < utc_today():
            line(f"{entry.source}: expired on {entry.expires}: remove it, or renew it")
    return 0


def _schema() -> int:
    """Print the schema."""
    print(schema_text("settings"), end="")
    return 0

"""``steady settings``: look a settings file over, or print its JSON schema for editors."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from steady.errors import InputError
from steady.settings import (
    DEFAULT_SETTINGS,
    SettingsError,
    read_settings,
    utc_today,
)
from steady.text.counting import count
from steady.text.escape import visible


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    check = actions.add_parser(
        "check", help="check a settings file, and show each mistake with its line"
    )
    check.add_argument(
        "file", nargs="?", type=Path, default=Path(DEFAULT_SETTINGS), metavar="FILE",
        help="the settings (default: %(default)s)",
    )  # fmt: skip
    check.set_defaults(run=run_check)
    schema = actions.add_parser("schema", help="print the JSON schema")
    schema.set_defaults(run=run_schema)


def add_settings(
    parser: argparse.ArgumentParser,
    what: str = "thresholds, benchmarks to ignore, and acknowledged changes",
) -> None:
    """Add ``--settings``; `what` says what the command takes from them."""
    parser.add_argument(
        "--settings", type=Path, metavar="FILE",
        help=f"{what} (default: {DEFAULT_SETTINGS}, where that file is)",
    )  # fmt: skip


def run_check(arguments: argparse.Namespace) -> int:
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
        for line in error.lines:
            print(visible(line), file=sys.stderr)
        raise InputError(
            f"{count(len(error.faults), 'mistake')} in {visible(str(arguments.file))}"
        ) from None
    held = (
        count(len(settings.thresholds), "threshold"),
        f"{len(settings.ignore):,} ignored",
        f"{len(settings.acknowledged):,} acknowledged",
        *([f"{len(settings.important):,} important"] if settings.important else ()),
    )
    print(visible(f"{arguments.file}: fine ({', '.join(held)})"))
    for entry in settings.acknowledged:
        if entry.expires is not None and entry.expires < utc_today():
            print(visible(f"{entry.source}: expired on {entry.expires}: remove it, or renew it"))
    return 0


def run_schema(_: argparse.Namespace) -> int:
    """Print the schema."""
    from steady.schemas import schema_text  # imports all that is declared, for one command

    print(schema_text("settings"), end="")
    return 0

"""``steady settings``: validate a settings file, or print its JSON schema for editors."""

import json
import shlex
import sys
from importlib import import_module
from typing import Any

import msgspec

from steady.cli.printing import line
from steady.errors import InputError
from steady.options.other_options import CheckCommand, SchemaCommand
from steady.settings import SettingsError, read_settings, utc_today
from steady.text.escape import visible
from steady.text.numbers import count

KINDS: dict[str, tuple[str, str]] = {
    "plan": ("optimize.plan_json:PlanFile", "steady plan, version 1"),
    "comparison": ("compare.comparison_files:ComparisonFile", "steady comparison, version 2"),
    "settings": ("settings.settings_file:SettingsFile", "settings of steady, version 1"),
    "series": ("readers.series_schema:SeriesFile", "steady series, version 1"),
    "analysis": ("cli.analyze:AnalysisListing", "steady analyze --json, version 1"),
    "changed": ("cli.changed:ChangedListing", "steady changed --json, version 1"),
    "methods": ("cli.methods:MethodsListing", "steady methods --json, version 1"),
    "history": ("history.entry:HistoryListing", "steady history list --json, version 1"),
    "baseline": ("history.baseline:BaselineListing", "steady history baseline --json, version 1"),
}
"""Declaration of each file or output, and the title of its schema."""

_SPARSE = ("plan", "settings", "series", "history", "baseline")
"""Files whose fields with a default can be missing: users write the file, or the value can be
unknown."""


def schema(name: str) -> dict[str, Any]:
    """Return the JSON schema of a file.

    Parameters
    ----------
    name : str
        Name in `KINDS`.
    """
    address, title = KINDS[name]
    module, _, declared = address.partition(":")
    kind = getattr(import_module(f"steady.{module}"), declared)
    _, parts = msgspec.json.schema_components((kind,))
    for part in parts.values():
        _close(part, written=name not in _SPARSE)
    own = parts.pop(kind.__name__)
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, **own, "title": title, "$defs": parts}


def _close(part: dict[str, Any], *, written: bool) -> None:
    """Forbid additional fields; in output files, also require fields with a default."""
    if "properties" in part:
        part["additionalProperties"] = False
        summary = part.get("description", "").partition("Parameters\n")[0]
        part["description"] = " ".join(summary.split())
        if written:
            needed = part["required"]
            fields = part["properties"].items()
            part["required"] = [n for n, field in fields if n in needed or "default" in field]


def schema_text(name: str) -> str:
    """Return the schema as JSON text."""
    return json.dumps(schema(name), indent=2, ensure_ascii=False) + "\n"


def run(arguments: CheckCommand | SchemaCommand) -> int:
    """Validate the file, or print the schema."""
    if isinstance(arguments, CheckCommand):
        return _check(arguments)
    print(schema_text("settings"), end="")
    return 0


def _check(arguments: CheckCommand) -> int:
    """Print a summary of the file and its expired entries, or its errors."""
    if not arguments.file.exists():
        folder, file = (shlex.quote(str(path)) for path in (arguments.file.parent, arguments.file))
        raise InputError(
            "does not exist, and is optional: without it, the defaults apply; create one with "
            f"`mkdir -p {folder} && echo 'version: 1' > {file}`",
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
    line(f"{arguments.file}: valid ({', '.join(held)})")
    for entry in settings.accepted:
        if entry.expires is not None and entry.expires < utc_today():
            line(f"{entry.source}: expired on {entry.expires}: remove it, or renew it")
    return 0

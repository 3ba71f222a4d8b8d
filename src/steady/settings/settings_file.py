"""The settings file: what it may hold, and every mistake in it with its line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, cast

import jsonschema

from steady.compare.acknowledgement import Acknowledgement
from steady.errors import InputError
from steady.percent import BOUND, SHARE
from steady.settings.settings import Ignore, RepoSettings, Threshold
from steady.settings.yaml_lines import Document, Fault, FaultError, read_yaml

DEFAULT_SETTINGS = ".github/steady.yml"

LARGEST = 1 << 18
"""Largest size of a settings file in bytes."""

_MOST_FAULTS = 20


class SettingsError(InputError):
    """A settings file with mistakes.

    Parameters
    ----------
    source : str
        The file.
    faults : tuple of Fault
        All mistakes, in the order of their lines.
    """

    def __init__(self, source: str, faults: tuple[Fault, ...]) -> None:
        self.lines = tuple(f"{source}:{fault.line}: {fault.text}" for fault in faults)
        more = len(faults) - _MOST_FAULTS
        shown = [*self.lines[:_MOST_FAULTS], *([f"{more} more mistakes"] if more > 0 else [])]
        super().__init__("; ".join(shown))
        self.source = source
        self.faults = faults


@cache
def settings_schema() -> dict[str, Any]:
    """Return the JSON schema of a settings file."""
    return cast("dict[str, Any]", json.loads(schema_text()))


def schema_text() -> str:
    """Return the JSON schema as it is written, for editors."""
    file = resources.files(__package__).joinpath("settings.schema.json")
    return file.read_text(encoding="utf-8")


def read_settings(path: str | Path) -> RepoSettings:
    """Read a settings file.

    Parameters
    ----------
    path : path-like
        The file.

    Raises
    ------
    InputError
        If the file cannot be read.
    SettingsError
        If it does not follow `settings_schema`; the error has every mistake with its line.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such path"
        raise InputError(
            f"cannot be read ({reason}); give a settings file such as {DEFAULT_SETTINGS}",
            source=path,
        ) from None
    if len(data) > LARGEST:
        raise InputError(f"is larger than a settings file may be: {LARGEST:,} bytes", source=path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(str(path), (Fault(line, "is not UTF-8 text"),)) from None
    return parse_settings(text, source=str(path))


def parse_settings(text: str, *, source: str = DEFAULT_SETTINGS) -> RepoSettings:
    """Return the settings that `text` holds; see `read_settings`.

    Parameters
    ----------
    text : str
        YAML.
    source : str
        What the file is called in errors and reports.
    """
    try:
        document = read_yaml(text)
    except FaultError as error:
        raise SettingsError(source, error.args) from None
    faults = sorted({*document.faults, *_faults(document)})
    if faults:
        raise SettingsError(source, tuple(faults))
    return _settings(document, source)


def _faults(document: Document) -> Iterator[Fault]:
    if document.data is None:
        yield Fault(1, "is empty: expected `version: 1` and settings")
        return
    validator = jsonschema.Draft202012Validator(settings_schema())
    for error in validator.iter_errors(document.data):
        yield from _in_words(error, document)
    # A date may match the schema's pattern and still not exist.
    for index, entry in enumerate(_entries(document.data, "acknowledged")):
        expires = entry.get("expires") if isinstance(entry, dict) else None
        if isinstance(expires, str) and _date(expires) is None:
            line = document.lines["acknowledged", index, "expires"]
            yield Fault(line, _expected("expires", "a date such as 2026-12-31", expires))


def _in_words(error: jsonschema.ValidationError, document: Document) -> Iterator[Fault]:
    """Describe one violation of the schema in words."""
    path = tuple(error.absolute_path)
    line = document.lines[path]
    schema = cast("dict[str, Any]", error.schema)
    if error.validator == "required":
        missing = error.message.split("'")[1]
        yield Fault(line, f"{_where(path)} lacks `{missing}`: add it")
    elif error.validator == "additionalProperties":
        known = ", ".join(f"`{name}`" for name in schema["properties"])
        for key in cast("dict[str, Any]", error.instance):
            if key not in schema["properties"]:
                yield Fault(document.lines[*path, key], f"unknown {key[:80]!r}: expected {known}")
    else:
        expected = schema.get("title", "settings as `version: 1` and lists below it")
        yield Fault(line, _expected(path[-1] if path else "", expected, error.instance))


def _where(path: tuple[str | int, ...]) -> str:
    return f"entry {int(path[-1]) + 1} of `{path[-2]}`" if len(path) > 1 else "the file"


def _expected(key: str | int, expected: str, value: Any) -> str:
    if isinstance(value, list):
        shown = f"a list of {len(value)}"
    elif isinstance(value, dict):
        shown = "a mapping"
    else:
        shown = "nothing" if value is None else repr(value)
    name = f"`{key}`: " if isinstance(key, str) and key else ""
    return f"{name}expected {expected}, got {shown if len(shown) <= 80 else shown[:79] + '…'}"


def _settings(document: Document, source: str) -> RepoSettings:
    data, lines = document.data, document.lines

    def at(name: str, index: int) -> str:
        return f"{source}:{lines[name, index]}"

    return RepoSettings(
        thresholds=tuple(
            Threshold(
                entry["pattern"],
                SHARE.parse(str(entry["min-change"])),
                at("thresholds", index),
            )
            for index, entry in enumerate(_entries(data, "thresholds"))
        ),
        ignore=tuple(
            Ignore(entry["pattern"], entry["reason"].strip(), at("ignore", index))
            for index, entry in enumerate(_entries(data, "ignore"))
        ),
        acknowledged=tuple(
            _acknowledgement(entry, at("acknowledged", index))
            for index, entry in enumerate(_entries(data, "acknowledged"))
        ),
        source=source,
    )


def _acknowledgement(entry: Mapping[str, Any], source: str) -> Acknowledgement:
    return Acknowledgement(
        pattern=entry["pattern"],
        reason=entry["reason"].strip(),
        direction=entry.get("direction", "regression"),
        bound=BOUND.parse(str(entry["bound"])),
        expires=_date(entry["expires"]),
        author=entry.get("author", ""),
        source=source,
    )


def _entries(data: Any, name: str) -> list[Any]:
    entries = data.get(name) if isinstance(data, dict) else None
    return entries if isinstance(entries, list) else []


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None

"""The format of the settings file, and its parser, which reports all errors with line numbers."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from steady import safe_open
from steady.errors import InputError
from steady.options.shared_options import DEFAULT_SETTINGS
from steady.percent import BOUND, POSITIVE, SHARE, percent_hint
from steady.settings.repo_settings import (
    Acceptance,
    Ignore,
    RepoSettings,
    SameCodeOption,
    Threshold,
)
from steady.settings.yaml_lines import Document, Fault, FaultError, read_yaml
from steady.settings.yaml_lines import Path as Place

LARGEST = 1 << 18
"""Maximum size of a settings file, in bytes."""

_MOST_FAULTS = 20
_MOST_ENTRIES = 500

_E = TypeVar("_E")

_TEXT, _NAME = Meta(min_length=1, max_length=500), Meta(min_length=1, max_length=100)

Pattern = Annotated[
    str,
    Meta(
        title='a pattern of 1 to 500 characters, such as "CodecBenchmark.*"',
        description=(
            "Name or label of the benchmarks; * matches any text, and leading packages may be "
            "omitted. Case-sensitive."
        ),
    ),
    _TEXT,
]
Reason = Annotated[
    str,
    Meta(
        title="a text of 1 to 500 characters",
        description="Reason, shown in the reports.",
        pattern=r"\S",
    ),
    _TEXT,
]
MinChange = Annotated[
    Annotated[str, Meta(pattern=r"^(0|0?\.[0-9]{1,9}|[0-9]{1,2}(\.[0-9]{1,6})? ?%)$")]
    | Annotated[float, Meta(ge=0, lt=1)],
    Meta(
        title=SHARE.expected,
        description="Smallest change that counts for these benchmarks, instead of --min-change.",
    ),
]
Bound = Annotated[
    Annotated[str, Meta(pattern=r"^(?=.*[1-9])(0?\.[0-9]{1,9}|[0-9]{1,6}(\.[0-9]{1,6})? ?%)$")]
    | Annotated[float, Meta(gt=0, lt=1)],
    Meta(
        title=BOUND.expected,
        description="Largest accepted change, as shown in reports; a larger one counts.",
    ),
]
FalseAlarms = Annotated[
    Annotated[str, Meta(pattern=r"^(?=.*[1-9])(0?\.[0-9]{1,9}|[0-9]{1,2}(\.[0-9]{1,6})? ?%)$")]
    | Annotated[float, Meta(gt=0, lt=1)]
    | None,
    Meta(
        title=POSITIVE.expected,
        description=(
            "Probability of any false alarm in a pull request without changes, instead of "
            "--false-alarms."
        ),
    ),
]
SameCode = Annotated[
    SameCodeOption,
    Meta(
        title="skip or run",
        description=(
            "Whether `steady run` skips benchmarks with an identical code path in base and head, "
            "or runs them too, instead of --same-code."
        ),
    ),
]
Expires = Annotated[
    date,
    Meta(
        title="a date such as 2026-12-31",
        description="The last day on which the change is accepted, in UTC.",
    ),
]
Direction = Annotated[
    Literal["regression", "improvement"],
    Meta(title="regression or improvement", description="Direction of the accepted changes."),
]
Author = Annotated[
    str,
    Meta(
        title="a name of at most 100 characters",
        description="Name of the person who accepts it, shown in the reports.",
    ),
    _NAME,
]
Metric = Annotated[
    str,
    Meta(
        title="the name of a metric, such as gc.alloc.rate.norm",
        description=(
            "Secondary metrics of these benchmarks; * matches any text. Without this field, the "
            "entry applies to the main results."
        ),
    ),
    _NAME,
]


class _Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """A mapping in the file."""


class _Entry(_Table, frozen=True, kw_only=True):
    """An entry for benchmarks that match a pattern."""

    pattern: Pattern
    metric: Metric = ""


class ThresholdEntry(_Entry, frozen=True, kw_only=True):
    """The smallest change that counts, for benchmarks that match a pattern."""

    min_change: MinChange


class IgnoreEntry(_Entry, frozen=True, kw_only=True):
    """Benchmarks that are listed, but excluded from verdicts."""

    reason: Reason


class AcceptedEntry(_Entry, frozen=True, kw_only=True):
    """An accepted change, which is shown but excluded from verdicts."""

    direction: Direction = "regression"
    bound: Bound
    reason: Reason
    expires: Expires
    author: Author = ""


Important = Annotated[
    Annotated[tuple[Pattern, ...], Meta(max_length=_MOST_ENTRIES)] | None,
    Meta(
        title=f"a list of at most {_MOST_ENTRIES} patterns",
        description=(
            "Benchmarks that every pull request measures if the suite exceeds the time budget of "
            "the plan and is measured in rotation."
        ),
    ),
]

Alone = Annotated[
    Annotated[tuple[Pattern, ...], Meta(max_length=_MOST_ENTRIES)] | None,
    Meta(
        title=f"a list of at most {_MOST_ENTRIES} patterns",
        description=(
            "Benchmarks that `steady run` measures in their own process. Others may share one with "
            "the benchmarks of the same file."
        ),
    ),
]


_SHORT = Meta(max_length=_MOST_ENTRIES)
_LIST = Meta(title=f"a list of at most {_MOST_ENTRIES} entries")


class SettingsFile(_Table, frozen=True, kw_only=True):
    """Settings of a repository's benchmarks: .github/steady.yml.

    If several thresholds match a benchmark, the last one is used.
    """

    version: Annotated[Literal[1], Meta(title="1", description="Version of this format.")]
    thresholds: Annotated[Annotated[tuple[ThresholdEntry, ...], _SHORT] | None, _LIST] = None
    ignore: Annotated[Annotated[tuple[IgnoreEntry, ...], _SHORT] | None, _LIST] = None
    accepted: Annotated[Annotated[tuple[AcceptedEntry, ...], _SHORT] | None, _LIST] = None
    false_alarms: FalseAlarms = None
    important: Important = None
    alone: Alone = None
    same_code: SameCode = "skip"


_ENTRIES: dict[str, type[Struct]] = {
    "thresholds": ThresholdEntry,
    "ignore": IgnoreEntry,
    "accepted": AcceptedEntry,
}


class SettingsError(InputError):
    """Raised for a settings file with errors.

    Parameters
    ----------
    source : str
        The file.
    faults : tuple of Fault
        All errors, in line order.
    """

    def __init__(self, source: str, faults: tuple[Fault, ...]) -> None:
        self.lines = tuple(f"{source}:{fault.line}: {fault.text}" for fault in faults)
        more = len(faults) - _MOST_FAULTS
        shown = [*self.lines[:_MOST_FAULTS], *([f"{more} more mistakes"] if more > 0 else [])]
        super().__init__("; ".join(shown))
        self.source = source
        self.faults = faults


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
        If it does not conform to `SettingsFile`; the exception lists all errors with their lines.
    """
    try:
        data = safe_open.read_untrusted(Path(path), LARGEST)
    except InputError:  # a subclass of ValueError
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such path"
        problem = f"cannot be read ({reason}); give a settings file such as {DEFAULT_SETTINGS}"
        raise InputError(problem, source=path) from None
    if len(data) > LARGEST:
        raise InputError(f"is larger than a settings file may be: {LARGEST:,} bytes", source=path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(str(path), (Fault(line, "is not UTF-8 text"),)) from None
    return parse_settings(text, source=str(path))


def parse_settings(text: str, *, source: str = DEFAULT_SETTINGS) -> RepoSettings:
    """Parse settings from text; see `read_settings`.

    Parameters
    ----------
    text : str
        Settings as YAML.
    source : str
        Name of the file in errors and reports.
    """
    try:
        document = read_yaml(text)
    except FaultError as error:
        raise SettingsError(source, error.args) from None
    faults = sorted({*document.faults, *_faults(document)})
    if faults:
        raise SettingsError(source, tuple(faults))
    return _settings(msgspec.convert(document.data, SettingsFile), document, source)


def _faults(document: Document) -> Iterator[Fault]:
    data = document.data
    if data is None:
        yield Fault(1, "is empty: expected `version: 1` and settings")
    elif not isinstance(data, dict):
        yield Fault(document.lines[()], _expected("", "settings of steady, version 1", data))
    else:
        yield from _faults_in(data, SettingsFile, (), document)


def _faults_in(
    table: dict[str, Any], kind: type[Struct], path: Place, document: Document
) -> Iterator[Fault]:
    """Yield the errors in a mapping and in the entries of its lists."""
    lines = document.lines
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    known = ", ".join(f"`{name}`" for name in fields)
    for key in table.keys() - fields.keys():
        yield Fault(lines[*path, key], f"unknown {key[:80]!r}: expected {known}")
    for name, field in fields.items():
        place = (*path, name)
        if name not in table:
            if field.required:
                yield Fault(lines[path], f"{_where(path)} lacks `{name}`: add it")
            continue
        value = table[name]
        if name in _ENTRIES and isinstance(value, list) and len(value) <= _MOST_ENTRIES:
            for index, entry in enumerate(value):
                yield from _faults_of_entry(entry, _ENTRIES[name], (*place, index), document)
        elif not _is_of(value, field.type):
            title = field.type.__metadata__[0].title
            yield Fault(lines[place], _expected(name, title, value) + _hint(name, title, value))


def _faults_of_entry(
    entry: object, kind: type[Struct], path: Place, document: Document
) -> Iterator[Fault]:
    if isinstance(entry, dict):
        yield from _faults_in(entry, kind, path, document)
    else:
        *names, last = [f"`{f.encode_name}`" for f in msgspec.structs.fields(kind) if f.required]
        title = f"an entry with {', '.join(names)} and {last}"
        yield Fault(document.lines[path], _expected("", title, entry))


def _is_of(value: object, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _where(path: tuple[str | int, ...]) -> str:
    return f"entry {int(path[-1]) + 1} of `{path[-2]}`" if len(path) > 1 else "the file"


def _hint(key: str, title: str, value: object) -> str:
    """Return a hint on writing a number as a percentage, if a percentage is expected."""
    shares = {kind.expected for kind in (SHARE, BOUND, POSITIVE)}
    return percent_hint(str(value), f"`{key}: {{}}`") if title in shares else ""


def _expected(key: str | int, expected: str, value: Any) -> str:
    if isinstance(value, list):
        shown = f"a list of {len(value)}"
    elif isinstance(value, dict):
        shown = "a mapping"
    else:
        shown = "nothing" if value is None else repr(value)
    name = f"`{key}`: " if isinstance(key, str) and key else ""
    return f"{name}expected {expected}, got {shown if len(shown) <= 80 else shown[:79] + '…'}"


def _settings(file: SettingsFile, document: Document, source: str) -> RepoSettings:
    def placed(name: str, entries: tuple[_E, ...] | None) -> Iterator[tuple[_E, str]]:
        for index, entry in enumerate(entries or ()):
            yield entry, f"{source}:{document.lines[name, index]}"

    alarms = file.false_alarms
    return RepoSettings(
        thresholds=tuple(
            Threshold(one.pattern, SHARE.parse(str(one.min_change)), line, one.metric)
            for one, line in placed("thresholds", file.thresholds)
        ),
        ignore=tuple(
            Ignore(one.pattern, one.reason.strip(), line, one.metric)
            for one, line in placed("ignore", file.ignore)
        ),
        accepted=tuple(
            Acceptance(
                one.pattern, one.reason.strip(), one.direction, BOUND.parse(str(one.bound)),
                one.expires, one.author, line, one.metric,
            )
            for one, line in placed("accepted", file.accepted)
        ),
        source=source,
        false_alarms=None if alarms is None else POSITIVE.parse(str(alarms)),
        important=file.important or (),
        alone=file.alone or (),
        same_code=file.same_code,
    )  # fmt: skip


def chosen_settings(path: Path | None) -> RepoSettings | None:
    """Read the given settings or those at the default path; return None if there are none."""
    if path is None and not Path(DEFAULT_SETTINGS).is_file():
        return None
    return read_settings(path or DEFAULT_SETTINGS)

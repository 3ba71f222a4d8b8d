"""Parse YAML to plain data with line numbers, safely: no file can exhaust memory or run code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

Path: TypeAlias = "tuple[str | int, ...]"

_DEEPEST = 16
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
_CONSTANTS = {"": None, "~": None, "null": None, "Null": None, "NULL": None,
              "true": True, "True": True, "TRUE": True,
              "false": False, "False": False, "FALSE": False}  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """An error in one line of a file.

    Parameters
    ----------
    line : int
        Counted from 1.
    text : str
        Description of the error and of the expected content.
    """

    line: int
    text: str


class FaultError(Exception):
    """Raised with a `Fault` if a file cannot be parsed any further."""


@dataclass(frozen=True, slots=True)
class Document:
    """The content of a file.

    Parameters
    ----------
    data : JSON value
        The data: dict, list, str, int, float, bool or None.
    lines : mapping of path to int
        Line number of each node; for an entry of a mapping, that of its key.
    faults : tuple of Fault
        Errors for keys that appear twice in a mapping; the first one is used.
    """

    data: Any
    lines: dict[Path, int]
    faults: tuple[Fault, ...]


def read_yaml(text: str) -> Document:
    """Read one YAML document.

    PyYAML parses the events, and this module constructs the data. Scalars follow the core schema of
    YAML 1.2, as in editors: ``no`` and dates are strings.

    Parameters
    ----------
    text : str
        YAML text.

    Raises
    ------
    FaultError
        If it is not YAML, or uses unsupported features: anchors, aliases, tags, several documents,
        or deep nesting.
    """
    try:
        return _Reader(yaml.parse(text, Loader=yaml.SafeLoader)).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "unreadable"
        line = mark.line + 1 if mark else 1
        raise FaultError(Fault(line, _not_yaml(text, mark, problem))) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise FaultError(Fault(line, "contains a character that YAML forbids: remove it")) from None
    except (yaml.YAMLError, ValueError, OverflowError):
        # A string contains an invalid escape sequence.
        problem = "is not YAML: check for an invalid \\ escape"
        raise FaultError(Fault(1, problem)) from None


def _not_yaml(text: str, mark: yaml.Mark | None, problem: str) -> str:
    line = (text.splitlines()[mark.line : mark.line + 1] or [""])[0] if mark else ""
    if re.search(r":\s*\*", line):
        return "a text that begins with * must be quoted"
    return f"is not YAML ({problem})"


@dataclass
class _Reader:
    """Constructs data from YAML events."""

    events: Iterator[Any]
    lines: dict[Path, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def document(self) -> Document:
        next(self.events)  # the stream's start
        first = next(self.events)
        if isinstance(first, yaml.StreamEndEvent):
            return Document(None, {(): 1}, ())
        data = self.node(next(self.events), ())
        next(self.events)  # the document's end
        further = next(self.events)
        if not isinstance(further, yaml.StreamEndEvent):
            raise _fault(further, "a second document begins: expected one")
        return Document(data, self.lines, tuple(self.faults))

    def node(self, event: Any, path: Path) -> Any:
        if isinstance(event, yaml.AliasEvent):
            raise _fault(event, "a text that begins with * must be quoted")
        if event.anchor is not None or event.tag is not None:
            sign = "!" if event.anchor is None else "&"
            raise _fault(event, f"a text that begins with {sign} must be quoted")
        if len(path) > _DEEPEST:
            raise _fault(event, "is nested too deeply")
        self.lines.setdefault(path, _line(event))
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(path)
        return _scalar(event)

    def mapping(self, path: Path) -> dict[str, Any]:
        contents: dict[str, Any] = {}
        for event in iter(self.events.__next__, None):
            if isinstance(event, yaml.MappingEndEvent):
                break
            if not isinstance(event, yaml.ScalarEvent):
                raise _fault(event, "expected a key, as `name: value`")
            key = _checked(event)
            line = _line(event)
            first = self.lines.setdefault((*path, key), line)
            if key in contents:
                problem = f"{key[:80]!r} is in line {first} already: keep one"
                self.faults.append(Fault(line, problem))
            value = self.node(next(self.events), (*path, key))
            contents.setdefault(key, value)
        return contents

    def sequence(self, path: Path) -> list[Any]:
        contents: list[Any] = []
        for event in iter(self.events.__next__, None):
            if isinstance(event, yaml.SequenceEndEvent):
                break
            contents.append(self.node(event, (*path, len(contents))))
        return contents


def _scalar(event: Any) -> Any:
    text = _checked(event)
    if not event.implicit[0]:  # quoted, or a block scalar
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _checked(event: Any) -> str:
    text: str = event.value
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise _fault(event, "contains half of a surrogate pair: write the character itself")
    return text


def _line(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1


def _fault(event: Any, text: str) -> FaultError:
    return FaultError(Fault(_line(event), text))

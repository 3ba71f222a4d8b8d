"""Edits of a source file: changed arguments, new annotations, and their imports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from steady.harness.jmh.annotate.decide import Change
from steady.harness.jmh.annotate.kinds import NANOSECONDS, UNITS, PlannedValues, Written
from steady.harness.jmh.annotate.source import (
    JMH,
    TIME_UNIT,
    Annotation,
    Import,
    Method,
    SourceFile,
    Type,
)
from steady.harness.jmh.time_value import TimeValue

_LARGEST = 2**31 - 1
_QUALIFIED = re.compile(r"(?:[\w.]+\.)?TimeUnit\.(?=[A-Z]+$)")


@dataclass(frozen=True, slots=True)
class Edit:
    """The replacement of a part of a file.

    Parameters
    ----------
    start, end : int
        Byte positions of the part.
    text : str
        The new text.
    """

    start: int
    end: int
    text: str


def edited(file: SourceFile, changes: Iterable[Change], taken: Iterable[str]) -> bytes:
    """Return the text of a file with all changes applied.

    Parameters
    ----------
    file : SourceFile
        The file.
    changes : iterable of Change
        The changes in this file.
    taken : iterable of str
        Simple names of types in the same package.
    """
    imports = Imports(file, frozenset(taken))
    edits, new = list[Edit](), dict[int, tuple[Type | Method, list[str]]]()
    for change in changes:
        if change.written is not None:
            edits += _changed(change, change.written, imports)
        else:
            _, texts = new.setdefault(change.declared.start, (change.declared, []))
            texts.append(_new_annotation(change, imports))
    edits += [_placed(file, declared, texts) for declared, texts in new.values()]
    edits += [Edit(place, place, text) for place, text in imports.added()]
    pieces, done = list[bytes](), 0
    # At the same position, arguments of an annotation precede a new annotation.
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        pieces += [file.text[done : edit.start], edit.text.encode()]
        done = edit.end
    return b"".join([*pieces, file.text[done:]])


def _changed(change: Change, written: Written, imports: Imports) -> Iterator[Edit]:
    """Yield the edits of an existing annotation: changed and new arguments."""
    annotation, amount = written.annotation, change.kind.amount
    front, behind = list[str](), list[str]()
    if change.outdated.amount:
        yield from _put(annotation, amount, str(change.wanted.amount), front)
    if change.outdated.time and change.wanted.nanoseconds is not None:
        number, unit = _time(change.wanted, written)
        yield from _put(annotation, "time", str(number), behind)
        if unit is not None:
            old = annotation.argument("timeUnit")
            qualifier = _QUALIFIED.match(old.text) if old else None
            prefix = qualifier[0] if qualifier else f"{imports.name(TIME_UNIT)}."
            yield from _put(annotation, "timeUnit", prefix + unit, behind)
    last = annotation.argument("time") or annotation.argument(amount)
    if behind and last is not None:
        yield Edit(last.end, last.end, "".join(f", {text}" for text in behind))
        behind = []
    if front or behind:
        yield _first_arguments(annotation, [*front, *behind], amount)


def _put(annotation: Annotation, name: str, text: str, missing: list[str]) -> Iterator[Edit]:
    argument = annotation.argument(name)
    if argument is None:
        missing.append(f"{name} = {text}")
    else:
        yield Edit(argument.start, argument.end, text)


def _first_arguments(annotation: Annotation, texts: list[str], amount: str) -> Edit:
    place = annotation.name_end if annotation.inside is None else annotation.inside
    text = ", ".join(texts)
    if annotation.arguments:
        return Edit(place, place, f"{text}, ")
    if amount == "value":
        text = text.removeprefix("value = ")
    return Edit(place, place, f"({text})" if annotation.inside is None else text)


def _time(wanted: PlannedValues, written: Written) -> tuple[int, str | None]:
    """Return the amount of a duration, and its unit if the unit changes."""
    nanoseconds, unit = wanted.nanoseconds or 0, written.unit()
    if unit is not None and nanoseconds % NANOSECONDS[unit] == 0:
        number = nanoseconds // NANOSECONDS[unit]
        if number <= _LARGEST:
            return number, None
    return _in_largest_unit(nanoseconds)


def _in_largest_unit(nanoseconds: int) -> tuple[int, str]:
    time = TimeValue.of(nanoseconds / 10**9)
    return time.amount, UNITS[time.unit]


def _new_annotation(change: Change, imports: Imports) -> str:
    wanted, kind = change.wanted, change.kind
    name = imports.jmh(kind.name)
    if not kind.timed:
        return f"@{name}({wanted.amount})"
    arguments = [f"{kind.amount} = {wanted.amount}"]
    if wanted.nanoseconds is not None:
        number, unit = _in_largest_unit(wanted.nanoseconds)
        arguments.append(f"time = {number}")
        if unit != "SECONDS":
            arguments.append(f"timeUnit = {imports.name(TIME_UNIT)}.{unit}")
    return f"@{name}({', '.join(arguments)})"


def _placed(file: SourceFile, declared: Type | Method, texts: list[str]) -> Edit:
    """Insert annotations after the last one on a line of its own, or before the declaration."""
    alone = [one for one in declared.annotations if _has_line(file.text, one)]
    if alone:
        last = alone[-1]
        indent, end = _indent(file.text, last.start), line_ending(file.text, last.end)
        return Edit(last.end, last.end, "".join(f"{end}{indent}{text}" for text in texts))
    start = declared.start
    indent, end = _indent(file.text, start), line_ending(file.text, start)
    if indent is None:
        return Edit(start, start, "".join(f"{text} " for text in texts))
    return Edit(start, start, "".join(f"{text}{end}{indent}" for text in texts))


def _has_line(text: bytes, annotation: Annotation) -> bool:
    behind = text[annotation.end :].split(b"\n", 1)
    return (
        len(behind) == 2 and not behind[0].strip() and _indent(text, annotation.start) is not None
    )


def _indent(text: bytes, place: int) -> str | None:
    """Return the indentation of a position; None if other text precedes it on the line."""
    before = text[text.rfind(b"\n", 0, place) + 1 : place].removeprefix(b"\xef\xbb\xbf")
    return None if before.strip() else before.decode("ascii", "replace")


class Imports:
    """The imports of a file, including those that an edit adds.

    Parameters
    ----------
    file : SourceFile
        The file.
    taken : frozenset of str
        Simple names of types in the same package.
    """

    def __init__(self, file: SourceFile, taken: frozenset[str]) -> None:
        self._file = file
        self._taken = taken | {one.name.rpartition(".")[2] for one in file.types}
        self._plain = [one for one in file.imports if not one.static]
        self._new = set[str]()

    def jmh(self, name: str) -> str:
        """Return how to write a JMH annotation here: qualified if nothing of JMH is imported."""
        full = f"{JMH}.{name}"
        if not any(one.name == JMH or one.name.startswith(f"{JMH}.") for one in self._plain):
            return full
        return self.name(full)

    def name(self, full: str) -> str:
        """Return how to write a type here; import it unless its simple name is taken."""
        package, _, simple = full.rpartition(".")
        imported = next((one.local for one in self._plain if one.name == full and one.local), "")
        if imported or self._file.imports_all_of(package):
            return imported or (full if self._is_taken(simple) else simple)
        if not self._plain or self._is_taken(simple):
            return full
        self._new.add(full)
        return simple

    def added(self) -> list[tuple[int, str]]:
        """Return the new imports, each with its position."""
        return [self._added(full) for full in sorted(self._new)]

    def _is_taken(self, simple: str) -> bool:
        return simple in self._taken or any(one.local == simple for one in self._plain)

    def _added(self, full: str) -> tuple[int, str]:
        """Return position and text of an import, sorted among those of the nearest package."""
        shared = [_shared(full, one) for one in self._plain]
        near = [one for one, n in zip(self._plain, shared, strict=True) if n == max(shared)]
        statement = f"import {full}{';' if self._file.path.suffix == '.java' else ''}"
        text = self._file.text
        behind = next((one for one in near if one.name > full), None)
        if behind is not None:
            return behind.start, statement + line_ending(text, behind.start)
        end = text.find(b"\n", near[-1].end)
        end = len(text) if end < 0 else end - (text[end - 1 : end] == b"\r")
        return end, line_ending(text, near[-1].start) + statement


def _shared(full: str, other: Import) -> int:
    """Return the number of leading parts that a name has in common with an import."""
    count = 0
    for one, another in zip(full.split("."), other.name.split("."), strict=False):
        if one != another:
            break
        count += 1
    return count


def line_ending(text: bytes, place: int) -> str:
    """Return the line ending that follows a position."""
    end = text.find(b"\n", place)
    return "\r\n" if end > 0 and text[end - 1 : end] == b"\r" else "\n"

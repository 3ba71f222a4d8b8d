"""Inputs that are nearly real: a seed, changed in its bytes, its lines, or its JSON.

Everything follows from the generator that is handed in: the same seed, the same inputs.
"""

import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Literal

from tests.fuzz.class_mutation import Entries, Entry, changed_jar, packed_again

Shape = Literal["json", "lines", "zip", "jar"]
"""What is known of the structure of a target's seeds."""

LONGEST = 200_000
"""Bytes of an input at most: a limit on each keeps the number of inputs high."""

HOSTILE: tuple[str, ...] = (
    *json.loads(Path(__file__).with_name("hostile.json").read_bytes()),
    *("é" * 100, "a." * 2_000, "((((" * 500),
)
"""Texts that mean something to Markdown, HTML, a terminal, GitHub's runner, or a shell."""

NUMBERS = (
    "0", "-0", "-1", "1e-320", "1e308", "1e999", "-1e999", "NaN", "Infinity", "1" * 400, "0x10",
    "1_0", "٣", "²", "2147483648", "9223372036854775808", "18446744073709551616", "0.1e-400", "1.",
)  # fmt: skip

MOST_PLACES = 50_000
"""Values of a JSON text of which some are changed; two lists that grew would have millions."""

_RAW = "raw number "
"""Marks, within a JSON text, a number that `json.dumps` would not write."""


def mutate(chance: Random, seeds: Sequence[bytes], shape: Shape) -> bytes:
    """Return one changed seed."""
    data = chance.choice(seeds)
    if shape == "zip":
        data = _changed_archive(chance, data)
    elif shape == "jar" and chance.random() < 0.8:
        data = changed_jar(chance, data)
    elif shape == "jar":
        data = _repeated(chance, (_change_bytes,), data, seeds)
    elif shape == "json" and chance.random() < 0.7:
        data = _changed_json(chance, data, seeds)
    elif chance.random() < 0.6:
        data = _repeated(chance, _LINE_CHANGES, data, seeds)
    if chance.random() < (0.1 if shape == "jar" else 0.4) or data in seeds:
        data = _repeated(chance, (_change_bytes,), data, seeds)
    return data[:LONGEST]


Change = Callable[[Random, bytearray, Sequence[bytes]], None]


def _repeated(
    chance: Random, changes: Sequence[Change], data: bytes, seeds: Sequence[bytes]
) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        chance.choice(changes)(chance, changed, seeds)
    return bytes(changed)


def _change_bytes(chance: Random, data: bytearray, seeds: Sequence[bytes]) -> None:
    """Change a byte or a bit, cut something out or off, put in a text or a piece."""
    start, what = chance.randint(0, len(data)), chance.randrange(7)
    if what == 0:
        data[start : start + 1] = chance.randbytes(1)
    elif what == 1 and start < len(data):
        data[start] ^= 1 << chance.randrange(8)
    elif what == 2:
        del data[start : start + chance.choice((1, 2, 5, 20, 200))]
    elif what == 3:
        del data[start:]
    elif what == 4:
        data[start:start] = _token(chance)
    elif what == 5:  # again, sometimes very often: what takes time in square shows here
        piece = data[start : start + chance.choice((1, 2, 10, 100))]
        data[start:start] = (piece * chance.choice((2, 2, 3, 50, 2_000)))[:LONGEST]
    else:
        other, length = chance.choice(seeds), chance.choice((4, 40, 400, 4_000))
        begin = chance.randint(0, len(other))
        data[start : start + length] = other[begin : begin + length]


def _token(chance: Random) -> bytes:
    token = chance.choice(HOSTILE if chance.random() < 0.6 else NUMBERS)
    return token.encode(errors="surrogatepass")


def _change_lines(chance: Random, data: bytearray, seeds: Sequence[bytes]) -> None:
    """Drop, double, move or exchange a line, or take one from another seed."""
    lines = data.split(b"\n")
    index = chance.randrange(len(lines))
    what = chance.randrange(5)
    if what == 0:
        del lines[index]
    elif what == 1:
        times = chance.choice((1, 1, 2, 500))
        lines[index:index] = [lines[index]] * times
    elif what == 2:
        lines.insert(chance.randrange(len(lines)), lines.pop(index))
    elif what == 3:
        lines.insert(index, bytearray(chance.choice(chance.choice(seeds).split(b"\n"))))
    else:
        lines[index] = bytearray(lines[index].lstrip() if chance.random() < 0.5 else b"  ")
    data[:] = b"\n".join(lines)


def _change_word(chance: Random, data: bytearray, _: Sequence[bytes]) -> None:
    """Put something else in place of one word of one line."""
    lines = data.split(b"\n")
    index = chance.randrange(len(lines))
    words = lines[index].split(b" ")
    words[chance.randrange(len(words))] = bytearray(_token(chance))
    lines[index] = bytearray(b" ".join(words))
    data[:] = b"\n".join(lines)


_LINE_CHANGES: Sequence[Change] = (_change_lines, _change_word, _change_word)


def _changed_json(chance: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Change some values, keys or lists of a JSON text, or of one line of JSON lines."""
    lines = data.split(b"\n")
    try:
        document = json.loads(data)
        index = -1
    except ValueError:
        index = chance.randrange(len(lines))
        try:
            document = json.loads(lines[index])
        except ValueError:
            return data
    try:
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            document = _change_value(chance, document)
        text = json.dumps(document, ensure_ascii=chance.random() < 0.8)
    except (RecursionError, MemoryError):  # nested or grown twice, each time far
        return b"[" * 50_000
    for number in NUMBERS:
        text = text.replace(f'"{_RAW}{number}"', number)
    changed = text.encode(errors="surrogatepass")
    if index < 0:
        return changed
    lines[index] = changed
    return b"\n".join(lines)


def _change_value(chance: Random, document: Any) -> Any:
    places = list(_places(document))
    if not places:
        return _odd(chance, document)
    container, key = chance.choice(places)
    what = chance.randrange(8)
    if what == 0:
        del container[key]
    elif what == 1:
        other, inner = chance.choice(places)
        container[key] = json.loads(json.dumps(other[inner]))
    elif what == 2 and isinstance(container, list):
        times, size = chance.choice((1, 2, 40, 1_000)), len(json.dumps(container[key]))
        container[key:key] = [container[key]] * min(times, LONGEST // size)
    elif what == 3 and isinstance(container, dict):
        container[_text(chance, key)] = container.pop(key)
    elif what == 4 and isinstance(container[key], str):
        container[key] = _text(chance, container[key])
    else:
        container[key] = _odd(chance, container[key])
    return document


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every (container, key) of a JSON value, from the top on, as far as there is room."""
    waiting = [(document, key) for key in reversed(_keys(document))]
    for _ in range(MOST_PLACES):
        if not waiting:
            return
        container, key = waiting.pop()
        yield container, key
        inner = container[key]
        waiting += [(inner, below) for below in reversed(_keys(inner))]


def _keys(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value))) if isinstance(value, list) else []


def _text(chance: Random, text: str) -> str:
    """Put a hostile text into another one."""
    start = chance.randint(0, len(text))
    return text[:start] + chance.choice(HOSTILE) + text[start:]


def _odd(chance: Random, value: Any) -> Any:
    """Return a value that hardly anybody expects in the place of `value`."""
    kind = chance.randrange(10)
    if kind < 3:
        return _RAW + chance.choice(NUMBERS)
    if kind == 3:
        return chance.choice(
            (None, True, False, 0, -1, 1, 2, 0.5, 10**6, "", [], {}, [[]], {"": 0})
        )
    if kind == 4:
        return [value]
    if kind == 5:
        return {"a": value}
    if kind == 6:
        return str(value)[:1_000]
    if kind == 7:
        nested: Any = value
        for _ in range(chance.choice((3, 60, 600))):
            nested = [nested]
        return nested
    return chance.choice(HOSTILE)


_NAMES = ("base.json", "../head.json", "/etc/passwd", "a\\b", "HEAD.JSON", "head.json/", "nul\x00")


def _changed_archive(chance: Random, data: bytes) -> bytes:
    """Pack the files of a seed again, some of them changed, renamed or doubled."""

    def changed(entries: Entries) -> Iterator[Entry]:
        for entry, content in entries * chance.choice((1, 1, 1, 2, 30)):
            name = entry.filename if chance.random() < 0.7 else chance.choice(_NAMES)
            again = zipfile.ZipInfo(name)
            again.external_attr = chance.choice((0, 0, 0, 0o120777 << 16, 0o40755 << 16, 0x10))
            again.compress_type = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
            body = _repeated(chance, (_change_bytes,), content, [content])
            yield again, body * chance.choice((1, 1, 1, 100))

    return data if chance.random() < 0.4 else packed_again(data, changed)

"""Jars that are nearly real: constants, instructions, attributes and names in them are changed."""

import io
import warnings
import zipfile
from collections.abc import Callable, Iterable, Sequence
from random import Random

_WIDTHS = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 15: 3, 16: 2, 19: 2, 20: 2}
_MANY = 4
_UTF8, _WIDE = 1, (5, 6)
_HEADER = 10

_TEXTS = (
    b"Code", b"BootstrapMethods", b"InnerClasses", b"NestHost", b"LineNumberTable", b"Unknown",
    b"LocalVariableTable", b"StackMapTable", b"SourceFile", b"ConstantValue", b"Record",
    b"java/lang/Object", b"java/lang/Enum", b"suite/Work", b"suite/Shape", b"suite/Bench", b"[",
    b"[[Lsuite/Work;", b"<init>", b"<clinit>", b"()V", b"(((", b"(Lsuite/Work;)Ljava/lang/Class;",
    b"", b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"getClass", b"forName", b"L;", b"a\nb\x1b[31m",
)  # fmt: skip
"""Names that mean something in a class file, in place of others."""

_WORDS = (0, 1, 2, 7, 0x7F, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF)
_INSTRUCTIONS = (0x12, 0x13, 0xAA, 0xAB, 0xB2, 0xB6, 0xB8, 0xB9, 0xBA, 0xBB, 0xC4, 0xC5, 0xC8, 0xCA)


_CLASS = b"\xca\xfe\xba\xbe"
_ENTRIES = (
    "META-INF/INDEX.LIST", "META-INF/versions/9/suite/Work.class", "suite/Work.class/", "suite/",
    "meta-inf/manifest.mf", "suite/Work.class\0", "META-INF/A.SF", "../x",
    "suite/Wörk.class", "a\nb",
)  # fmt: skip
_LINES = (
    b"Class-Path: . lib/ ../", b"Class-Path: http://x/y.jar file:/no.jar %00", b"Multi-Release: no",
    b"suite.Work", b"inline,*.*", b"#", b": ", b" x", b"Class-Path: theirs.jar ours.jar \xff",
)  # fmt: skip


Entry = tuple[zipfile.ZipInfo, bytes]
Entries = list[Entry]


def packed_again(data: bytes, changed: Callable[[Entries], Iterable[Entry]]) -> bytes:
    """Pack an archive again, its entries changed."""
    packed = io.BytesIO()
    with (
        warnings.catch_warnings(action="ignore"),  # zipfile's, about two files of one name
        zipfile.ZipFile(io.BytesIO(data)) as seed,
        zipfile.ZipFile(packed, "w") as archive,
    ):
        for entry, content in changed([(one, seed.read(one)) for one in seed.infolist()]):
            archive.writestr(entry, content)
    return packed.getvalue()


def changed_jar(chance: Random, data: bytes) -> bytes:
    """Pack a jar again, with some entries changed, renamed, doubled or left out."""

    def changed(entries: Entries) -> Iterable[Entry]:
        named = [(entry.filename, content) for entry, content in entries]
        for _ in range(chance.choice((1, 1, 2, 3))):
            index = chance.randrange(len(named))
            named[index : index + 1] = _changed_entry(chance, *named[index])
            chance.shuffle(named)
            if not named:
                break
        return [(zipfile.ZipInfo(name), content) for name, content in named]

    return packed_again(data, changed)


def _changed_entry(chance: Random, name: str, content: bytes) -> list[tuple[str, bytes]]:
    what = chance.randrange(10)
    if what == 0:
        return []
    if what == 1:
        return [(chance.choice(_ENTRIES), content)]
    if content.startswith(_CLASS):
        changed = changed_class(chance, content)
    else:
        lines = content.split(b"\n")
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(_LINES))
        changed = b"\n".join(lines)
    return [(name, content), (name, changed)] if what == 2 else [(name, changed)]


def changed_class(chance: Random, data: bytes) -> bytes:
    """Change some places of a class file; one that is none is left as it is."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5))):
        starts, end = _pool(changed)
        if starts:
            _change(chance, changed, starts, end)
    return bytes(changed)


def _pool(data: bytearray) -> tuple[list[int], int]:
    """Return where constants begin, with their tags, and where the last one ends."""
    starts, position, place = list[int](), _HEADER, 1
    count = int.from_bytes(data[8:10], "big")
    while place < count and position + 3 < len(data):
        starts.append(position)
        tag = data[position]
        length = int.from_bytes(data[position + 1 : position + 3], "big")
        position += 3 + length if tag == _UTF8 else 1 + _WIDTHS.get(tag, _MANY)
        place += 2 if tag in _WIDE else 1
    return starts, min(position, len(data))


def _put(data: bytearray, start: int, value: int) -> None:
    data[start : start + 2] = value.to_bytes(2, "big")


def _change(chance: Random, data: bytearray, starts: Sequence[int], end: int) -> None:
    """Change a reference, a kind, a name, or a word or an instruction behind the constants."""
    what = chance.randrange(6)
    if what == 0:
        start = chance.choice([one for one in starts if data[one] not in (_UTF8, *_WIDE)] or starts)
        place = chance.choice((chance.randrange(len(starts) + 2), chance.choice(_WORDS)))
        _put(data, start + chance.choice((1, 1, 3)), place)
    elif what == 1:
        data[chance.choice(starts)] = chance.randrange(22)
    elif what == 2:
        start = chance.choice([one for one in starts if data[one] == _UTF8] or [end])
        length = int.from_bytes(data[start + 1 : start + 3], "big")
        text = chance.choice(_TEXTS)
        data[start + 1 : start + 3 + length] = len(text).to_bytes(2, "big") + text
    elif what == 3 and end < len(data):
        data[chance.randrange(end, len(data))] = chance.choice(_INSTRUCTIONS)
    elif end + 2 < len(data):
        value = chance.choice((chance.randrange(len(starts) + 2), chance.choice(_WORDS)))
        _put(data, chance.randrange(end, len(data) - 1), value)

"""Untrusted archives are read within limits or rejected in one sentence."""

import io
import stat
import struct
import warnings
import zipfile
from collections.abc import Iterable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.errors import InputError
from steady.github.artifacts import Limits, read_entries
from tests.looped import looped

NAMES = ("base.json", "head.json", "environment.json")
SMALL = Limits(archive=2**16, entry=3 * 2**20, total=5 * 2**20, ratio=100)

Entry = tuple[str | zipfile.ZipInfo, bytes]


def packed(entries: Iterable[Entry], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive of `entries`."""
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", compression) as archive:
        warnings.simplefilter("ignore")  # on duplicate names
        for name, content in entries:
            archive.writestr(name, content)
    return stream.getvalue()


def special(name: str, kind: int) -> zipfile.ZipInfo:
    """Return an entry that is not a regular file."""
    info = zipfile.ZipInfo(name)
    info.external_attr = (kind | 0o777) << 16
    return info


def flagged(data: bytes, flag: int) -> bytes:
    """Set a flag of the first entry, in its own header and in the directory's."""
    changed = bytearray(data)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = changed.index(mark) + offset
        [flags] = struct.unpack_from("<H", changed, place)
        struct.pack_into("<H", changed, place, flags | flag)
    return bytes(changed)


def of_entries(names: list[bytes]) -> bytes:
    """Return an archive's directory alone, with entries of these names, all of one length."""
    length = len(names[0])
    entry = b"PK\x01\x02" + struct.pack("<4B4H3L5H2L", 20, 3, 20, *[0] * 8, length, *[0] * 6)
    directory = b"".join(entry + name for name in names)
    counts = (0, 0, len(names), len(names), len(directory), 0, 0)
    return directory + b"PK\x05\x06" + struct.pack("<4H2LH", *counts)


def overlapping() -> bytes:
    """Return an archive whose two entries share their data."""
    changed = bytearray(packed([("base.json", b"x" * 9), ("head.json", b"x" * 9)]))
    second = changed.index(b"PK\x01\x02", changed.index(b"PK\x01\x02") + 1)
    struct.pack_into("<I", changed, second + 42, 0)
    return bytes(changed)


def test_allowed_entries_are_read() -> None:
    data = packed([("head.json", b"[2]"), ("base.json", b"[1]")])
    assert list(read_entries(data, NAMES, "it").items()) == [
        ("base.json", b"[1]"),
        ("head.json", b"[2]"),
    ]
    stored = packed([("base.json", b"[1]")], zipfile.ZIP_STORED)
    assert read_entries(stored, NAMES, "it") == {"base.json": b"[1]"}
    assert read_entries(packed([]), NAMES, "it") == {}


@looped("name", [
    "../base.json", "a/../../base.json", "/etc/passwd", "C:/base.json", "C:base.json",
    "results/base.json", "./base.json", "base.json/", "Base.json", "inner.zip", "base.json.gz",
    "NUL", "base.json ", "ｂase.json", "\u202ebase.json", "@everyone\n::set-output name=a::b",
    "a" * 5000,
])  # fmt: skip
def test_unexpected_names_are_rejected(name: str) -> None:
    with pytest.raises(InputError) as caught:
        read_entries(packed([("base.json", b"[]"), (name, b"")]), NAMES, "it")
    assert "is unexpected" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@looped(
    ("data", "words"),
    [
        (packed([("..?base.json", b"")]).replace(b"..?", b"..\\"), "is unexpected"),
        (packed([("base.json?x", b"")]).replace(b"?x", b"\0x"), "is unexpected"),
        (of_entries([b""]), "is unexpected"),
        (packed([("base.json", b"1"), ("base.json", b"2")]), "is in the archive twice"),
        (packed([(special("base.json", stat.S_IFLNK), b"/etc/passwd")]), "is a link"),
        (packed([(special("base.json", stat.S_IFIFO), b"")]), "is not a plain file"),
        (packed([(special("base.json", stat.S_IFDIR), b"")]), "is not a plain file"),
        (flagged(packed([("base.json", b"1")]), 0x1), "is encrypted"),
        (flagged(packed([("base.json", b"1")]), 0x40), "is encrypted"),
        (packed([("base.json", b"1")], zipfile.ZIP_LZMA), "has an unsupported compression"),
        (packed([("base.json", b"1")], zipfile.ZIP_BZIP2), "has an unsupported compression"),
        (overlapping(), "is not a zip archive, or is damaged"),
        (b"", "is not a zip archive"),
        (b"PK\x05\x06" + b"\xff" * 18, "is not a zip archive"),
        (b"<html>no archive</html>", "is not a zip archive"),
        (packed([("base.json", b"1" * 500)])[:-30], "is not a zip archive"),
    ],
)
def test_invalid_archives_are_rejected(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_entries(data, NAMES, "it")


def test_too_many_entries_are_rejected_before_listing() -> None:
    data = of_entries([b"%05d" % number for number in range(1_000)])
    assert len(zipfile.ZipFile(io.BytesIO(data)).namelist()) == 1_000
    with pytest.raises(InputError, match="contains more than the 3 files allowed"):
        read_entries(data, NAMES, "it")


@looped(
    ("sizes", "which"),
    [({"base.json": 4 * 2**20}, "base"), (dict.fromkeys(NAMES[:2], 3 * 2**20 - 1), "head")],
)
def test_zip_bombs_are_rejected(sizes: dict[str, int], which: str) -> None:
    data = packed((name, b"0" * size) for name, size in sizes.items())
    with pytest.raises(InputError, match=f"'{which}.json' is too large when unpacked"):
        read_entries(data, NAMES, "it", Limits(2**16, SMALL.entry, SMALL.total, 10**6))


def test_the_compression_ratio_refers_to_the_downloaded_size() -> None:
    data = packed([("base.json", b"0" * (2 * 2**20))])
    with pytest.raises(InputError, match="and 100 times the archive"):
        read_entries(data, NAMES, "it", SMALL)
    padded = packed([("base.json", b"0" * (2 * 2**20)), ("head.json", bytes(range(256)) * 90)], 0)
    assert len(padded) > SMALL.archive
    with pytest.raises(InputError, match=r"is larger than 0\.0625 MiB"):
        read_entries(padded, NAMES, "it", SMALL)


def test_false_sizes_in_headers_are_ignored() -> None:
    honest = packed([("base.json", b"0" * (4 * 2**20))])
    size = struct.pack("<I", 4 * 2**20)
    assert honest.count(size) == 2
    with pytest.raises(InputError):
        read_entries(honest.replace(size, struct.pack("<I", 5)), NAMES, "it", SMALL)
    swollen = packed([("base.json", b"[]")]).replace(struct.pack("<II", 4, 2), b"\xff" * 8)
    with suppress(InputError):
        assert read_entries(swollen, NAMES, "it", SMALL) == {"base.json": b"[]"}


VALID = packed([("base.json", b"[1, 2, 3]" * 20), ("head.json", b"[4]")])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(VALID) - 1), st.integers(0, 255)), max_size=6))
def test_damaged_archives_are_rejected(changes: list[tuple[int, int]]) -> None:
    data = bytearray(VALID)
    for place, value in changes:
        data[place] = value
    with suppress(InputError):
        entries = read_entries(bytes(data), NAMES, "it", SMALL)
        assert entries.keys() <= set(NAMES)

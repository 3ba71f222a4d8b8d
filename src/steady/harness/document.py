"""A result file in memory: its text up to a size limit, and its JSON."""

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from steady import safe_open
from steady.errors import InputError
from steady.files import decode_json, raw_items
from steady.harness.fields import Field

SIZE_LIMIT = 512 * 2**20
"""Largest size of a file, in bytes after decompression."""

_ASCII = re.compile(rb"[\t\n\r -~]{32}")
"""Bytes that text in UTF-16 never contains, except for 16 rare characters in a row."""

_LONGEST_TOKEN = 32
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class Document:
    """One file in memory.

    Parameters
    ----------
    path : Path
        Path as the user wrote it.
    text : str
        Its text; bytes that are not UTF-8 become U+FFFD.
    bad_byte : int, optional
        Position of the first byte that is not UTF-8.
    """

    path: Path
    text: str
    bad_byte: int | None = None

    @property
    def source(self) -> str:
        """The file's name in messages."""
        return str(self.path)

    @cached_property
    def data(self) -> object:
        """The file's JSON value.

        Control characters inside strings are allowed, because JMH up to 1.2x breaks lines after
        the commas of parameter values; so are ``NaN`` and ``Infinity``, which other tools write.

        Raises
        ------
        InputError
            If the file is empty, not UTF-8, not JSON, cut off or nested too deeply.
        """
        if self.bad_byte is not None:
            raise InputError(
                "is not text in UTF-8; give the file as the benchmark harness wrote it",
                source=self.source,
                where=f"byte {self.bad_byte}",
            )
        if not self.text.strip():
            why = "is empty, so the run that wrote it was killed: see its log and run it again"
            if not self.source.removesuffix(".gz").endswith(".txt"):
                why = (
                    "is empty; many harnesses write their results only when the whole run is over, "
                    "so this run was killed, or stopped by an error: see its log and run it again"
                )
            raise InputError(why, source=self.source)
        try:
            return decode_json(self.text, lenient=True)
        except json.JSONDecodeError as error:
            raise self._not_json(error) from None
        except RecursionError:
            raise InputError(
                "is nested far deeper than any result file; give the harness's own JSON",
                source=self.source,
            ) from None
        except ValueError as error:
            raise InputError(
                f"holds {error}; give the harness's own JSON", source=self.source
            ) from None

    def is_marked(self, mark: str) -> bool:
        """Return whether the file is a JSON object with the key."""
        try:
            return isinstance(self.data, dict) and mark in self.data
        except InputError:
            return False

    def items(self) -> Iterator[object]:
        """Yield the items of the file's JSON list.

        All items at once, as in `data`, take five times the memory of the file.

        Raises
        ------
        InputError
            As for `data`.
        """
        if self.bad_byte is not None or (items := raw_items(self.text)) is None:
            yield from Field(self.data, self.source).array()
            return
        try:
            for item in items:
                yield decode_json(item, lenient=True)
        except (ValueError, RecursionError):
            self.data  # noqa: B018 - raises the error, with its position
            raise

    def _not_json(self, error: json.JSONDecodeError) -> InputError:
        where = f"line {error.lineno}, column {error.colno}"
        # If a file was cut off, at most one incomplete number or word comes before the end.
        rest = self.text[error.pos :].rstrip()
        cut_off = len(rest) <= _LONGEST_TOKEN and not rest.endswith(("]", "}"))
        if error.pos > 0 and (cut_off or error.msg.startswith("Unterminated string")):
            problem = (
                "the JSON ends in the middle: the file was cut off; "
                "copy it again, or run the benchmarks again"
            )
        else:
            problem = f"is not JSON ({error.msg}); give the file that the harness wrote"
        return InputError(problem, source=self.source, where=where)


def open_document(path: Path, limit: int = SIZE_LIMIT, *, within: Path | None = None) -> Document:
    """Read one file, and unpack it if its first bytes are those of gzip.

    Parameters
    ----------
    path : Path
        The file.
    limit : int
        Largest size in bytes, after decompression.
    within : Path, optional
        The folder that it must lie in (`steady.safe_open.open_untrusted`).

    Raises
    ------
    InputError
        If the file cannot be read, is damaged, or is larger than `limit` bytes.
    """
    try:
        with safe_open.open_untrusted(path, within) as file:
            content = _read(file, path, limit)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot be read ({reason})", source=path) from None
    if len(content) > limit:
        raise InputError(
            f"is larger than {limit / 2**20:g} MiB, the largest size that is read; split the run "
            "into several result files",
            source=path,
        )
    return _decode(path, content)


def _read(file: BinaryIO, path: Path, limit: int) -> bytes:
    start = file.read(len(_GZIP_MAGIC))
    if start != _GZIP_MAGIC:
        return start + file.read(max(0, limit + 1 - len(start)))
    file.seek(0)
    try:
        with gzip.GzipFile(fileobj=file) as unpacked:
            return unpacked.read(limit + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"is a damaged gzip file ({error}); copy it again", source=path) from None


def _decode(path: Path, content: bytes) -> Document:
    utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # PowerShell's `>`
    encoding = "utf-16" if utf16 else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        return Document(path, content.decode(encoding, errors="replace"), bad_byte=error.start)
    if "\0" in text or (utf16 and _ASCII.search(content)):  # PowerShell's `>>` on another file
        raise InputError(
            "contains text in two encodings, UTF-8 and UTF-16, or in UTF-16 without a byte order "
            "mark; write it again in UTF-8 (in PowerShell: `| Out-File -Encoding utf8`)",
            source=path,
        )
    return Document(path, text)

"""Reads JMH's list of benchmarks, ``META-INF/BenchmarkList``, from a jar."""

import lzma
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from steady import safe_open
from steady.errors import InputError
from steady.files import ARCHIVE_DAMAGE
from steady.harness.fields import quoted
from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry, UnknownFormatError

LIST = "META-INF/BenchmarkList"

_SIZE_LIMIT = 64 * 2**20
"""Maximum size of the list in bytes: that of some hundred thousand benchmarks."""


@contextmanager
def open_jar(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a jar; within the context, errors of reading it are raised as InputError.

    Raises
    ------
    InputError
        If the file is unreadable, or not a jar.
    """
    try:
        with safe_open.open_untrusted(path) as file, zipfile.ZipFile(file) as jar:
            yield jar
    except InputError:  # a ValueError, which the last clause would catch
        raise
    except OSError as error:
        if error.strerror is None:  # bzip2's error for damaged data
            raise _damaged(error, path) from None
        raise InputError(
            f"cannot be read ({error.strerror}); give the benchmarks' jar", source=path
        ) from None
    except (*ARCHIVE_DAMAGE, lzma.LZMAError) as error:
        raise _damaged(error, path) from None


def entry_of(jar: zipfile.ZipFile, name: str, limit: int) -> bytes | None:
    """Return the first `limit` bytes of an entry; None if the jar has no such entry."""
    if name not in jar.namelist():
        return None
    with jar.open(name) as file:
        return file.read(limit)


def list_of_jar(path: Path) -> bytes:
    """Return the list of benchmarks in a jar.

    Raises
    ------
    InputError
        If the file is unreadable, not a jar, or contains no list.
    """
    with open_jar(path) as jar:
        content = entry_of(jar, LIST, _SIZE_LIMIT + 1)
    if content is None:
        raise InputError(
            f"contains no {LIST}; give a jar that was built with JMH's annotation processor, "
            "usually target/benchmarks.jar",
            source=path,
        )
    if len(content) > _SIZE_LIMIT:
        raise InputError(
            f"its list of benchmarks is larger than {_SIZE_LIMIT // 2**20} MiB", source=path
        )
    return content


def lines_of_list(benchmark_list: bytes) -> list[BenchmarkListEntry | str]:
    """Return the records, and as strings the text between them: comments and line ends.

    Raises
    ------
    UnknownFormatError
        If a line is not in the format of JMH 1.19 to 1.37; the message names the line.
    """
    try:
        text = benchmark_list.decode()
    except UnicodeDecodeError:
        raise UnknownFormatError("it is not UTF-8 text") from None
    lines: list[BenchmarkListEntry | str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if number > 1:
            lines.append("\n")
        body = line.removesuffix("\r")
        if body.startswith("#") or not body.strip():
            lines.append(line)
            continue
        try:
            lines.append(BenchmarkListEntry.parse(body))
        except UnknownFormatError as error:
            raise UnknownFormatError(f"line {number}: {error}") from None
        lines.append(line[len(body) :])
    return lines


def first_records(
    lines: Iterable[BenchmarkListEntry | str],
) -> Mapping[str, Mapping[str, BenchmarkListEntry]]:
    """Return the records by name and mode: like JMH, the first if there are several."""
    records: dict[str, dict[str, BenchmarkListEntry]] = {}
    for line in lines:
        if isinstance(line, BenchmarkListEntry):
            records.setdefault(line.name, {}).setdefault(line.mode, line)
    return records


def _damaged(error: Exception, path: Path) -> InputError:
    # The message of zipfile may quote the archive, and has no maximum length.
    reason = quoted(str(error), 120)[1:-1]
    return InputError(
        f"is not a jar, or is damaged ({reason}); give the benchmarks' jar", source=path
    )

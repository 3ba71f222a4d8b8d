"""JMH's list of benchmarks, out of a jar or as a file."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

from steady.errors import InputError

LIST = "META-INF/BenchmarkList"

_SIZE_LIMIT = 64 * 2**20
"""Bytes; some hundred thousand benchmarks."""


def list_of_jar(path: Path) -> bytes:
    """Return the list that a jar holds.

    Raises
    ------
    InputError
        If the jar cannot be read, is none, or holds no list.
    """
    try:
        with zipfile.ZipFile(path) as jar, jar.open(LIST) as file:
            content = file.read(_SIZE_LIMIT + 1)
    except KeyError:
        raise InputError(
            f"holds no {LIST}; give the jar that JMH's annotation processor was run for, "
            "usually target/benchmarks.jar",
            source=path,
        ) from None
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror}); give the benchmarks' jar", source=path
        ) from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise InputError(
            f"is no jar, or a damaged one ({error}); give the benchmarks' jar", source=path
        ) from None
    return _limited(content, path)


def list_file(path: Path) -> bytes:
    """Return a list that is a file of its own.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return _limited(file.read(_SIZE_LIMIT + 1), path)
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror}); give JMH's {LIST}", source=path
        ) from None


def _limited(content: bytes, path: Path) -> bytes:
    if len(content) > _SIZE_LIMIT:
        raise InputError(
            f"its list of benchmarks is larger than {_SIZE_LIMIT // 2**20} MiB", source=path
        )
    return content

"""JMH's list of benchmarks, out of a jar or as a file."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

from steady.errors import InputError

LIST = "META-INF/BenchmarkList"

_SIZE_LIMIT = 64 * 2**20
"""Bytes; some hundred thousand benchmarks."""


def read_benchmark_list(source: bytes | str | Path | None) -> bytes | None:
    """Return the list.

    Parameters
    ----------
    source : bytes or path-like, optional
        The list itself, a jar that holds it, or a file that is it.

    Returns
    -------
    bytes or None
        None where there is no `source`.

    Raises
    ------
    InputError
        If the file cannot be read, or is a jar without a list.
    """
    if source is None or isinstance(source, bytes):
        return source
    path = Path(source)
    try:
        if not zipfile.is_zipfile(path):
            return _limited(path.read_bytes(), path)
        with zipfile.ZipFile(path) as jar, jar.open(LIST) as file:
            return _limited(file.read(_SIZE_LIMIT + 1), path)
    except KeyError:
        raise InputError(
            f"holds no {LIST}; give the jar that JMH's annotation processor was run for, "
            "usually target/benchmarks.jar",
            source=path,
        ) from None
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"cannot be read ({reason}); expected the benchmarks' jar", source=path
        ) from None


def _limited(content: bytes, path: Path) -> bytes:
    if len(content) > _SIZE_LIMIT:
        raise InputError(
            f"its list of benchmarks is larger than {_SIZE_LIMIT // 2**20} MiB", source=path
        )
    return content

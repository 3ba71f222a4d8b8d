"""Write files completely or not at all, and read JSON from untrusted files."""

from __future__ import annotations

import json
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema

from steady.errors import InputError

ARCHIVE_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    OverflowError,
    RuntimeError,  # its subclass too, for an entry in a format that Python cannot unpack
    ValueError,
)
"""What `zipfile` raises, apart from OSError, for a file that is not an archive or is damaged."""


def is_text(text: str) -> bool:
    """Tell whether `text` can be written to a file, which half a character cannot (a surrogate)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def write_text(path: str | Path, text: str) -> Path:
    r"""Write `text` as UTF-8 with Unix line ends; an existing file is replaced or left as it was.

    UTF-8 cannot encode half a character (a lone surrogate, as in the name of a file that is not
    UTF-8). It is written as ``\udc80``, as in JSON, so that nothing is lost.

    Raises
    ------
    InputError
        If the file or its folder cannot be written.
    """
    return write_bytes(path, text.encode(errors="backslashreplace"))


def write_bytes(path: str | Path, data: bytes, *, mode: int = 0o644) -> Path:
    """Write `data` to a file beside `path` first, then rename that file; see `write_text`."""
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:50]}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            temporary.chmod(mode)
            temporary.replace(target)
        except BaseException:  # Ctrl-C too leaves nothing behind
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror}); choose a folder that you may write to",
            source=target,
        ) from None
    return target


def read_json(path: str | Path, schema: Mapping[str, Any], *, what: str, remedy: str) -> Any:
    """Read a JSON file and check it against its schema.

    Parameters
    ----------
    path : path-like
        The file.
    schema : mapping
        JSON schema that it must obey.
    what : str
        What the file should be: ``"a steady plan"``.
    remedy : str
        What the user can do about a bad one: ``"make it anew with steady optimize"``.

    Raises
    ------
    InputError
        If the file is missing, not JSON, or not what the schema says.
    """
    source = Path(path)
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror}); expected {what}: {remedy}", source=source
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"is not UTF-8 text; expected {what}: {remedy}", source=source) from None
    return parse_json(text, schema, what=what, remedy=remedy, source=source)


def parse_json(
    text: str,
    schema: Mapping[str, Any],
    *,
    what: str,
    remedy: str,
    source: str | Path | None = None,
) -> Any:
    """Parse JSON text and check it against its schema; see `read_json`."""
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(
            f"is not complete JSON ({error.msg}); expected {what}: {remedy}",
            source=source,
            where=f"line {error.lineno}",
        ) from None
    except (ValueError, RecursionError):
        raise InputError(f"is not JSON; expected {what}: {remedy}", source=source) from None
    try:
        found = jsonschema.Draft202012Validator(schema).iter_errors(data)
        fault = jsonschema.exceptions.best_match(found)
        if fault is not None:
            raise InputError(
                f"{_shorten(fault.message)}; expected {what}: {remedy}",
                source=source,
                where=fault.json_path,
            )
    except RecursionError:  # in the schema's own recursion, or in a message that shows the value
        raise InputError(
            f"is nested far too deeply; expected {what}: {remedy}", source=source
        ) from None
    return data


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _shorten(message: str, limit: int = 200) -> str:
    return message if len(message) <= limit else message[: limit - 1] + "…"

"""Atomic writing of files, and reading and writing of JSON by declared types."""

import errno
import json
import os
import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from steady import safe_open
from steady.errors import InputError

T = TypeVar("T")


class NumberTooLargeError(ValueError):
    """Raised for a number that is too large; the message contains it."""


ARCHIVE_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    OverflowError,
    RuntimeError,  # also for unsupported compression and encrypted members
    ValueError,
)
"""Exceptions that `zipfile` raises, apart from OSError, for invalid or damaged archives."""


def is_text(text: str) -> bool:
    """Return whether `text` can be encoded as UTF-8, that is, has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def write_text(path: str | Path, text: str) -> Path:
    r"""Write `text` as UTF-8 with Unix line ends, replacing an existing file atomically.

    UTF-8 cannot encode lone surrogates, which occur in file names that are not UTF-8. They are
    written as ``\udc80``, as in JSON, so that no information is lost.

    Raises
    ------
    InputError
        If the file or its folder cannot be written.
    """
    return write_bytes(path, text.encode(errors="backslashreplace"))


def write_bytes(path: str | Path, data: bytes) -> Path:
    """Write `data` to a temporary file, then rename it to `path`; see `write_text`.

    A device, such as ``/dev/null``, is written directly.
    """
    target = Path(path)
    try:
        if target.is_char_device():
            with target.open("wb") as device:
                device.write(data)
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:50]}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            temporary.chmod(0o644)
            temporary.replace(target)
        except BaseException:  # clean up after Ctrl-C too
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(write_error_reason(error), source=target) from None
    return target


def write_error_reason(error: OSError) -> str:
    """Return the reason why a file cannot be written, with a remedy."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"cannot be written ({error.strerror}); free some space, and repeat the command"
    return f"cannot be written ({error.strerror}); choose a folder that you may write to"


def plain(value: object) -> Any:
    """Convert a declared type to JSON-serializable data."""
    return msgspec.to_builtins(value, enc_hook=_numpy_scalar)


def json_text(value: object, *, indent: int = 2) -> str:
    """Return `value` as indented JSON, with fields in order and numbers unrounded.

    Parameters
    ----------
    value : object
        A declared type (a frozen dataclass or a `msgspec.Struct`), or plain data.
    indent : int
        Spaces per level.
    """
    # Python formats the numbers, for compatibility with files of earlier releases.
    written = partial(json.dumps, plain(value), ensure_ascii=False, allow_nan=False)
    try:
        return msgspec.json.format(written(), indent=indent) + "\n"
    except UnicodeEncodeError:  # a lone surrogate, see `write_text`
        return written(indent=indent) + "\n"


def _numpy_scalar(value: Any) -> object:
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"a {type(value).__name__}")


def decode_json(text: str | bytes, *, lenient: bool = False) -> Any:
    """Parse JSON from any source.

    Parameters
    ----------
    text : str, or bytes in UTF-8
        JSON text.
    lenient : bool
        Whether to accept control characters in strings, and ``NaN`` and ``Infinity``, as written by
        some harnesses.

    Raises
    ------
    json.JSONDecodeError
        If it is not JSON; the exception contains the position.
    NumberTooLargeError
        If it contains a number such as ``1e999``, or one with thousands of digits.
    ValueError
        If it contains ``NaN`` or ``Infinity`` and `lenient` is false.
    RecursionError
        If it is nested too deeply.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError):
        # The standard library is four times slower, but reports the kind and place of the error.
        return json.loads(
            text,
            strict=not lenient,
            parse_float=_parse_float,
            parse_int=_parse_int,
            parse_constant=None if lenient else _refuse_constant,
        )


def raw_items(text: str) -> Iterator[bytes] | None:
    """Return the raw JSON of each item of a list, or None if `text` is not a valid list."""
    try:
        items = msgspec.json.decode(text, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return None
    return map(bytes, items)


LARGEST_JSON = 64 * 2**20
"""Maximum size of steady's own JSON files, in bytes."""


def read_json(
    path: str | Path, kind: type[T], *, what: str, remedy: str, within: Path | None = None
) -> T:
    """Read a JSON file as a declared type.

    Parameters
    ----------
    path : path-like
        The file.
    kind : type
        Type of the content: a frozen dataclass or a `msgspec.Struct`.
    what : str
        Expected content in messages: ``"a steady plan"``.
    remedy : str
        Remedy in messages: ``"make a new one with steady optimize"``.
    within : Path, optional
        Folder that must contain the file; see `steady.safe_open.open_untrusted`.

    Raises
    ------
    InputError
        If the file is missing, not JSON, of a different type, or larger than `LARGEST_JSON`.
    """
    source = Path(path)
    data = _content(source, LARGEST_JSON, what, remedy, within)
    return parse_json(data, kind, what=what, remedy=remedy, source=source)


def read_marked(
    path: Path, kind: type[T], mark: str, limit: int, *, what: str, remedy: str
) -> T | None:
    """Read one of steady's JSON files among other files; return None for other files.

    Links out of the file's folder are rejected.

    Parameters
    ----------
    path : Path
        The file.
    kind : type
        Type of the content, as in `read_json`.
    mark : str
        Key that only steady's files have.
    limit : int
        Maximum size in bytes.
    what, remedy : str
        As in `read_json`.

    Raises
    ------
    InputError
        If it cannot be read, is too large, or has a different type.
    """
    content = _content(path, limit, what, remedy, path.parent)
    try:
        text = content.decode("utf-8-sig")
        data = decode_json(text, lenient=True)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or mark not in data:
        return None
    return parse_json(text, kind, what=what, remedy=remedy, source=path)


def _content(path: Path, limit: int, what: str, remedy: str, within: Path | None) -> bytes:
    try:
        content = safe_open.read_untrusted(path, limit, within)
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
    else:
        if len(content) <= limit:
            return content
        problem = f"is larger than {limit / 2**20:g} MiB"
    raise InputError(f"{problem}; expected {what}: {remedy}", source=path)


def parse_json(
    text: str | bytes, kind: type[T], *, what: str, remedy: str, source: str | Path | None = None
) -> T:
    """Parse JSON text as a declared type; see `read_json`."""
    try:
        text = text if isinstance(text, str) else text.decode()
        return _converted(text, decode_json(text), kind)
    except json.JSONDecodeError as error:
        problem, where = f"is not complete JSON ({error.msg})", f"line {error.lineno}"
    except msgspec.ValidationError as error:
        problem, where = describe_validation_error(error)
    except NumberTooLargeError as error:
        problem, where = f"contains {error}", None
    except UnicodeDecodeError:
        problem, where = "is not UTF-8 text", None
    except (ValueError, RecursionError):
        problem, where = "is not JSON", None
    raise InputError(f"{problem}; expected {what}: {remedy}", source=source, where=where)


def describe_validation_error(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return a validation error in plain words, and its place such as ``$.changes[0]``."""
    problem, _, place = str(error).partition(" - at `")
    problem = _KINDS_NAMED.sub(_in_plain_words, problem)
    for theirs, ours in _WORDS:
        problem = problem.replace(theirs, ours)
    return _shorten(" ".join(problem.split())), _shorten(place.removesuffix("`")) or "$"


_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_KINDS_NAMED = re.compile(r"`[a-z]+(?: \| [a-z]+)*`")
_WORDS = (
    ("Object missing required field", "lacks the field"),
    ("Object contains unknown field", "contains an unknown field,"),
    ("Invalid enum value", "contains a value that is not allowed here:"),
    ("Invalid value", "contains a value that is not allowed here:"),
    ("Number out of range", "contains a number too large to be used"),
    ("Expected", "expected"),
    (", got ", ", found "),
    (" of length >= ", " with a length of at least "),
    (" of length <= ", " with a length of at most "),
    (" of length ", " with a length of "),
    (" >= 0.0", " of at least 0"),
    (" >= ", " of at least "),
    (" <= ", " of at most "),
    (" matching regex ", " that matches "),
)
"""Terms of msgspec, and their replacement in plain words."""


def _in_plain_words(kinds: re.Match[str]) -> str:
    names = kinds[0].strip("`").split(" | ")
    return " or ".join(map(_KINDS.__getitem__, names)) if _KINDS.keys() >= set(names) else kinds[0]


def _converted(text: str, data: Any, kind: type[T]) -> T:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        if "`int`, got `float`" not in str(error):
            raise
    # In JSON, 5.0 is an integer too.
    return msgspec.convert(json.loads(text, parse_float=_int_if_integral), kind)


def _parse_float(text: str) -> float:
    value = float(text)
    if value - value != 0:
        raise NumberTooLargeError(f"{_shorten(text, 40)}, a number too large to be used")
    return value


def _parse_int(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # Python rejects integers of more than 4300 digits
        raise NumberTooLargeError("a whole number with thousands of digits") from None


def _int_if_integral(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _shorten(message: str, limit: int = 200) -> str:
    return message if len(message) <= limit else message[: limit - 1] + "…"

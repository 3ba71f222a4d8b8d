"""Files, written completely or not at all, and JSON, written and read by its declared form."""

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

from steady import door
from steady.errors import InputError

T = TypeVar("T")


class BeyondAllUseError(ValueError):
    """A number that no file holds for a reason; the message names it."""


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


def write_bytes(path: str | Path, data: bytes) -> Path:
    """Write `data` to a file beside `path` first, then rename that file; see `write_text`.

    A device, such as ``/dev/null``, stays what it is.
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
        except BaseException:  # Ctrl-C too leaves nothing behind
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(why_not_written(error), source=target) from None
    return target


def why_not_written(error: OSError) -> str:
    """Say why a file cannot be written, and what to do about it."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"cannot be written ({error.strerror}); free some space, and repeat the command"
    return f"cannot be written ({error.strerror}); choose a folder that you may write to"


def plain(value: object) -> Any:
    """Return a declared type as plain data, which `json` writes: mappings, lists, texts."""
    return msgspec.to_builtins(value, enc_hook=_number_of_an_array)


def json_text(value: object, *, indent: int = 2) -> str:
    """Return `value` as indented JSON, in the order of its fields; no number is rounded.

    Parameters
    ----------
    value : object
        A declared type (a frozen dataclass or a `msgspec.Struct`), or plain data.
    indent : int
        Spaces of a level.
    """
    # Python writes the numbers: its texts of them are what all earlier releases wrote.
    written = partial(json.dumps, plain(value), ensure_ascii=False, allow_nan=False)
    try:
        return msgspec.json.format(written(), indent=indent) + "\n"
    except UnicodeEncodeError:  # half a character, see `write_text`
        return written(indent=indent) + "\n"


def _number_of_an_array(value: Any) -> object:
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"a {type(value).__name__}")


def decode_json(text: str | bytes, *, lenient: bool = False) -> Any:
    """Return the JSON value in `text`: the one parser of all files, ours and those of others.

    Parameters
    ----------
    text : str, or bytes in UTF-8
        Anything.
    lenient : bool
        Let through the control characters in texts, and the bare ``NaN`` and ``Infinity``, that
        some harnesses write.

    Raises
    ------
    json.JSONDecodeError
        If it is not JSON; it knows the place.
    BeyondAllUseError
        If it holds a number such as ``1e999``, or one of thousands of digits.
    ValueError
        If it holds ``NaN`` or ``Infinity`` and nobody is lenient.
    RecursionError
        If it is nested too deeply.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError):
        # The standard library reads it four times more slowly, and knows what is wrong, and where.
        return json.loads(
            text,
            strict=not lenient,
            parse_float=_finite,
            parse_int=_whole,
            parse_constant=None if lenient else _refuse_constant,
        )


def raw_items(text: str) -> Iterator[bytes] | None:
    """Return the JSON texts of the items of a JSON list; None where `text` is not plainly one."""
    try:
        items = msgspec.json.decode(text, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return None
    return map(bytes, items)


LARGEST_JSON = 64 * 2**20
"""Bytes of a file of ours at most."""


def read_json(
    path: str | Path, kind: type[T], *, what: str, remedy: str, within: Path | None = None
) -> T:
    """Read a JSON file of a declared form.

    Parameters
    ----------
    path : path-like
        The file.
    kind : type
        Its form: a frozen dataclass or a `msgspec.Struct`.
    what : str
        What the file should be: ``"a steady plan"``.
    remedy : str
        What the user can do about a bad one: ``"make a new one with steady optimize"``.
    within : Path, optional
        The folder that it must lie in (`steady.door.opened`).

    Raises
    ------
    InputError
        If the file is missing, not JSON, of another form, or larger than `LARGEST_JSON`.
    """
    source = Path(path)
    data = _content(source, LARGEST_JSON, what, remedy, within)
    return parse_json(data, kind, what=what, remedy=remedy, source=source)


def read_marked(
    path: Path, kind: type[T], mark: str, limit: int, *, what: str, remedy: str
) -> T | None:
    """Read a JSON file of ours that lies among files of others; None if it is one of theirs.

    It must lie in the folder itself: a link to elsewhere is refused.

    Parameters
    ----------
    path : Path
        The file.
    kind : type
        Its form, as in `read_json`.
    mark : str
        A key that only files of ours have.
    limit : int
        Its largest size in bytes.
    what, remedy : str
        As in `read_json`.

    Raises
    ------
    InputError
        If it cannot be read, is larger, or of another form.
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
        content = door.content(path, limit, within)
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
    else:
        if len(content) <= limit:
            return content
        problem = f"holds more than {limit / 2**20:g} MiB"
    raise InputError(f"{problem}; expected {what}: {remedy}", source=path)


def parse_json(
    text: str | bytes, kind: type[T], *, what: str, remedy: str, source: str | Path | None = None
) -> T:
    """Parse JSON text of a declared form; see `read_json`."""
    try:
        text = text if isinstance(text, str) else text.decode()
        return _converted(text, decode_json(text), kind)
    except json.JSONDecodeError as error:
        problem, where = f"is not complete JSON ({error.msg})", f"line {error.lineno}"
    except msgspec.ValidationError as error:
        problem, where = in_words(error)
    except BeyondAllUseError as error:
        problem, where = f"holds {error}", None
    except UnicodeDecodeError:
        problem, where = "is not UTF-8 text", None
    except (ValueError, RecursionError):
        problem, where = "is not JSON", None
    raise InputError(f"{problem}; expected {what}: {remedy}", source=source, where=where)


def in_words(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return what does not fit a declared form, in plain words, and its place: ``$.changes[0]``."""
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
    ("Object contains unknown field", "holds an unknown field,"),
    ("Invalid enum value", "holds a value that is not allowed here:"),
    ("Invalid value", "holds a value that is not allowed here:"),
    ("Number out of range", "holds a number too large to be used"),
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
"""What msgspec says, and the same in plain words."""


def _in_plain_words(kinds: re.Match[str]) -> str:
    names = kinds[0].strip("`").split(" | ")
    return " or ".join(map(_KINDS.__getitem__, names)) if _KINDS.keys() >= set(names) else kinds[0]


def _converted(text: str, data: Any, kind: type[T]) -> T:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        if "`int`, got `float`" not in str(error):
            raise
    # JSON's 5.0 is a whole number too.
    return msgspec.convert(json.loads(text, parse_float=_whole_if_it_is), kind)


def _finite(text: str) -> float:
    value = float(text)
    if value - value != 0:
        raise BeyondAllUseError(f"{_shorten(text, 40)}, a number too large to be used")
    return value


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # Python reads no whole number of more than 4300 digits
        raise BeyondAllUseError("a whole number of thousands of digits") from None


def _whole_if_it_is(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _shorten(message: str, limit: int = 200) -> str:
    return message if len(message) <= limit else message[: limit - 1] + "…"

"""Read the zip archive of an artifact as an untrusted file.

The archive's metadata is not trusted. An archive with an unexpected entry name is rejected; sizes
are counted while reading; nothing is written to disk.
"""

import io
import stat
import zipfile
from collections.abc import Collection
from dataclasses import dataclass

from steady.errors import InputError
from steady.files import ARCHIVE_DAMAGE
from steady.harness.fields import quoted

_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1 | 0x40 | 0x2000
"""Flags of an encrypted entry: traditional encryption, strong encryption, masked headers."""
_FREE_BYTES = 2**20
"""Number of bytes that is allowed at any compression ratio."""
_KNOWN_COMPRESSION = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class Limits:
    """Size limits for reading an archive.

    Parameters
    ----------
    archive : int
        Maximum size of the archive itself, in bytes.
    entry, total : int
        Maximum unpacked size of one entry, and of all entries, in bytes.
    ratio : int
        Maximum compression ratio; deflate reaches about 1,000.
    """

    archive: int = 16 * 2**20
    entry: int = 32 * 2**20
    total: int = 64 * 2**20
    ratio: int = 200


LIMITS = Limits()


def read_entries(
    data: bytes, names: Collection[str], source: str, limits: Limits = LIMITS
) -> dict[str, bytes]:
    """Unpack an archive whose entries must be among `names`.

    Parameters
    ----------
    data : bytes
        Content of the archive.
    names : collection of str
        Allowed entry names, in lower case and without folders.
    source : str
        Name of the archive in error messages.
    limits : Limits
        Size limits.

    Returns
    -------
    dict of str to bytes
        Content of each entry by name, in the order of `names`.

    Raises
    ------
    InputError
        If the archive is damaged, too large, or contains an unexpected entry.
    """
    if len(data) > limits.archive:
        raise InputError(f"is larger than {_mib(limits.archive)}", source=source)
    # Each entry of the central directory begins with this signature. Counting signatures is cheap;
    # parsing a directory of a million entries is not. In compressed data the signature occurs by
    # chance about once in 4 GiB.
    if data.count(_ENTRY) > len(names) + 4:
        problem = f"contains more than the {len(names)} files allowed"
        raise InputError(problem, source=source)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_entries(entries, names, source)
            contents = _unpacked(archive, entries, source, limits, len(data))
    except InputError:
        raise
    except (*ARCHIVE_DAMAGE, OSError):
        # The message of zipfile may quote the untrusted archive.
        raise InputError("is not a zip archive, or is damaged", source=source) from None
    return {name: contents[name] for name in names if name in contents}


def _check_entries(entries: list[zipfile.ZipInfo], names: Collection[str], source: str) -> None:
    seen: set[str] = set()
    for entry in entries:
        # zipfile truncates `filename` at a NUL byte; `orig_filename` is the stored name.
        name = entry.orig_filename
        problem = _kind_problem(entry)
        if name not in names:
            problem = f"is unexpected; only {', '.join(names)} may be in the archive"
        if name in seen:
            problem = "is in the archive twice"
        if problem:
            raise InputError(f"{quoted(name)} {problem}", source=source)
        seen.add(name)


def _kind_problem(entry: zipfile.ZipInfo) -> str:
    """Return the problem with the type of an entry, or an empty string if there is none."""
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return "is a link" if kind == stat.S_IFLNK else "is not a plain file"
    if entry.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if entry.compress_type not in _KNOWN_COMPRESSION:
        return "has an unsupported compression"
    return ""


def _unpacked(
    archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], source: str, limits: Limits, size: int
) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    room = min(limits.total, max(_FREE_BYTES, limits.ratio * size))
    for entry in entries:
        limit = min(limits.entry, room)
        with archive.open(entry) as stream:
            content = stream.read(limit + 1)
        if len(content) > limit:
            most = f"at most {_mib(limits.entry)} per file, {_mib(limits.total)} in total"
            what = f"{quoted(entry.orig_filename)} is too large when unpacked"
            raise InputError(f"{what}: {most}, and {limits.ratio} times the archive", source=source)
        room -= len(content)
        contents[entry.orig_filename] = content
    return contents


def _mib(size: int) -> str:
    return f"{size / 2**20:g} MiB"

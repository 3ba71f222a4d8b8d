"""The build information in a Go binary."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

SUFFIX = ".test"

_BUILD_INFO = b"\xff Go buildinf:"
_INLINE = 2
_TEXT_AT = 32
_LONGEST_LENGTH = 10
_MARK = 16  # bytes before and after the text
_PATH = re.compile(r"^path\t(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """The build information of a binary, since Go 1.18.

    Parameters
    ----------
    go : str
        The version of Go that built it, such as ``go1.26.0``; empty if unknown.
    text : str
        The other lines; words are separated by tabs.
    """

    go: str
    text: str

    @property
    def package(self) -> str:
        """The import path of the package that a test binary tests; empty if unknown."""
        match = _PATH.search(self.text)
        return "" if match is None else match[1].removesuffix(SUFFIX)

    @property
    def settings(self) -> Mapping[str, str]:
        """The relevant settings of the build, such as ``-trimpath`` and ``GOAMD64``."""
        rows = (row[1].partition("=") for row in self._rows("build"))
        return {name: value for name, _, value in rows if not name.startswith("vcs")}

    @property
    def modules(self) -> Mapping[str, str]:
        """The version and the hash of each linked module, by its path."""
        rows = self._rows("mod", "dep", "=>")
        return {row[1]: " ".join(row[2:]) for row in rows}

    def _rows(self, *kinds: str) -> Iterator[list[str]]:
        rows = (line.split("\t") for line in self.text.split("\n"))
        return (row for row in rows if row[0] in kinds and len(row) > 1)


def is_test_binary(path: Path) -> bool:
    """Return whether a file has the name of a test binary."""
    return path.name.endswith((SUFFIX, f"{SUFFIX}.exe"))


def build_info(binary: Path) -> BuildInfo:
    """Read the build information of a binary; empty texts if it has none.

    Source: package debug/buildinfo, the layout since Go 1.18.
    """
    content = binary.read_bytes()
    start = content.find(_BUILD_INFO)
    head = content[start : start + _TEXT_AT]
    if start < 0 or len(head) < _TEXT_AT or not head[len(_BUILD_INFO) + 1] & _INLINE:
        return BuildInfo("", "")
    version, end = _text_at(content, start + _TEXT_AT)
    described, _ = _text_at(content, end)
    text = described[_MARK:-_MARK]
    return BuildInfo(version.decode("utf-8", "replace"), text.decode("utf-8", "replace"))


def _text_at(content: bytes, start: int) -> tuple[bytes, int]:
    """Return a text and its end; its length precedes it, as a varint."""
    length = shift = 0
    for byte in content[start : start + _LONGEST_LENGTH]:
        start += 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return content[start : start + length], start + length

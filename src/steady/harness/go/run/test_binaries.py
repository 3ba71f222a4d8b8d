"""Go's test binaries: paths, build information, and starts."""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import IO

from steady.errors import InputError
from steady.execution.processes import Group
from steady.harness.fields import quoted
from steady.harness.go.run.layouts import plain_binary
from steady.programs.elf import Elf
from steady.programs.process import Ended, Program, launched, run_alone

SUFFIX = ".test"

_BUILD_INFO = b"\xff Go buildinf:"
_INLINE = 2
_TEXT_AT = 32
_LONGEST_LENGTH = 10
_MARK = 16  # bytes around the text
_PATH = re.compile(r"^path\t(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """The build information of a binary.

    Parameters
    ----------
    go : str
        The version of Go that built it, such as ``go1.26.0``; empty if unknown.
    text : str
        The other lines; columns are separated by tabs.
    """

    go: str
    text: str

    @property
    def package(self) -> str:
        """Import path of the package under test; empty if unknown."""
        match = _PATH.search(self.text)
        return "" if match is None else match[1].removesuffix(SUFFIX)

    @property
    def settings(self) -> Mapping[str, str]:
        """Build settings, such as ``-trimpath``, without those of version control."""
        rows = (row[1].partition("=") for row in self._rows("build"))
        return {name: value for name, _, value in rows if not name.startswith("vcs")}

    @property
    def modules(self) -> Mapping[str, str]:
        """Version and hash of each linked module, by import path."""
        rows = self._rows("mod", "dep", "=>")
        return {row[1]: " ".join(row[2:]) for row in rows}

    @property
    def main_module(self) -> str:
        """Import path of the module under test; empty if unknown."""
        return next((row[1] for row in self._rows("mod")), "")

    def _rows(self, *kinds: str) -> Iterator[list[str]]:
        rows = (line.split("\t") for line in self.text.split("\n"))
        return (row for row in rows if row[0] in kinds and len(row) > 1)


def is_test_binary(path: Path) -> bool:
    """Return whether a file has the name of a test binary."""
    return path.name.endswith((SUFFIX, f"{SUFFIX}.exe"))


def build_info(binary: Path) -> BuildInfo:
    """Read the build information of a binary; its fields are empty if there is none.

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
    """Return a text and the position after it; a varint before the text is its length."""
    length = shift = 0
    for byte in content[start : start + _LONGEST_LENGTH]:
        start += 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return content[start : start + length], start + length


NO_TESTS = "-test.run=^$"
_LONGEST_OUTPUT = 200
_BENCHMARK = re.compile(rb"(?<!\0testing)\.Benchmark(?![a-z])\w*\0")


def holds_binaries(target: Path) -> bool:
    """Return whether a file has the name of a test binary, or a folder contains such a file."""
    if target.is_dir():
        return any(_may_run(path) or _is_locked(path) for path in _below(target))
    return is_test_binary(target)


def binaries(target: Path) -> tuple[Path, ...]:
    """Return the test binaries of a version: the file itself, or all below a folder.

    Binaries with a shuffled function layout (`steady.harness.go.run.layouts`) are not among them.

    Raises
    ------
    InputError
        If there is none, or one is not executable.
    """
    if target.is_dir():
        found = sorted(_below(target))
        for path in found:
            require_executable(path)
        paths = tuple(path.resolve() for path in found if _may_run(path))
        if not paths:
            raise InputError(
                f"contains no test binary ({SUFFIX}); build them with `{build_into(target)}`",
                source=target,
            )
        return paths
    if not target.exists():
        raise InputError("does not exist; build it with go test -c", source=target)
    if not os.access(target, os.X_OK):
        allow = f", or make it executable with `{shlex.join(['chmod', '+x', str(target)])}`"
        raise InputError(
            "is not executable; specify the output of go test -c"
            f"{allow * bool(go_version(target))}",
            source=target,
        )
    return (target.resolve(),)


def require_executable(binary: Path) -> None:
    """Raise InputError if a file is a Go program without execute permission."""
    if _is_locked(binary):
        raise InputError(
            "is not executable, perhaps because it was downloaded as an artifact; make it "
            f"executable with `{shlex.join(['chmod', '+x', str(binary)])}`",
            source=binary,
        )


def build_into(folder: Path) -> str:
    """Return the command that builds the test binaries of a module into a folder."""
    return shlex.join(["go", "test", "-c", "-o", f"{folder}/", "./..."])


def lacking(folder: Path) -> str:
    """Return a message on a folder without test binaries, with the build command."""
    return f"contains no Go test binary at any depth; build them with `{build_into(folder)}`"


def built_folders() -> list[Path]:
    """Return the usual folders for builds of base and head that contain test binaries."""
    folders = (Path(*parents, side) for side in ("base", "head") for parents in ((), ("target",)))
    return [folder for folder in folders if next(folder.glob(f"*{SUFFIX}*"), None) is not None]


def lacks_benchmarks(binary: Path) -> bool:
    """Return whether the symbol names of a binary show that it has no benchmark.

    Such a binary is not run, since a package may do a lot of work before it lists its tests. A
    binary without symbols is run.
    """
    elf = Elf.of(binary.read_bytes())
    names = b"" if elf is None else elf.bytes_of(".strtab")
    return bool(names) and _BENCHMARK.search(names) is None


def reject_duplicates(held: Iterable[tuple[str, Path]]) -> None:
    """Raise InputError if two binaries have a benchmark of the same name."""
    owners: dict[str, Path] = {}
    for name, path in held:
        other = owners.setdefault(name, path)
        if other != path:
            raise InputError(
                f"contains {quoted(name)}, as does {other}; keep only one of the two", source=path
            )


def go_version(binary: Path) -> str:
    """Return the version of Go that built a binary, such as ``go1.26.0``; empty if unknown."""
    return build_info(binary).go


def package_of(binary: Path) -> str:
    """Return the import path of the package under test; empty if unknown."""
    return build_info(binary).package


def exit_summary(ended: Ended) -> str:
    """Return the exit status and the last output of a process in one line."""
    lines = [line.strip() for line in ended.output.splitlines() if line.strip()]
    output = f": {lines[-1][:_LONGEST_OUTPUT]}" if lines else ""
    how = f"code {ended.code}" if ended.code >= 0 else f"signal {-ended.code}"
    return f"its process ended with {how}{output}"


def start(binary: Path, *arguments: str, timeout: float, stop: Event | None = None) -> Ended:
    """Run a test binary in the folder of its plain binary; see `steady.programs.process.run_alone`.

    Raises
    ------
    InputError
        If it does not start.
    """
    try:
        return run_alone(_program(binary, arguments), timeout, stop)
    except OSError as error:
        raise _not_run(binary, error) from None


def launched_binary(
    binary: Path, arguments: Sequence[str], output: int | IO[bytes], errors: int | IO[bytes]
) -> Group:
    """Start a test binary in the folder of its plain binary, as the leader of a process group.

    Raises
    ------
    InputError
        If it does not start.
    """
    try:
        return launched(_program(binary, arguments), output, errors)
    except OSError as error:
        raise _not_run(binary, error) from None


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob(f"*{SUFFIX}*"):
        if is_test_binary(path) and path.is_file() and plain_binary(path) == path:
            yield path


def _is_locked(path: Path) -> bool:
    """Return whether a file is a Go program without execute permission."""
    return not _may_run(path) and os.access(path, os.R_OK) and bool(go_version(path))


def _may_run(path: Path) -> bool:
    return os.access(path, os.X_OK)


def _program(binary: Path, arguments: Sequence[str]) -> Program:
    return Program((str(binary), NO_TESTS, *arguments), plain_binary(binary).parent)


def _not_run(binary: Path, error: OSError) -> InputError:
    return InputError(
        f"cannot be run ({error.strerror}); build it with go test -c on this machine", source=binary
    )

"""Go test binaries: where they are, what they hold, and which Go built them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from steady.emit.go_pattern import exact_pattern, split_name
from steady.errors import InputError
from steady.model import Identity, Suite
from steady.readers import go
from steady.readers.fields import quoted
from steady.readers.sources import Document
from steady.run.go_process import Ended, run_to_end

SUFFIX = ".test"

LISTING_SECONDS = 600.0
"""After so long, running everything once is taken for hung."""

_BUILD_INFO = b"\xff Go buildinf:"
_INLINE = 2
_TEXT_AT = 32
_LONGEST_OUTPUT = 200

NO_TESTS = "-test.run=^$"


def holds_binaries(target: Path) -> bool:
    """Tell whether a file is called like a test binary, or a folder holds one."""
    if target.is_dir():
        return next(_below(target), None) is not None
    return target.name.endswith((SUFFIX, f"{SUFFIX}.exe"))


def binaries(target: Path) -> tuple[Path, ...]:
    """Return the test binaries of a version: the file itself, or those in and below a folder.

    Raises
    ------
    InputError
        If there is none.
    """
    if target.is_dir():
        found = tuple(path.resolve() for path in sorted(_below(target)))
        if not found:
            raise InputError(
                f"holds no test binary ({SUFFIX}); build them with go test -c -o FOLDER ./...",
                source=target,
            )
        return found
    if not target.exists():
        raise InputError("there is no such file; build it with go test -c", source=target)
    if not os.access(target, os.X_OK):
        raise InputError("is no program; give what go test -c wrote", source=target)
    return (target.resolve(),)


def benchmarks_of(binary: Path) -> tuple[Identity, ...]:
    """List a binary's benchmarks, sub-benchmarks and failing ones included, by running each once.

    A benchmark that takes the process down with it hides those after it; these are then run one
    by one.

    Raises
    ------
    InputError
        If the binary cannot be run.
    """
    everything = _run_once(binary, ".")
    found = dict.fromkeys(_identities(binary, everything))
    if everything.code != 0:
        seen = {split_name(identity.name)[1].partition("/")[0] for identity in found}
        for name in _top_level(binary):
            if name not in seen:
                alone = _run_once(binary, exact_pattern(name))
                found.update(dict.fromkeys(_identities(binary, alone)))
        if not found:
            raise InputError(f"shows no benchmark: {last_line(everything)}", source=binary)
    return tuple(found)


def go_version(binary: Path) -> str:
    """Return which Go built a binary, ``go1.26.0``; empty where it does not say.

    Source: package debug/buildinfo, the layout since Go 1.18.
    """
    content = binary.read_bytes()
    start = content.find(_BUILD_INFO)
    head = content[start : start + _TEXT_AT + 1]
    if start < 0 or len(head) <= _TEXT_AT or not head[len(_BUILD_INFO) + 1] & _INLINE:
        return ""
    begin = start + _TEXT_AT + 1
    return content[begin : begin + head[_TEXT_AT]].decode("ascii", "replace")


def last_line(ended: Ended) -> str:
    """Return how a process ended, with the last that it said, in one line."""
    lines = [line.strip() for line in ended.output.splitlines() if line.strip()]
    said = f": {lines[-1][:_LONGEST_OUTPUT]}" if lines else ""
    how = f"code {ended.code}" if ended.code >= 0 else f"signal {-ended.code}"
    return f"its process ended with {how}{said}"


def start(binary: Path, *arguments: str, timeout: float) -> Ended:
    """Run a binary in the folder where it lies.

    Raises
    ------
    InputError
        If it cannot be started.
    """
    try:
        return run_to_end([str(binary), NO_TESTS, *arguments], binary.parent, timeout)
    except OSError as error:
        raise InputError(
            f"cannot be run ({error.strerror}); build it with go test -c on this machine",
            source=binary,
        ) from None


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob(f"*{SUFFIX}*"):
        named = path.name.endswith((SUFFIX, f"{SUFFIX}.exe"))
        if named and path.is_file() and os.access(path, os.X_OK):
            yield path


def _run_once(binary: Path, pattern: str) -> Ended:
    ended = start(binary, f"-test.bench={pattern}", "-test.benchtime=1x", timeout=LISTING_SECONDS)
    if ended.timed_out:
        raise InputError(
            f"did not run {quoted(pattern)} once in {LISTING_SECONDS:g} s, which tells what it "
            "holds; repair or skip what hangs",
            source=binary,
        )
    return ended


def _top_level(binary: Path) -> list[str]:
    ended = start(binary, "-test.list=^Benchmark", timeout=LISTING_SECONDS)
    return [line for line in ended.output.splitlines() if line.startswith("Benchmark")]


def _identities(binary: Path, ended: Ended) -> Iterator[Identity]:
    suite: Suite = go.read(Document(binary, ended.output))
    yield from suite
    yield from (failure.identity for failure in suite.failures)

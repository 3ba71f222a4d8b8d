"""Output of all commands, in which no line is a workflow command of GitHub's runner.

The runner interprets commands in all output of a step, and names of benchmarks are untrusted. So
standard output and standard error are filtered here line by line, except on an interactive
terminal.
"""

import codecs
import io
import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from steady.streams import is_closed_pipe, redirect_to_null
from steady.text.escape import INVISIBLE, log_line, visible

_NOT_PLAIN = re.compile(r"[^\n\x20-\x7e]")
_PIECE = 2**20  # characters per write, so that a long text is not copied as a whole


class Guarded(io.TextIOBase):
    """A stream that forwards complete lines, and disables workflow commands in them.

    After its reader has closed the pipe (``| head``), output is discarded; files are still written,
    and the exit code remains that of the verdict.

    Parameters
    ----------
    stream : text file
        Underlying stream.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._rest = ""
        self._has_reader = True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream."""
        return self.stream.encoding

    def write(self, text: str) -> int:
        """Forward the lines that are complete."""
        lines, end, rest = (self._rest + text).rpartition("\n")
        self._rest = rest
        if end:
            self.forward(_checked(f"{lines}\n"))
        return len(text)

    def flush(self) -> None:
        """Flush the complete lines to the underlying stream."""
        self.forward("", flush=True)

    def finish(self) -> None:
        """Forward a last line without a line end."""
        rest, self._rest = self._rest, ""
        self.forward(_checked(rest), flush=True)

    def forward(self, text: str, *, flush: bool = False) -> None:
        """Write a text unchanged, until the reader closes the pipe."""
        if not self._has_reader:
            return
        try:
            self.stream.write(text)
            if flush:
                self.stream.flush()
        except OSError as error:
            if not is_closed_pipe(error):
                raise
            self._has_reader = False
            redirect_to_null(self.stream)

    def fileno(self) -> int:
        """Return the stream's file descriptor."""
        return self.stream.fileno()

    def isatty(self) -> bool:
        """Return False: self-hosted runners can log through a terminal."""
        return False

    def writable(self) -> bool:
        """Return True."""
        return True


@contextmanager
def guarded() -> Iterator[None]:
    """Filter all output through `Guarded`, except on an interactive terminal."""
    out, err = sys.stdout, sys.stderr
    guards = [_guard(out), _guard(err)]
    sys.stdout, sys.stderr = guards
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
        for guard in guards:
            if isinstance(guard, Guarded):
                guard.finish()


def print_json(text: str) -> None:
    """Print JSON, escaped where the runner would read a workflow command."""
    text = text.rstrip("\n")
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PIECE) + 1 or len(text)
        piece = text[start:end]
        if not _is_plain(piece):
            piece = _NOT_PLAIN.sub(lambda match: _json_character(match[0]), piece)
        print(piece.replace("##[", r"##\u005b"), end="")
        start = end
    print()


def line(text: str) -> None:
    """Print a line of the result without terminal control characters."""
    print(visible(text))


def note(text: str) -> None:
    """Print a message on one line of standard error."""
    shown = " ".join(text.split())
    print(f"steady: {''.join(c if c.isprintable() else '?' for c in shown)}", file=sys.stderr)


def say(text: str) -> None:
    """Print a message that can contain untrusted names."""
    note(visible(text))


def command(text: str) -> None:
    """Print a trusted workflow command on standard error."""
    if isinstance(sys.stderr, Guarded):
        sys.stderr.forward(f"{text}\n", flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def _guard(stream: TextIO) -> TextIO:
    on_runner = os.environ.get("GITHUB_ACTIONS") == "true"
    _take_any_text(stream, "utf-8" if on_runner else None)
    return Guarded(stream) if on_runner or not stream.isatty() else stream  # type: ignore[return-value]


def _take_any_text(stream: TextIO, encoding: str | None) -> None:
    """Make a stream accept any text; characters not in its encoding become `?`.

    GitHub's runner reads UTF-8, regardless of the system's encoding.
    """
    if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
        stream.reconfigure(encoding=encoding, errors="replace")


def _checked(text: str) -> str:
    """Return lines with workflow commands disabled, for all line ends that the runner knows."""
    if _is_plain(text) and "::" not in text and "##[" not in text:
        return text
    return "".join(map(_harmless, text.splitlines(keepends=True)))


def _is_plain(text: str) -> bool:
    """Return whether a text consists of printable ASCII characters and line ends."""
    return text.isascii() and text.replace("\n", "").isprintable()


def _harmless(line: str) -> str:
    body = line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
    bare = (
        body
        if body.isprintable()
        else "".join(c for c in body if unicodedata.category(c) not in INVISIBLE)
    )
    # The runner skips invisible characters before a command.
    if bare.lstrip().startswith("::") or "##[" in bare:
        return log_line(body) + line[len(body) :]
    return line


def _json_character(character: str) -> str:
    # In JSON, such a character can occur only inside a string.
    return character if character.isprintable() else json.dumps(character)[1:-1]

"""The one place through which every command prints: no line is a command to GitHub's runner.

The runner reads commands out of all that a step prints, and names of benchmarks come from the
code under test. So standard output and standard error pass through here as whole lines, unless
somebody sits in front of them.
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
_PIECE = 2**20  # characters that are printed at once: a long text needs no copies as long


class Guarded(io.TextIOBase):
    """A stream that takes text as it comes and hands on whole lines, none of them a command.

    When its reader has gone (``| head``), what follows goes nowhere: files are still written, and
    the exit code stays that of the verdict.

    Parameters
    ----------
    stream : text file
        Where the lines go.
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
        """Hand on the lines that are complete by now."""
        lines, end, rest = (self._rest + text).rpartition("\n")
        self._rest = rest
        if end:
            self.hand_on(_checked(f"{lines}\n"))
        return len(text)

    def flush(self) -> None:
        """Bring the complete lines to where they go."""
        self.hand_on("", flush=True)

    def finish(self) -> None:
        """Hand on a last line that nothing has ended."""
        rest, self._rest = self._rest, ""
        self.hand_on(_checked(rest), flush=True)

    def hand_on(self, text: str, *, flush: bool = False) -> None:
        """Write a text as it is, as long as somebody reads it."""
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
        """Tell that nobody watches: runners of one's own may write their logs by a terminal."""
        return False

    def writable(self) -> bool:
        """Tell that this can be written to."""
        return True


@contextmanager
def guarded() -> Iterator[None]:
    """Have all that is printed pass through `Guarded`, but for what a person's terminal shows."""
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
    """Print JSON as other JSON with the same content, in which nothing is a command."""
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
    """Print a line of the result, in which a name commands no terminal."""
    print(visible(text))


def note(text: str) -> None:
    """Say something beside the result, on standard error, on one line."""
    shown = " ".join(text.split())
    print(f"steady: {''.join(c if c.isprintable() else '?' for c in shown)}", file=sys.stderr)


def say(text: str) -> None:
    """Say something that may hold names from the code under test."""
    note(visible(text))


def command(text: str) -> None:
    """Print a command of our own to GitHub's runner, on standard error."""
    if isinstance(sys.stderr, Guarded):
        sys.stderr.hand_on(f"{text}\n", flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def _guard(stream: TextIO) -> TextIO:
    on_runner = os.environ.get("GITHUB_ACTIONS") == "true"
    _take_any_text(stream, "utf-8" if on_runner else None)
    return Guarded(stream) if on_runner or not stream.isatty() else stream  # type: ignore[return-value]


def _take_any_text(stream: TextIO, encoding: str | None) -> None:
    """Let a stream take any text: what its encoding lacks, as a pipe's on Windows, becomes `?`.

    GitHub's runner reads UTF-8, whatever the system says.
    """
    if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
        stream.reconfigure(encoding=encoding, errors="replace")


def _checked(text: str) -> str:
    """Return whole lines in which the runner finds no command, wherever it ends a line."""
    if _is_plain(text) and "::" not in text and "##[" not in text:
        return text
    return "".join(map(_harmless, text.splitlines(keepends=True)))


def _is_plain(text: str) -> bool:
    """Tell whether a text holds only what ASCII shows, and ends of lines."""
    return text.isascii() and text.replace("\n", "").isprintable()


def _harmless(line: str) -> str:
    body = line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
    bare = body if body.isprintable() else "".join(filter(_is_seen, body))
    # What cannot be seen is passed over where the runner looks for the beginning of a command.
    if bare.lstrip().startswith("::") or "##[" in bare:
        return log_line(body) + line[len(body) :]
    return line


def _is_seen(character: str) -> bool:
    return unicodedata.category(character) not in INVISIBLE


def _json_character(character: str) -> str:
    # In JSON such a character can stand inside of a text alone.
    return character if character.isprintable() else json.dumps(character)[1:-1]

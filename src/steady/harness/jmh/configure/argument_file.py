"""Java's argument files: ``java @FILE`` takes what stands in the file for its command line.

Source: JDK 9 to 25, ``java.base/share/native/libjli/args.c`` (``nextToken``). White space parts
arguments, and ``#`` begins a comment. Quotation marks keep white space together; within them,
and only there, a backslash takes the next character's meaning away or gives it another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[^\s\x00-\x1f\"'#]+")
_ESCAPED = str.maketrans(
    {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\f": r"\f"}
)


def argument_file(arguments: Iterable[str], comment: str) -> bytes:
    """Return an argument file, in UTF-8.

    Parameters
    ----------
    arguments : iterable of str
        Any texts without the character NUL; each stands in a line of its own.
    comment : str
        One line, which stands above them.
    """
    lines = [f"# {comment}", *map(_quoted, arguments)]
    return "".join(f"{line}\n" for line in lines).encode()


def _quoted(argument: str) -> str:
    if _PLAIN.fullmatch(argument):
        return argument
    return f'"{argument.translate(_ESCAPED)}"'

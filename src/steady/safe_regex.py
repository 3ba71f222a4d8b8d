"""Search with untrusted regular expressions, within time limits.

Python's ``re`` uses backtracking. For an expression such as ``(a+)+$``, the number of paths doubles
with each letter, so a search could take years. Expressions with few paths are searched in this
process. All others are searched in a child process that is killed at a timeout, so backreferences
and lookahead are still supported.
"""

from __future__ import annotations

import atexit
import json
import math
import re
import sys
import threading
import time
from functools import cache

from steady.errors import InputError

SECONDS = 20
"""Timeout of the search in one name."""

ALL_SECONDS = 60
"""Limit of CPU time for all searches in the child process together; not enforced on Windows."""

_MOST_WAYS = 20.0
"""Base-2 logarithm of the number of paths; a million paths take some hundredths of a second."""

_PAUSE = 0.05  # seconds between checks of the clock
_IDLE = 1.0
"""Idle seconds after which the child process ends, so that it does not disturb measurements."""

_ESCAPED = re.compile(r"\\.", re.DOTALL)
_REPEATED_GROUP = re.compile(r"\)\s*[*+{]|\(\?[a-zA-Z]*x")
"""The second alternative is the verbose flag, with which a comment may precede the star."""

_SEARCHER = f"""
import json, re, sys
try:
    from resource import RLIMIT_CPU, getrlimit, setrlimit
    setrlimit(RLIMIT_CPU, ({ALL_SECONDS}, getrlimit(RLIMIT_CPU)[1]))
except (ImportError, OSError, ValueError):
    pass
for line in sys.stdin:
    text, name = json.loads(line)
    print(int(re.search(text, name) is not None), flush=True)
"""


def is_found(text: str, name: str) -> bool:
    """Return whether `re.search` finds an expression in a name.

    Parameters
    ----------
    text : str
        The expression; see `steady.options.kinds.check_expression`.
    name : str
        Name to search.

    Raises
    ------
    InputError
        If the search takes longer than `SECONDS`, or all such searches longer than `ALL_SECONDS`.
    """
    if _choices(text) + _repeats(text) * math.log2(len(name) + 2) <= _MOST_WAYS:
        return re.search(text, name) is not None
    if not sys.executable:  # embedded Python has no executable to start
        return re.search(text, name) is not None
    answer = ""
    with _LOCK:
        try:
            answer = _searcher().answer(text, name)
        finally:
            if not answer:  # also after Ctrl-C, or the next search would read this answer
                _end()
    if not answer:
        raise InputError(
            f"the regular expression {text[:200]!r} takes too long (more than {SECONDS} seconds "
            f"for one name, or {ALL_SECONDS} for all); write it without repetitions inside "
            "repetitions"
        )
    return answer == "1\n"


@cache
def _repeats(text: str) -> float:
    """Return the number of positions in a name that a path can choose; may be infinite.

    It chooses its start, and one position for each repetition of a character.
    """
    plain = _ESCAPED.sub("a", text)
    if _REPEATED_GROUP.search(plain):
        return math.inf
    return 1.0 + sum(map(plain.count, "*+{"))


@cache
def _choices(text: str) -> float:
    """Return the number of binary choices of a path, at alternations and question marks."""
    plain = _ESCAPED.sub("a", text).replace("(?", "(")
    return float(plain.count("|") + plain.count("?"))


class _Searcher:
    """The child process for searches, which ends with its standard input and so with its parent."""

    def __init__(self) -> None:
        import subprocess  # slow to import, and few expressions need it

        self._process = subprocess.Popen(  # noqa: S603 - this very Python
            [sys.executable, "-I", "-S", "-c", _SEARCHER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="ascii",
        )
        self._deadline = self._idle_until = math.inf
        threading.Thread(target=self._watch, daemon=True).start()

    def answer(self, text: str, name: str) -> str:
        """Return the output line for a search; empty if the process ended or was killed."""
        questions, answers = self._process.stdin, self._process.stdout
        if questions is None or answers is None:
            raise ValueError("the process has no pipes")
        self._idle_until = math.inf
        self._deadline = time.monotonic() + SECONDS
        try:
            questions.write(f"{json.dumps([text, name])}\n")
            questions.flush()
            return answers.readline()
        except OSError:
            return ""
        finally:
            self._deadline = math.inf
            self._idle_until = time.monotonic() + _IDLE

    def end(self) -> None:
        """Kill the process, and wait for its end."""
        self._process.kill()
        self._process.communicate()

    def _watch(self) -> None:
        while self._process.poll() is None:
            time.sleep(_PAUSE)
            if time.monotonic() > self._deadline:
                self._process.kill()
            elif time.monotonic() > self._idle_until:
                with _LOCK:  # no search is active; check again under the lock
                    if time.monotonic() > self._idle_until:
                        _end()


_LOCK = threading.Lock()


@cache
def _searcher() -> _Searcher:
    atexit.register(_end)
    return _Searcher()


def _end() -> None:
    if _searcher.cache_info().currsize:
        _searcher().end()
        _searcher.cache_clear()
        atexit.unregister(_end)

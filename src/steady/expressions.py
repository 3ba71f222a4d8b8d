"""Regular expressions that users and files bring along, searched within limits of time.

Python's ``re`` tries one way after the other through a text. An expression such as ``(a+)+$`` has
twice as many ways for each further letter, and would keep a job busy for years. What has few ways
is searched here. Everything else is searched by a process of its own, which ends if it takes too
long: so references to groups and looking ahead still work.
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
"""How long the search in one name may take, by the clock."""

ALL_SECONDS = 60
"""Processor time of all searches together that have many ways; not limited on Windows."""

_MOST_WAYS = 20.0
"""Logarithm to base 2: a million ways take some hundredths of a second."""

_PAUSE = 0.05  # seconds between two looks at the clock
_IDLE = 1.0
"""Seconds without a question after which the process ends: it must not disturb what is measured."""

_ESCAPED = re.compile(r"\\.", re.DOTALL)
_REPEATED_GROUP = re.compile(r"\)\s*[*+{]|\(\?[a-zA-Z]*x")
"""The second part: where blanks mean nothing, other characters may stand before the star."""

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


def found(text: str, name: str) -> bool:
    """Tell whether an expression is found somewhere in a name, as `re.search` does.

    Parameters
    ----------
    text : str
        The expression; see `steady.options.kinds.check_expression`.
    name : str
        Where it is searched.

    Raises
    ------
    InputError
        If that takes longer than `SECONDS`, or all such searches longer than `ALL_SECONDS`.
    """
    if _ways(text) + _repeats(text) * math.log2(len(name) + 2) <= _MOST_WAYS:
        return re.search(text, name) is not None
    if not sys.executable:  # inside another program there is nothing to start
        return re.search(text, name) is not None
    answer = ""
    with _LOCK:
        try:
            answer = _searcher().answer(text, name)
        finally:
            if not answer:  # also after Ctrl-C: its answer would be taken for that of the next one
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
    """Return how often a way through a name can choose a place in it; infinite: for ever.

    It chooses one where it begins, and one for each repetition of a character.
    """
    plain = _ESCAPED.sub("a", text)
    if _REPEATED_GROUP.search(plain):
        return math.inf
    return 1.0 + sum(map(plain.count, "*+{"))


@cache
def _ways(text: str) -> float:
    """Return how often a way chooses one of two: at each bar and each question mark."""
    plain = _ESCAPED.sub("a", text).replace("(?", "(")
    return float(plain.count("|") + plain.count("?"))


class _Searcher:
    """The process that searches. It ends with its input, so with this one, however that ends."""

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
        """Return its line; empty if it was ended, by itself or because it took too long."""
        questions, answers = self._process.stdin, self._process.stdout
        if questions is None or answers is None:
            raise ValueError("both were asked for")
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
        """End the process, and wait for that."""
        self._process.kill()
        self._process.communicate()

    def _watch(self) -> None:
        while self._process.poll() is None:
            time.sleep(_PAUSE)
            if time.monotonic() > self._deadline:
                self._process.kill()
            elif time.monotonic() > self._idle_until:
                with _LOCK:  # nobody asks now, or somebody just did
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

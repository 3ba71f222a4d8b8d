"""Every regular expression of the package takes time in proportion to the text, whoever wrote it.

Results, logs, comments and names are strangers' texts. A pattern in which two repetitions can take
the same characters tries all ways to divide them, and a text of some kilobytes keeps a job busy for
hours. So each pattern is attacked here with texts made from its own parts.
"""

from __future__ import annotations

import ast
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import steady
from tests.looped import looped

PACKAGE = Path(steady.__file__).parent

SMALL, STEP, SIZES = 1_000, 4, 3
"""A text's length grows in steps, so that a bad pattern is found before it takes for ever."""

PATIENCE = 0.025
"""Processor seconds that no text of `SMALL * STEP ** (SIZES - 1)` characters takes: a pattern that
goes through it once, or two hundred times as some do, needs a tenth of that, a quadratic one ten
times as much."""

LONG, AGAIN = 20 * PATIENCE, 4

MOST_GROWTH = 2.5 * STEP
"""From one size to the next: linear is `STEP`, quadratic its square."""

METHODS = ("fullmatch", "match", "search", "findall", "finditer", "split", "sub", "subn")

BUILT = {
    "harness/go/samecode/reach.py": "from names that are escaped, on own binaries",
    "harness/go/run/discovery.py": "the user's own --only, on the user's own machine",
    "harness/go/run/listing_patterns.py": "the user's own --only, on the user's own machine",
    "harness/go/bench_pattern.py": "the user's own --only, on the user's own machine",
    "harness/only.py": "the user's own --only, on the user's own machine",
    "options/kinds.py": "the user's own --only, which is only checked",
    "harness/jmh/read/log_parser.py": "from constants: it is found once it is compiled",
    "harness/go/run/result_file.py": "from constants: it is found once it is compiled",
    "harness/jmh/samecode/jdk_doors.py": "from constants: names of the JDK",
    "programs/same_python.py": "from names of files, escaped, on the user's own sources",
    "programs/two_trees.py": "from a folder's name, escaped, on the user's own machine",
    "github/commit_content.py": "from constants: it is found once it is compiled",
    "github/patience.py": "from constants: a number with at most so many digits",
}
"""Where patterns are put together at run time, and why that is harmless."""


@dataclass(frozen=True)
class Attacked:
    """A pattern, and how it is asked."""

    place: str
    pattern: re.Pattern[str]
    methods: tuple[str, ...]


@cache
def sources() -> dict[str, ast.Module]:
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def calls_of_re(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr != "escape":
                yield node


def named_patterns() -> Iterator[Attacked]:
    """Yield what modules hold under a name, asked as it is asked anywhere in the package."""
    asked: dict[str, set[str]] = defaultdict(set)
    for tree in sources().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                owner = node.value
                name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
                asked[name].add(node.attr)
    seen = set()
    for file in sources():
        if file.endswith("__main__.py"):
            continue
        module = import_module("steady." + file[:-3].replace("/", ".").removesuffix(".__init__"))
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and id(value) not in seen:
                seen.add(id(value))
                text = value if isinstance(value.pattern, str) else as_text(value)
                yield Attacked(f"{file}:{name}", text, tuple(sorted(asked[name])) or METHODS[:3])


def as_text(pattern: re.Pattern[bytes]) -> re.Pattern[str]:
    return re.compile(pattern.pattern.decode("ascii"), pattern.flags & ~re.UNICODE | re.ASCII)


def inline_patterns() -> Iterator[Attacked]:
    """Yield what is given to `re.search` and its like where it is used."""
    for file, tree in sources().items():
        for call in calls_of_re(tree):
            first = call.args[0]
            method = call.func.attr  # type: ignore[attr-defined]
            if method != "compile" and isinstance(first, ast.Constant):
                text = str(first.value)
                flags = re.ASCII if "ASCII" in ast.dump(call) else re.NOFLAG
                yield Attacked(f"{file}:{call.lineno}", re.compile(text, flags), (method,))


def all_patterns() -> list[Attacked]:
    return [*named_patterns(), *inline_patterns()]


def test_patterns_made_at_run_time_are_known() -> None:
    built = {
        file
        for file, tree in sources().items()
        for call in calls_of_re(tree)
        if not isinstance(call.args[0], ast.Constant)
        and not isinstance(call.args[0], ast.BinOp)  # constants put together, found by its name
    }
    assert built <= BUILT.keys()


class Texts:
    """Texts that a pattern takes nearly to its end: one repetition of it goes on and on."""

    def __init__(self, pattern: re.Pattern[str], chance: random.Random) -> None:
        self._tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        self._groups: dict[int, str] = {}
        self._chance = chance
        self._ignore_case = bool(pattern.flags & re.IGNORECASE)
        self.alphabet = sorted(set(self._characters(self._tree)) | set(" a0.")) or ["a"]
        self.repeats = list(self._repeats(self._tree))

    def attack(self, target: Any) -> tuple[str, str, str]:
        """Return what stands before the repetition, what is repeated, and what ends it."""
        before, pump = self._until(self._tree, target) or ("", "")
        pumps = [pump or "a", self._chance.choice(self.alphabet), self._pair()]
        endings = ["", "\x00", "!", " ", "\n", self._chance.choice(self.alphabet)]
        return before, self._chance.choice(pumps), self._chance.choice(endings)

    def start(self) -> tuple[str, str, str]:
        """Return an attack on the search for a beginning: the beginning again and again."""
        whole = self._write(self._tree)
        cut = self._chance.randint(1, max(1, len(whole)))
        return "", whole[:cut] or "a", self._chance.choice(["", "\x00", "!"])

    def _pair(self) -> str:
        return self._chance.choice(self.alphabet) + self._chance.choice(self.alphabet)

    def _repeats(self, tree: Any) -> Iterator[Any]:
        for node in tree:
            kind, value = node
            if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
                if value[1] >= 20:
                    yield value
                yield from self._repeats(value[2])
            else:
                for part in _parts(kind, value):
                    yield from self._repeats(part)

    def _until(self, tree: Any, target: Any) -> tuple[str, str] | None:
        """Return what stands before `target` and what it repeats; None where it is not inside."""
        text = ""
        for kind, value in tree:
            if value is target:
                return text, self._write(value[2])
            inside = None
            if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
                inside = self._until(value[2], target)
            else:
                for part in _parts(kind, value):
                    inside = inside or self._until(part, target)
            if inside is not None:
                return text + inside[0], inside[1]
            text += self._write([(kind, value)])
        return None

    def _write(self, tree: Any) -> str:
        return "".join(self._one(kind, value) for kind, value in tree)

    def _one(self, kind: Any, value: Any) -> str:
        if kind is kinds.LITERAL:
            return chr(value)
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            least, most, body = value
            times = self._chance.randint(least, max(least, min(most, least + 2)))
            return "".join(self._write(body) for _ in range(times))
        if kind is kinds.BRANCH:
            return self._write(self._chance.choice(value[1]))
        if kind is kinds.SUBPATTERN:
            written = self._write(value[3])
            self._groups[value[0]] = written
            return written
        if kind is kinds.ATOMIC_GROUP:
            return self._write(value)
        if kind is kinds.GROUPREF:
            return self._groups.get(value, "")
        if kind in (kinds.IN, kinds.NOT_LITERAL, kinds.ANY):
            return self._chance.choice(self._matching(kind, value))
        return ""  # a place or a look around

    def _matching(self, kind: Any, value: Any) -> list[str]:
        """Return some characters that a class takes."""
        tree = parser.SubPattern(parser.State(), [(kind, value)])
        asked = _class_of(tree)
        candidates = [*_STOCK, *map(chr, _literals([(kind, value)]))]
        return [c for c in candidates if asked(c)] or ["a"]

    def _characters(self, tree: Any) -> Iterator[str]:
        for kind, value in tree:
            if kind in (kinds.IN, kinds.NOT_LITERAL, kinds.ANY, kinds.LITERAL):
                yield self._one_of(kind, value)
            elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
                yield from self._characters(value[2])
            else:
                for part in _parts(kind, value):
                    yield from self._characters(part)

    def _one_of(self, kind: Any, value: Any) -> str:
        if kind is kinds.LITERAL:
            return chr(value)
        return self._matching(kind, value)[0]


_STOCK = "aZ1 .,-/:#\"'`<>[](){}|=_\t~@%*\\"


def _parts(kind: Any, value: Any) -> list[Any]:
    """Return the patterns inside a node that is no repetition."""
    if kind is kinds.BRANCH:
        return list(value[1])
    if kind is kinds.SUBPATTERN:
        return [value[3]]
    if kind in (kinds.ASSERT, kinds.ASSERT_NOT):
        return [value[1]]
    return [value] if kind is kinds.ATOMIC_GROUP else []


def _literals(tree: Any) -> Iterator[int]:
    for kind, value in tree:
        if kind is kinds.LITERAL:
            yield value
        elif kind is kinds.RANGE:
            yield from value
        elif kind is kinds.IN:
            yield from _literals(value)


def _class_of(tree: Any) -> Callable[[str], bool]:
    pattern = compiler.compile(tree, 0)
    return lambda character: pattern.fullmatch(character) is not None


def seconds(attacked: Attacked, method: str, text: str) -> float:
    begin = time.process_time()
    asked = getattr(attacked.pattern, method)
    if method in ("sub", "subn"):
        asked("", text)
    elif method == "finditer":
        for _ in asked(text):
            pass
    else:
        asked(text)
    return time.process_time() - begin


def explodes(attacked: Attacked, method: str, before: str, pump: str, end: str) -> str:
    """Say how the time grows with the text, where it grows too fast."""
    last = 0.0
    for power in range(SIZES):
        size = SMALL * STEP**power
        text = before + pump * (size // len(pump)) + end
        took = seconds(attacked, method, text)
        # Again: another process may have had the caches, and the collector may have run. What
        # takes far too long does so every time.
        for _ in range(AGAIN if PATIENCE < took < LONG else 0):
            took = min(took, seconds(attacked, method, text))
        if took > PATIENCE and (power == 0 or took > MOST_GROWTH * last):
            call = f"{method}({before!r} + {pump!r} * n + {end!r})"
            return f"{attacked.place}: {call}: {size:,} characters {took:.2f} s"
        last = took
    return ""


def faults(attacked: Attacked, rounds: int) -> list[str]:
    chance = random.Random(attacked.place)
    texts = Texts(attacked.pattern, chance)
    attacks = [texts.attack(repeat) for repeat in texts.repeats for _ in range(rounds)]
    attacks += [texts.start() for _ in range(rounds)] if texts.repeats else []
    found = []
    for method in attacked.methods:
        for before, pump, end in dict.fromkeys(attacks):
            found += [fault] if (fault := explodes(attacked, method, before, pump, end)) else []
            if found:  # one is enough, and each costs time
                return found
    return found


@pytest.mark.parametrize("rounds", [3, pytest.param(8, marks=pytest.mark.thorough)])
def test_time_grows_with_the_text(rounds: int) -> None:
    assert [fault for one in all_patterns() for fault in faults(one, rounds)] == []


@looped(
    ("pattern", "method"),
    [
        # What stood in jmh_log_lines.py, and what would take hours for a megabyte.
        (r"(?:[^#]{0,200}?(?:\d\d:\d\d(?:[.,]\d+)?\S*|[|\]>])\s+)??# (?P<rest>.*)", "fullmatch"),
        (r"\s+$", "search"),
        (r"(\w+\.)*\w+:", "search"),
    ],
)
def test_the_attack_finds_quadratic_patterns(pattern: str, method: str) -> None:
    attacked = Attacked(pattern, re.compile(pattern), (method,))
    assert faults(attacked, rounds=30)

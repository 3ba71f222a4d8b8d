"""Every regular expression of the package takes linear time for any text.

Results, logs, comments and names are untrusted. If two repetitions in a pattern can match the same
characters, backtracking tries all ways to divide them, and a text of some kilobytes takes hours. So
each pattern is tested with adversarial texts derived from its parts.
"""

import ast
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from tests.looped import looped
from tests.source_trees import by_file, by_module

SMALL, STEP, SIZES = 1_000, 4, 3
"""Parameters of the lengths of texts, which grow in steps, so that a bad pattern is found early."""

PATIENCE = 0.025
"""Maximum CPU seconds for a text of `SMALL * STEP ** (SIZES - 1)` characters. Patterns that read it
once, or even two hundred times, take a tenth of that; quadratic ones take ten times as much."""

LONG, AGAIN = 20 * PATIENCE, 4

MOST_GROWTH = 2.5 * STEP
"""Maximum ratio of the times of successive sizes: linear is `STEP`, quadratic its square."""

METHODS = ("fullmatch", "match", "search", "findall", "finditer", "split", "sub", "subn")

BUILT = {
    "harness/go/samecode/capabilities.py": "from escaped names; searches the user's own binaries",
    "harness/go/samecode/changed_methods.py": "from an escaped name of a module; own binaries",
    "harness/go/run/discovery.py": "from constants; compiled on import, so it is tested as well",
    "safe_regex.py": "from --only; searched within time limits",
    "options/kinds.py": "from --only; compiled only to validate it",
    "harness/jmh/read/log_parser.py": "from constants; compiled on import, so it is tested as well",
    "harness/go/run/go_runs.py": "from constants; compiled on import, so it is tested as well",
    "harness/jmh/samecode/jdk_effects.py": "from constants: names of the JDK",
    "programs/same_python.py": "from escaped file names; searches the user's own sources",
    "programs/two_trees.py": "from an escaped folder name on the user's own machine",
    "github/commit_content.py": "from constants; compiled on import, so it is tested as well",
    "github/client.py": "from constants: a number with a maximum number of digits",
}
"""Modules that construct patterns at run time, with the reason why this is safe."""


@dataclass(frozen=True)
class Attacked:
    """A pattern and its method of use."""

    place: str
    pattern: re.Pattern[str]
    methods: tuple[str, ...]


def calls_of_re(tree: ast.Module) -> Iterator[ast.Call]:
    imported = {
        name.name for node in tree.body if isinstance(node, ast.Import) for name in node.names
    }
    for node in ast.walk(tree) if "re" in imported else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr != "escape":
                yield node


def named_patterns() -> Iterator[Attacked]:
    """Yield the patterns in modules' names, with their methods of use in the package."""
    asked: dict[str, set[str]] = defaultdict(set)
    for tree in by_file().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                owner = node.value
                name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
                asked[name].add(node.attr)
    seen = set()
    for module in by_module():
        if module.endswith("__main__"):
            continue
        for name, value in vars(import_module(f"steady.{module}")).items():
            if isinstance(value, re.Pattern) and id(value) not in seen:
                seen.add(id(value))
                text = value if isinstance(value.pattern, str) else as_text(value)
                yield Attacked(f"{module}:{name}", text, tuple(sorted(asked[name])) or METHODS[:3])


def as_text(pattern: re.Pattern[bytes]) -> re.Pattern[str]:
    return re.compile(pattern.pattern.decode("ascii"), pattern.flags & ~re.UNICODE | re.ASCII)


def inline_patterns() -> Iterator[Attacked]:
    """Yield the patterns passed to `re.search` and similar functions."""
    for file, tree in by_file().items():
        for call in calls_of_re(tree):
            first = call.args[0]
            method = call.func.attr  # type: ignore[attr-defined]
            if method != "compile" and isinstance(first, ast.Constant):
                text = str(first.value)
                flags = re.ASCII if "ASCII" in ast.dump(call) else re.NOFLAG
                yield Attacked(f"{file}:{call.lineno}", re.compile(text, flags), (method,))


def test_patterns_built_at_run_time_are_listed() -> None:
    built = {
        file
        for file, tree in by_file().items()
        for call in calls_of_re(tree)
        if not isinstance(call.args[0], ast.Constant)
        and not isinstance(call.args[0], ast.BinOp)  # composed of constants, found by its name
    }
    assert built <= BUILT.keys()


REPEATS = (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT)
STOCK = "aZ1 .,-/:#\"'`<>[](){}|=_\t~@%*\\"


class Texts:
    """Adversarial texts that nearly match a pattern, with one long repetition.

    Parameters
    ----------
    pattern : re.Pattern
        The pattern.
    chance : random.Random
        Random generator.
    rounds : int
        Number of texts per repetition.
    """

    def __init__(self, pattern: re.Pattern[str], chance: random.Random, rounds: int) -> None:
        self._chance = chance
        self._candidates = STOCK + pattern.pattern
        self._groups: dict[int, str] = {}
        self._repetitions: dict[int, list[tuple[str, str]]] = defaultdict(list)
        tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        whole = [self._after("", tree) for _ in range(rounds)]
        self._alphabet = sorted(set("".join(whole)) | set(" a0."))
        places = [place for noted in self._repetitions.values() for place in noted[:rounds]]
        self.attacks = [(before, self._pump(body), self._end()) for before, body in places]
        if places:  # the search for a beginning: the beginning again and again
            cuts = [text[: chance.randint(1, max(1, len(text)))] for text in whole]
            self.attacks += [("", cut or "a", chance.choice(["", "\x00", "!"])) for cut in cuts]

    def _pump(self, body: str) -> str:
        one, two = self._chance.choices(self._alphabet, k=2)
        return self._chance.choice([body or "a", one, one + two])

    def _end(self) -> str:
        return self._chance.choice(
            ["", "\x00", "!", " ", "\n", *self._chance.choices(self._alphabet)]
        )

    def _after(self, text: str, tree: Any) -> str:
        """Append a match of a pattern to a text, and record its repetitions."""
        for kind, value in tree:
            if kind in REPEATS:
                text = self._repeated(text, *value)
            elif kind is kinds.BRANCH:
                text += self._chance.choice([self._added(text, one) for one in value[1]])
            elif kind is kinds.SUBPATTERN:
                self._groups[value[0]] = self._added(text, value[3])
                text += self._groups[value[0]]
            elif kind is kinds.ATOMIC_GROUP:
                text = self._after(text, value)
            elif kind in (kinds.ASSERT, kinds.ASSERT_NOT):
                self._added(text, value[1])
            elif kind is kinds.GROUPREF:
                text += self._groups.get(value, "")
            elif kind in (kinds.LITERAL, kinds.IN, kinds.NOT_LITERAL, kinds.ANY):
                text += self._character(kind, value)
        return text

    def _repeated(self, text: str, least: int, most: int, body: Any) -> str:
        once = self._added(text, body)
        if most >= 20:
            self._repetitions[id(body)].append((text, once))
        for _ in range(self._chance.randint(least, max(least, min(most, least + 2)))):
            text = self._after(text, body)
        return text

    def _added(self, text: str, tree: Any) -> str:
        return self._after(text, tree)[len(text) :]

    def _character(self, kind: Any, value: Any) -> str:
        if kind is kinds.LITERAL:
            return chr(value)
        taken = compiler.compile(parser.SubPattern(parser.State(), [(kind, value)]), 0)
        return self._chance.choice([c for c in self._candidates if taken.fullmatch(c)] or ["a"])


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
    """Return a description of the growth of time if it is too fast."""
    last = 0.0
    for power in range(SIZES):
        size = SMALL * STEP**power
        text = before + pump * (size // len(pump)) + end
        took = seconds(attacked, method, text)
        # Retry, because of caches and garbage collection; a bad pattern is slow every time.
        for _ in range(AGAIN if PATIENCE < took < LONG else 0):
            took = min(took, seconds(attacked, method, text))
        if took > PATIENCE and (power == 0 or took > MOST_GROWTH * last):
            call = f"{method}({before!r} + {pump!r} * n + {end!r})"
            return f"{attacked.place}: {call}: {size:,} characters {took:.2f} s"
        last = took
    return ""


def faults(attacked: Attacked, rounds: int) -> list[str]:
    texts = Texts(attacked.pattern, random.Random(attacked.place), rounds)
    for method in attacked.methods:
        for before, pump, end in dict.fromkeys(texts.attacks):
            if fault := explodes(attacked, method, before, pump, end):
                return [fault]  # one is sufficient, and each takes time
    return []


@pytest.mark.parametrize("rounds", [3, pytest.param(8, marks=pytest.mark.thorough)])
def test_time_grows_linearly_with_the_text(rounds: int) -> None:
    assert [
        fault for one in (*named_patterns(), *inline_patterns()) for fault in faults(one, rounds)
    ] == []


@looped(
    ("pattern", "method"),
    [
        # A former pattern of jmh_log_lines.py, and one that takes hours for a megabyte.
        (r"(?:[^#]{0,200}?(?:\d\d:\d\d(?:[.,]\d+)?\S*|[|\]>])\s+)??# (?P<rest>.*)", "fullmatch"),
        (r"\s+$", "search"),
        (r"(\w+\.)*\w+:", "search"),
    ],
)
def test_the_attack_finds_quadratic_patterns(pattern: str, method: str) -> None:
    attacked = Attacked(pattern, re.compile(pattern), (method,))
    assert faults(attacked, rounds=30)

"""What each group of benchmarks reaches, and the nearest change on its ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steady.harness.jmh.reach import facts
from steady.harness.jmh.reach.code_rules import Rules
from steady.harness.jmh.reach.explorer import Explorer
from steady.harness.jmh.reach.facts import Fact
from steady.harness.jmh.reach.jdk_doors import ANYTHING
from steady.harness.jmh.reach.kernel import Levels, distance

_BY_DOOR = 1_000
"""Methods that a way by a door of the JDK counts as: any other change is nearer."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest change: see `Decision`."""

    why: str = ""
    distance: int = 0
    share: float = 0.0


class Reached:
    """What groups of benchmarks reach.

    Parameters
    ----------
    rules : Rules
        What follows from what.
    starts : sequence of frozenset of Fact
        With what each group begins; a group is known by this.
    """

    def __init__(self, rules: Rules, starts: Sequence[frozenset[Fact]]) -> None:
        self._rules = rules
        self._bits = {start: bit for bit, start in enumerate(starts)}
        self._explorer = Explorer(rules.follow)
        begins = {_beginning(bit): [*sorted(s), (facts.ALWAYS,)] for s, bit in self._bits.items()}
        rules.starts = begins
        self._explorer.explore(begins)
        self._door = self._explorer.number((facts.DOOR, ANYTHING))
        numbers = map(self._explorer.number, begins)
        self._holds = self._explorer.graph.spread({n: 1 << b for b, n in enumerate(numbers)})
        self._known: dict[int, Nearest] = {}

    def nearest(self, start: frozenset[Fact]) -> Nearest:
        """Return the nearest change that a group reaches; one without a reason if there is none."""
        bit = self._bits[start]
        if bit not in self._known:
            self._known[bit] = self._nearest(bit)
        return self._known[bit]

    def _nearest(self, bit: int) -> Nearest:
        number = self._explorer.number(_beginning(bit))
        for levels, more in ((self._levels, 0), (self._levels_by_door, _BY_DOOR)):
            if distance(levels, number, bit) >= 0:
                way = self._explorer.graph.way(levels, self._holds, number, bit)
                passed = tuple(self._explorer.facts[one] for one in way)
                methods = sum(fact[0] == facts.RUN for fact in passed)
                why = facts.end_text(passed[-1], passed[:-1])
                return Nearest(why, methods + more, float(self._shares[bit]))
        return Nearest()

    @cached_property
    def _levels(self) -> Levels:
        ends = [n for n, fact in enumerate(self._explorer.facts) if self._rules.is_end(fact)]
        return self._explorer.graph.levels(self._holds, [n for n in ends if n != self._door])

    @cached_property
    def _levels_by_door(self) -> Levels:
        return self._explorer.graph.levels(self._holds, [self._door])

    @cached_property
    def _shares(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """For each group, the share of changed code in all that it may run, by bytes."""
        count = len(self._bits)
        width = -(-count // 8)
        all_code, changed = np.zeros(count), np.zeros(count)
        for fact, bits in zip(self._explorer.facts, self._holds, strict=False):
            if fact[0] != facts.RUN or not bits:
                continue
            size = self._rules.size(fact)
            packed = np.frombuffer(bits.to_bytes(width, "little"), np.uint8)
            own = np.unpackbits(packed, count=count, bitorder="little") * float(size)
            all_code += own
            if self._rules.is_end(fact):
                changed += own
        return changed / np.maximum(all_code, 1.0)


def _beginning(bit: int) -> Fact:
    return facts.BENCHMARK, str(bit)

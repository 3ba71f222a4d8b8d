"""Pairs of recorded benchmarks as base and head, with the rounds of short interleaved runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from evaluation._simulated_rounds import KeptPart, kept_part, part_from
from steady.compare.alpha_spending import looks_of
from steady.compare.pair import Pair
from steady.engine.unplanned import ROUNDS
from steady.execution.warm_up import largest_warm_up_factor
from steady.model import FloatArray

LATE = 1000
"""Number of iterations at the end of each fork that give the true ratio."""

EARLY = 700
"""Number of iterations that suffice for a short run."""

LOOKS = tuple(look for look in looks_of(ROUNDS) if look <= 10)
"""Numbers of rounds at the simulated interim analyses; few short runs have more rounds."""

LARGEST_SUITE = 8
"""Number of benchmarks that are judged together, as in a run of a few minutes."""


@dataclass(frozen=True, eq=False)
class Recorded:
    """The recorded forks of one benchmark.

    Parameters
    ----------
    name : str
        Project, method and parameters, separated by ``#``.
    forks : ndarray of float64, shape (forks, iterations)
        Seconds per operation.
    """

    name: str
    forks: FloatArray

    @property
    def project(self) -> str:
        """The project."""
        return self.name.split("#")[0]

    @property
    def method(self) -> str:
        """The project and the method, without parameters."""
        return "#".join(self.name.split("#")[:2])

    @property
    def level(self) -> float:
        """Mean of the logarithms of the mean late times of all forks."""
        return float(np.log(self.forks[:, -LATE:].mean(axis=1)).mean())


@dataclass(frozen=True, eq=False)
class Case:
    """Two recorded benchmarks as base and head.

    Parameters
    ----------
    base, head : Recorded
        The two sides.
    rounds : sequence of (int, int)
        Forks of base and head in each round.
    parts : dict of (int, int) to KeptPart
        Kept iterations of pairs of forks, as far as they are known.
    """

    base: Recorded
    head: Recorded
    rounds: Sequence[tuple[int, int]]
    parts: dict[tuple[int, int], KeptPart] = field(default_factory=dict)

    @property
    def truth(self) -> float:
        """Logarithm of the true ratio."""
        return 0.0 if self.base is self.head else self.head.level - self.base.level

    def pair(self, rounds: int, *, late: bool) -> Pair:
        """Return the first rounds as `steady compare` reads them.

        Parameters
        ----------
        rounds : int
            Number of rounds.
        late : bool
            Whether the iterations are taken from the late part of each fork.
        """
        forks = self.rounds[:rounds]
        parts = [part_from(self.iterations - LATE) if late else self._part(pair) for pair in forks]
        warm = [number for number, part in enumerate(parts) if not part.cold_seconds]
        enough = len(warm) >= LOOKS[0]
        cold = [] if enough else [part.cold_seconds for part in parts if part.cold_seconds]
        kept = [self._kept(forks[n], parts[n]) for n in (warm if enough else range(len(parts)))]
        base, head = np.stack(kept, axis=1)
        return Pair(
            "s/op",
            base,
            head,
            np.repeat(np.arange(len(kept))[:, np.newaxis], 2, axis=1),
            turns=np.ones(len(kept), dtype=bool),
            looks=looks_of(ROUNDS),
            cold_seconds=max(cold, default=0.0),
            cold_factor=largest_warm_up_factor(cold),
        )

    @property
    def iterations(self) -> int:
        """Number of recorded iterations of a fork."""
        return int(self.base.forks.shape[1])

    def _part(self, forks: tuple[int, int]) -> KeptPart:
        if forks not in self.parts:
            base, head = self.base.forks[forks[0], :EARLY], self.head.forks[forks[1], :EARLY]
            self.parts[forks] = kept_part(base, head)
        return self.parts[forks]

    def _kept(self, forks: tuple[int, int], part: KeptPart) -> FloatArray:
        return part.of(self.base.forks[forks[0]], self.head.forks[forks[1]])


Kind = Callable[[Sequence[Recorded], np.random.Generator], list[Case]]
"""Function of the benchmarks of a project that chooses pairs and their forks."""


def one_version(project: Sequence[Recorded], generator: np.random.Generator) -> list[Case]:
    """Assign the forks of each benchmark to base and head, each fork once."""
    cases = []
    for recorded in project:
        order = generator.permutation(len(recorded.forks)).reshape(2, -1)
        cases.append(Case(recorded, recorded, list(zip(*order.tolist(), strict=True))))
    return cases


def other_parameters(project: Sequence[Recorded], generator: np.random.Generator) -> list[Case]:
    """Compare each parameter combination of a method with another one of the same method."""
    found = groupby(sorted(project, key=lambda one: one.name), key=lambda one: one.method)
    return [case for _, own in found for case in _neighbours(list(own), generator)]


def other_benchmarks(project: Sequence[Recorded], generator: np.random.Generator) -> list[Case]:
    """Compare some benchmarks of a project with another one each."""
    return _neighbours(project, generator)[:LARGEST_SUITE]


def _neighbours(own: Sequence[Recorded], generator: np.random.Generator) -> list[Case]:
    """Compare each benchmark with the next one of a random order, with forks drawn at random."""
    order = [own[place] for place in generator.permutation(len(own))]
    cases = []
    for base, head in zip(order, [*order[1:], *order[:1]], strict=True):
        if base is not head:
            forks = [generator.integers(len(one.forks), size=LOOKS[-1]) for one in (base, head)]
            drawn = [(int(ours), int(theirs)) for ours, theirs in zip(*forks, strict=True)]
            cases.append(Case(base, head, drawn))
    return cases if len(own) > 2 else cases[:1]


KINDS: Mapping[str, Kind] = {
    "one version": one_version,
    "other parameters": other_parameters,
    "other benchmarks": other_benchmarks,
}

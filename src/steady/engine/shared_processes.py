"""Benchmarks that share a process, so that its start is paid once for all of them.

The harness names the process of a benchmark (`Runs.shared_process`), such as its file. In each
round, the benchmarks with the same name run in one process of base and one of head, which are
interleaved and always at the same benchmark. Each benchmark keeps its own trials, results and
verdict.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from steady.harness.runs import Runs
from steady.harness.trial import Trial
from steady.harnesses import harness_named
from steady.model import Identity

SHARED_SECONDS = 60.0
"""Maximum expected seconds of a process with several benchmarks. If a run is stopped, it loses the
results of such a process."""

FIRST_SHARE = 0.25
"""Maximum share of the remaining time for the first process of a run, which shows the pace."""


@dataclass(frozen=True)
class SharedProcesses:
    """The processes that several benchmarks of a run share.

    Parameters
    ----------
    names : mapping of Identity to str
        The process of each benchmark that shares one.
    start : float
        Seconds to start two processes, one of each version.
    """

    names: Mapping[Identity, str] = field(default_factory=dict)
    start: float = 0.0

    @classmethod
    def of(
        cls, harness: Runs, identities: Iterable[Identity], is_alone: Callable[[Identity], bool]
    ) -> "SharedProcesses":
        """Return the processes that a harness's benchmarks share.

        Parameters
        ----------
        harness : Runs
            The harness.
        identities : iterable of Identity
            The benchmarks that both versions have.
        is_alone : callable
            Returns whether a benchmark needs its own process.
        """
        named = {
            i: name for i in identities if (name := harness.shared_process(i)) and not is_alone(i)
        }
        sizes = Counter(named.values())
        shared = {i: name for i, name in named.items() if sizes[name] > 1}
        start = harness_named(harness.name).cost.fork_seconds if shared else 0.0
        return cls(shared, 2 * start)  # the second process starts after the first one

    @cached_property
    def _sizes(self) -> Mapping[str, int]:
        return Counter(self.names.values())

    def starts(self, identities: Collection[Identity]) -> float:
        """Return the mean number of pairs of processes for each of these benchmarks in a round."""
        processes = {self.names.get(i, i) for i in identities}
        return len(processes) / len(identities) if identities else 1.0

    def missing_start(self, identities: Sequence[Identity]) -> float:
        """Return the seconds of a start that the expected seconds of these benchmarks lack.

        Each benchmark is expected to pay its share of a start. If only some share a process, they
        pay for the others.
        """
        name = self.names.get(identities[0])
        if name is None:
            return 0.0
        return self.start * (1 - min(len(identities) / self._sizes[name], 1.0))


@dataclass(frozen=True)
class Room:
    """The time for the benchmarks of one process.

    Parameters
    ----------
    seconds : float
        Seconds until the end of the run.
    spare : float
        Seconds that benchmarks without priority must leave.
    is_first : bool
        Whether no fork of the run has ended yet.
    """

    seconds: float
    spare: float
    is_first: bool

    @property
    def most(self) -> float:
        """Maximum expected seconds of the process."""
        share = FIRST_SHARE if self.is_first and math.isfinite(self.seconds) else 1.0
        return min(share * self.seconds, SHARED_SECONDS)


def joining(
    first: Sequence[Trial],
    candidates: Iterable[Sequence[Trial]],
    processes: SharedProcesses,
    expected: Callable[[Sequence[Trial]], float],
    has_priority: Callable[[Sequence[Trial]], bool],
    room: Room,
) -> Iterator[Sequence[Trial]]:
    """Yield the pairs of trials that share the processes of a first pair.

    Parameters
    ----------
    first : sequence of Trial
        The first pair.
    candidates : iterable of sequence of Trial
        Pairs of other benchmarks with the same process, in the order of their importance.
    processes : SharedProcesses
        The shared processes.
    expected : callable
        Returns the expected seconds of a pair.
    has_priority : callable
        Returns whether a pair is due now. Others leave `Room.spare`.
    room : Room
        The time.
    """
    identities, total = [first[0].identity], expected(first)
    for pair in candidates:
        own = total + expected(pair)
        whole = own + processes.missing_start([*identities, pair[0].identity])
        if whole > room.most or (not has_priority(pair) and room.seconds - whole < room.spare):
            continue
        identities.append(pair[0].identity)
        total = own
        yield pair

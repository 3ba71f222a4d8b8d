"""The priority of benchmarks when the time is too short for all.

A benchmark with fewer rounds than the first interim analysis needs has no verdict, so its rounds
are of no use. If not all benchmarks can have as many, some get all of theirs, and the others one
round.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median_low

from steady.compare.alpha_spending import FIRST_LOOK
from steady.engine.journal import JournalEntry
from steady.engine.screening import NOTABLE, NOTABLE_TIMES
from steady.engine.time_limit import pace
from steady.harness.builds import UNKNOWN, Nearness, is_near
from steady.harness.trial import Trial
from steady.model import Identity
from steady.model.identity import by_method

FIRST_SHARE = 0.7
"""Share of the time for first rounds, if not all benchmarks can have all their rounds."""


def order_by_number(
    identities: Collection[Identity], number: int, parts: int
) -> tuple[Identity, ...]:
    """Order benchmarks so that consecutive numbers start with different ones, as in a rotation.

    Parameters
    ----------
    identities : collection of Identity
        The benchmarks.
    number : int
        Any number, such as that of a pull request.
    parts : int
        Number of parts that each fit into the time. This many consecutive numbers start with each
        part once.
    """
    ordered = sorted(identities, key=lambda identity: identity.label)
    begin = number % parts * len(ordered) // parts
    return tuple(ordered[begin:] + ordered[:begin])


def nearest_first(
    ordered: Sequence[Identity], nearness: Mapping[Identity, Nearness]
) -> tuple[Identity, ...]:
    """Order benchmarks by their call distance to changed code.

    Benchmarks with a known path to changed code come first, one parameter combination per method
    before the second ones, and otherwise by distance. The given order breaks ties.

    Parameters
    ----------
    ordered : sequence of Identity
        The benchmarks, in an order that changes from run to run.
    nearness : mapping of Identity to (float, float)
        Sort key of each benchmark by its path to changed code. Benchmarks without one come last.
    """
    turn = {i: turn for own in by_method(ordered).values() for turn, i in enumerate(own)}
    near = {identity: nearness.get(identity, UNKNOWN) for identity in ordered}
    return tuple(sorted(ordered, key=lambda i: (not is_near(near[i]), turn[i], near[i])))


@dataclass
class Priority:
    """The choice of the benchmarks that are measured next, to find as many changes as possible.

    If the time is too short for the first rounds of all benchmarks, each gets one round. A
    benchmark with a notable difference continues immediately. After the time for first rounds, only
    these benchmarks continue (`steady.engine.follow_up`). If no difference is notable, all started
    benchmarks continue, the largest difference first, and a new one starts only if there is time
    for all its rounds. Stopping benchmarks without a difference cannot cause false alarms.

    Parameters
    ----------
    order : sequence of Identity
        The order of benchmarks; all others come last.
    difference : callable
        Returns the absolute logarithm of the ratio of a benchmark's versions in the results so far;
        infinite if it is unknown.
    whole : float
        Seconds of the whole run.
    notable : float, optional
        Smallest notable difference, if screening determined it; by default it follows from all
        first rounds.
    """

    order: Sequence[Identity] = ()
    difference: Callable[[Identity], float] = lambda _: math.inf
    whole: float = math.inf
    notable: float | None = None
    _places: Mapping[Identity, int] = field(init=False)
    _differences: dict[Identity, float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._places = {identity: place for place, identity in enumerate(self.order)}

    @property
    def spare(self) -> float:
        """Seconds of the run that first rounds leave to other rounds."""
        return (1 - FIRST_SHARE) * self.whole if math.isfinite(self.whole) else 0.0

    def in_order(self, rounds: Iterable[Sequence[Trial]]) -> list[Sequence[Trial]]:
        """Return rounds in the order of their benchmarks."""
        return sorted(rounds, key=lambda own: self._places.get(own[0].identity, math.inf))

    def chosen(
        self,
        schedule: Sequence[Trial],
        left: Sequence[Trial],
        records: Mapping[int, JournalEntry],
        seconds: float,
        doubt: float = 1.0,
    ) -> frozenset[Identity]:
        """Return the benchmarks whose trials all fit into the time.

        Started benchmarks come first, since they have fewer remaining rounds, except those whose
        first round showed no difference. If none fits, the first one is still chosen, because
        it may take less time than expected.

        Parameters
        ----------
        schedule : sequence of Trial
            The whole schedule so far.
        left : sequence of Trial
            The trials that remain before the first interim analysis.
        records : mapping of int to JournalEntry
            Outcomes of trials.
        seconds : float
            The remaining seconds.
        doubt : float
            Safety factor for the expected seconds of benchmarks that have not started, unless the
            expected seconds of all benchmarks fit. If it is finite and above 1, no benchmark starts
            that does not fit.
        """
        needed = seconds_needed(schedule, left, records)
        if sum(needed.values()) <= seconds:
            return frozenset(needed)
        ran = {
            (t.identity, t.round, records[t.number].cold) for t in schedule if t.number in records
        }
        warm = Counter(identity for identity, _, cold in ran if not cold)
        # A cold round counts as a first round at most, and so does the warm one after it.
        rounds = Counter({identity: max(warm[identity], 1) for identity, *_ in ran})
        beginning = self._is_time_to_begin(needed, rounds, seconds)
        ordered = self._ordered(needed, rounds, beginning=beginning)
        chosen = set()
        for identity in ordered:
            new = not rounds[identity]
            own = needed[identity] * (doubt if new else 1.0)
            if own <= seconds:
                chosen.add(identity)
                seconds -= own
                if new and beginning:
                    break  # its first round decides on the next one
        if not chosen and 1.0 < doubt < math.inf and not (ordered and rounds[ordered[0]]):
            return frozenset()  # unclear benchmarks make better use of the rest of the time
        return frozenset(chosen or ordered[:1])

    def _ordered(
        self, needed: Collection[Identity], rounds: Mapping[Identity, int], *, beginning: bool
    ) -> list[Identity]:
        """Return the benchmarks that may continue or begin, in their order.

        After the time for first rounds, only those with a notable difference continue, if any has
        one.
        """
        notable, differing = self._notable(rounds, needed)

        def shows(identity: Identity) -> bool:
            return rounds[identity] > 1 or self._first_difference(identity) >= notable

        if differing and not beginning:
            needed = [i for i in needed if rounds[i] and shows(i)]

        def place(identity: Identity) -> tuple[int, float, float, str]:
            named, begun = self._places.get(identity, math.inf), rounds[identity]
            if not begun:
                return 1 if beginning else 2, 0.0, named, identity.label
            if shows(identity):
                return 0, -begun, named, identity.label
            return 2 if beginning else 1, -self._first_difference(identity), named, identity.label

        return sorted(needed, key=place)

    def _notable(
        self, rounds: Collection[Identity], is_open: Collection[Identity]
    ) -> tuple[float, bool]:
        """Return the smallest notable difference, and whether any benchmark has one."""
        known = [self._first_difference(i, is_open=i in is_open) for i in rounds]
        finite = [one for one in known if one < math.inf]
        if self.notable is not None:
            return self.notable, any(one >= self.notable for one in finite)
        # The lower median, so that one of two can stand out.
        notable = max(NOTABLE, NOTABLE_TIMES * median_low(finite or [0.0]))
        return notable, any(one >= notable for one in finite)

    def _is_time_to_begin(
        self, needed: Mapping[Identity, float], rounds: Mapping[Identity, int], seconds: float
    ) -> bool:
        """Return whether one more first round leaves enough time, at least for two verdicts."""
        new = [identity for identity in needed if not rounds.get(identity)]
        if not new or not math.isfinite(self.whole):
            return False
        own = needed[min(new, key=lambda i: (self._places.get(i, math.inf), i.label))]
        one_round = own / FIRST_LOOK
        rest = own - one_round
        return seconds - one_round >= max(self.spare, 2 * rest)

    def _first_difference(self, identity: Identity, *, is_open: bool = True) -> float:
        """Return the difference in a benchmark's first round; infinite if it is unknown.

        While trials remain, an unknown difference is computed again, as it may become known.
        """
        known = self._differences.get(identity)
        if known is None or (is_open and known == math.inf):
            self._differences[identity] = known = self.difference(identity)
        return known


def seconds_needed(
    schedule: Sequence[Trial], left: Sequence[Trial], records: Mapping[int, JournalEntry]
) -> dict[Identity, float]:
    """Return the expected seconds of the remaining trials of each benchmark.

    A trial is expected to take as long as earlier ones of its benchmark; without any, its planned
    seconds times the ratio of actual to planned seconds of all finished trials.
    """
    spent: dict[Identity, list[float]] = {}
    for trial in schedule:
        if trial.number in records:
            spent.setdefault(trial.identity, []).append(records[trial.number].seconds)
    slowness = pace(records)
    needed: dict[Identity, float] = {}
    for trial in left:
        own = spent.get(trial.identity)
        seconds = trial.seconds * slowness if own is None else sum(own) / len(own)
        needed[trial.identity] = needed.get(trial.identity, 0.0) + seconds
    return needed

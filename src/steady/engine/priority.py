"""Who is measured where the time is too short for all: in which order, and who goes on.

A benchmark with fewer rounds than the first decision needs has no verdict, so its rounds are of no
use. Where not all benchmarks can have as many, some get all of theirs, and the others a glance.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median_low

from steady.compare.alpha_spending import FIRST_LOOK
from steady.engine.journal import JournalEntry
from steady.engine.time_limit import pace
from steady.harness.builds import UNKNOWN, Nearness, is_near
from steady.harness.trial import Trial
from steady.model import Identity
from steady.model.identity import by_method

GLANCES_SHARE = 0.7
"""Part of the time in which benchmarks begin with one round, where not all can have theirs."""

TELLING = math.log(1.05)
"""A first round that differs by less tells little: fork and fork of one version do as much."""

TELLING_TIMES = 2.0
"""So does one that differs by less than so many times the median of all first rounds."""


def order_by_number(
    identities: Collection[Identity], number: int, parts: int
) -> tuple[Identity, ...]:
    """Put benchmarks in an order that begins with others for each number, as in a rotation.

    Parameters
    ----------
    identities : collection of Identity
        All of them.
    number : int
        Any number, such as that of a pull request.
    parts : int
        Into how many parts, of which each fits into the time, they are dealt out: as many
        successive numbers begin with each part once.
    """
    ordered = sorted(identities, key=lambda identity: identity.label)
    begin = number % parts * len(ordered) // parts
    return tuple(ordered[begin:] + ordered[:begin])


def nearest_first(
    ordered: Sequence[Identity], nearness: Mapping[Identity, Nearness]
) -> tuple[Identity, ...]:
    """Return benchmarks in the order of attention.

    What has a known way to the change comes before all else. Of that, one combination of parameters
    of each method comes before the second one, and of those what is nearest to the change; the
    given order decides among equals.

    Parameters
    ----------
    ordered : sequence of Identity
        In an order that changes from run to run.
    nearness : mapping of Identity to (float, float)
        What sorts benchmarks by their way to what differs. What is not known comes last.
    """
    turn = {i: turn for own in by_method(ordered).values() for turn, i in enumerate(own)}
    near = {identity: nearness.get(identity, UNKNOWN) for identity in ordered}
    return tuple(sorted(ordered, key=lambda i: (not is_near(near[i]), turn[i], near[i])))


@dataclass
class Priority:
    """Chooses what is measured next, so that changes are found among as many as possible.

    Where not all can have all of their first rounds, each gets one in turn: a glance. What differs
    more than most others goes on at once. At the end of the time for glances, the rest of it is for
    what differs (`steady.engine.follow_up`). If nothing does, all that was begun goes on, the
    largest difference first, and nothing begins that has no time for all. To end what shows no
    difference adds no false alarms: they only become fewer.

    Parameters
    ----------
    order : sequence of Identity
        Who comes first. Benchmarks that are not named come last.
    difference : callable
        Returns how much the versions of a benchmark differ in what was measured so far: the
        absolute logarithm of their ratio, infinite if that is unknown.
    whole : float
        Seconds of the whole run.
    """

    order: Sequence[Identity] = ()
    difference: Callable[[Identity], float] = lambda _: math.inf
    whole: float = math.inf
    _places: Mapping[Identity, int] = field(init=False)
    _glances: dict[Identity, float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._places = {identity: place for place, identity in enumerate(self.order)}

    def chosen(
        self,
        schedule: Sequence[Trial],
        left: Sequence[Trial],
        records: Mapping[int, JournalEntry],
        seconds: float,
        doubt: float = 1.0,
    ) -> frozenset[Identity]:
        """Return the benchmarks whose trials all fit into the time.

        What has begun comes first, since less of it is left, but for a glance that showed nothing.
        If nothing fits, the first one is chosen all the same: it may take less than it should.

        Parameters
        ----------
        schedule : sequence of Trial
            The whole schedule so far.
        left : sequence of Trial
            The trials that have to be run before the first decision.
        records : mapping of int to JournalEntry
            How trials ended.
        seconds : float
            How much time is left.
        doubt : float
            How many times longer than expected it may take what has not begun, which begins only
            where there is time for that, unless there is for all as expected. If it is more than 1
            and not infinite, nothing that does not fit is begun.
        """
        needed = seconds_needed(schedule, left, records)
        if sum(needed.values()) <= seconds:
            return frozenset(needed)
        ran = {
            (t.identity, t.round, records[t.number].cold) for t in schedule if t.number in records
        }
        warm = Counter(identity for identity, _, cold in ran if not cold)
        # What stayed cold is a glance at the most, and so is the warm one after it.
        rounds = Counter({identity: max(warm[identity], 1) for identity, *_ in ran})
        glancing = self._is_time_for_glances(needed, rounds, seconds)
        ordered = self._ordered(needed, rounds, glancing=glancing)
        chosen = set()
        for identity in ordered:
            new = not rounds[identity]
            own = needed[identity] * (doubt if new else 1.0)
            if own <= seconds:
                chosen.add(identity)
                seconds -= own
                if new and glancing:
                    break  # what its first round shows decides who is next
        if not chosen and 1.0 < doubt < math.inf and not (ordered and rounds[ordered[0]]):
            return frozenset()  # what is open makes more of the rest of the time
        return frozenset(chosen or ordered[:1])

    def _ordered(
        self, needed: Collection[Identity], rounds: Mapping[Identity, int], *, glancing: bool
    ) -> list[Identity]:
        """Return what may go on or begin, in its order; what differs, and its rest of the time.

        After the time for glances, nothing else goes on where a first round differed: the rest of
        the time is for that.
        """
        telling, differing = self._telling(rounds, needed)

        def shows(identity: Identity) -> bool:
            return rounds[identity] > 1 or self._glance(identity) >= telling

        if differing and not glancing:
            needed = [i for i in needed if rounds[i] and shows(i)]

        def place(identity: Identity) -> tuple[int, float, float, str]:
            named, begun = self._places.get(identity, math.inf), rounds[identity]
            if not begun:
                return 1 if glancing else 2, 0.0, named, identity.label
            if shows(identity):
                return 0, -begun, named, identity.label
            return 2 if glancing else 1, -self._glance(identity), named, identity.label

        return sorted(needed, key=place)

    def _telling(
        self, rounds: Collection[Identity], is_open: Collection[Identity]
    ) -> tuple[float, bool]:
        """Return from which difference on a first round tells something, and whether any does."""
        known = [self._glance(i, is_open=i in is_open) for i in rounds]
        glances = [one for one in known if one < math.inf]
        # The lower median, so that one of two can stand out.
        telling = max(TELLING, TELLING_TIMES * median_low(glances or [0.0]))
        return telling, any(one >= telling for one in glances)

    def _is_time_for_glances(
        self, needed: Mapping[Identity, float], rounds: Mapping[Identity, int], seconds: float
    ) -> bool:
        """Tell whether enough time is left after one more glance, at least for two verdicts."""
        new = [identity for identity in needed if not rounds.get(identity)]
        if not new or not math.isfinite(self.whole):
            return False
        own = needed[min(new, key=lambda i: (self._places.get(i, math.inf), i.label))]
        glance = own / FIRST_LOOK
        rest = own - glance
        return seconds - glance >= max((1 - GLANCES_SHARE) * self.whole, 2 * rest)

    def _glance(self, identity: Identity, *, is_open: bool = True) -> float:
        """Return how much a benchmark differs in its first round; infinite if that is unknown.

        What has forks left may be known later, so it is asked about again.
        """
        known = self._glances.get(identity)
        if known is None or (is_open and known == math.inf):
            self._glances[identity] = known = self.difference(identity)
        return known


def seconds_needed(
    schedule: Sequence[Trial], left: Sequence[Trial], records: Mapping[int, JournalEntry]
) -> dict[Identity, float]:
    """Return how long the trials of each benchmark that are left will take.

    Each takes as long as those of its benchmark did so far; before the first one, as long as was
    promised, times the ratio of real to promised seconds of all that ran.
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

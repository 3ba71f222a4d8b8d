"""The cheapest forks and iterations with which the verdict finds a change of a given size.

Base and head take turns, so the unit is a pair of forks. The variance of the estimated change and
the cost of a pair decide together (Kalibera and Jones). If forks differ much, few iterations and
many forks are best; if their start and their warm-up take long, many iterations and few forks are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from steady.compare.alpha_spending import looks_of, nominal_confidence
from steady.compare.suite_wide import CONFIDENCE, FALSE_ALARMS
from steady.errors import InputError
from steady.model import FloatArray
from steady.optimize.error_budget import bisect
from steady.optimize.error_model import steps
from steady.optimize.pair_components import PairComponents, of_run
from steady.optimize.strategy import Choice, Material
from steady.optimize.time_budget import OverTimeError
from steady.optimize.verdict_reach import Reach
from steady.optimize.warm_up import shortest_fork
from steady.stats.samples import IntArray
from steady.text.numbers import percent

MOST_ROUNDS = 30
"""Most pairs of forks: a change that needs more is not found in a pull request."""

MIDDLE_MEAN_COST = 1.19
"""Variance of the mean of the middle half, which the verdict uses, as a multiple of that of the
mean."""

_LIKELY_SHARE = 1 / 9
"""The share of the variance between forks without turns that forks in turn are assumed to have when
iterations are chosen. It is the geometric middle between all of it, as on a quiet machine, and an
81st, which is about what `evaluation.detect` found on a busy one."""

_LARGEST = 10.0  # logarithm of a change; no noise that anybody measures hides a larger one
_PRICES = (1e-9, 1e9)  # practically nothing, and more than any change is worth
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class PairOffer:
    """What `Detect` has to know of one benchmark.

    Parameters
    ----------
    components : PairComponents, optional
        None where too little was measured.
    iterations, rounds : ndarray of int, shape (configurations,)
        Measurement iterations of a fork, and pairs of forks; by ascending seconds.
    seconds : ndarray of float64, shape (configurations,)
        Of all pairs, base and head together.
    """

    components: PairComponents | None
    iterations: IntArray
    rounds: IntArray
    seconds: FloatArray

    @property
    def least_seconds(self) -> float:
        """What base and head take at least."""
        return float(self.seconds[0])


@dataclass(frozen=True, slots=True)
class Detect:
    """Strategy ``detect``: the cheapest plan that finds a change of one size.

    Parameters
    ----------
    detect : float
        Relative change that should be found, as a fraction.
    power : float
        Probability with which it is found.
    confidence : float, optional
        Of a benchmark's verdict, over all looks of the run. Without it, all benchmarks of the suite
        share the usual rate of false alarms, as in a comparison.
    min_change : float
        Smallest change that the verdict reports.
    time_budget : float, optional
        Seconds for base and head together. As many benchmarks as possible find `detect`; the rest
        of the time goes where it reduces the smallest detectable change most.
    """

    detect: float = 0.05
    power: float = 0.8
    confidence: float | None = None
    min_change: float = 0.03
    time_budget: float | None = None

    min_forks: ClassVar[int] = 3
    interleaved: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.detect <= self.min_change:
            raise InputError(
                f"detect is {self.detect:g}, but the verdict reports no change below min_change, "
                f"which is {self.min_change:g}; give a larger detect or a smaller min_change"
            )

    def offer(self, material: Material) -> PairOffer:
        """Return the configurations of a benchmark that cost no more than its full run."""
        start, forks = material.measured_from, len(material.series)
        longest = shortest_fork(material.series) - start
        lengths = steps(longest)
        lengths = lengths[lengths >= min(material.min_iterations, longest)]
        fewest = max(material.min_forks, self.min_forks)
        counts = np.arange(fewest, max(MOST_ROUNDS, fewest) + 1)
        length, count = (grid.ravel() for grid in np.meshgrid(lengths, counts, indexing="ij"))
        one = count * material.cost.fork_seconds(material.warmup, start, length)
        components = material.recorded or of_run(material.steady)
        within = one < forks * material.cost.full_fork_seconds
        within &= length >= _fewest_iterations(components, material, lengths)
        if within.any() and components is not None:
            length, count = length[within], count[within]
        else:
            length, count = np.array([longest]), np.array([forks])
        seconds = count * material.cost.pair_seconds(material.warmup, start, length)
        order = np.lexsort((count, seconds))
        return PairOffer(components, length[order], count[order], seconds[order])

    def reach(self, known: Sequence[PairOffer]) -> Reach:
        """Return what the verdicts find for the benchmarks of which something is known."""
        return _reach(tuple(known), self.confidence)

    def prepare(self, offers: Sequence[PairOffer], kept_seconds: float) -> DetectChooser:
        """Learn from the suite what single benchmarks do not show, and distribute the time.

        Raises
        ------
        OverTimeError
            If the suite cannot be run in the time budget.
        """
        known = [offer for offer in offers if offer.components is not None]
        chooser = DetectChooser(self, self.reach(known) if known else None)
        if self.time_budget is None:
            return chooser
        sizes = [chooser.sizes(offer) for offer in offers]
        least = kept_seconds + sum(offer.least_seconds for offer in offers)
        if least > self.time_budget:
            raise OverTimeError(self.time_budget, least)
        return _within(chooser, offers, sizes, self.time_budget - kept_seconds)


@dataclass(frozen=True, slots=True)
class DetectChooser:
    """The chooser of strategy ``detect``: a configuration for each benchmark.

    Parameters
    ----------
    wish : Detect
        The options.
    reach : Reach, optional
        What the suite tells its verdicts; None if nothing is known of any benchmark.
    most : float
        Seconds beyond its cheapest configuration that a benchmark may take to find the wanted
        change.
    price : float, optional
        By how much the root of a second must reduce the detectable change to be spent beyond that;
        None: the cheapest configuration is taken.
    """

    wish: Detect
    reach: Reach | None
    most: float = np.inf
    price: float | None = None

    def choose(self, material: Material, offer: PairOffer) -> Choice:
        """Choose iterations and pairs of forks."""
        sizes = self.sizes(offer)
        row = self.row(offer, sizes)
        size = float(sizes[row])
        finite = bool(np.isfinite(size))
        return Choice(
            material.warmup,
            int(offer.iterations[row]),
            int(offer.rounds[row]),
            finite,
            self._reason(size, bound=offer.components is None or not offer.components.rounds),
            detectable=size if finite else None,
            recorded_rounds=offer.components.rounds if finite and offer.components else None,
        )

    def pair_seconds(self, offer: PairOffer) -> float:
        """Return what base and head of a benchmark will cost."""
        return float(offer.seconds[self.row(offer, self.sizes(offer))])

    def sizes(self, offer: PairOffer) -> FloatArray:
        """Return the change that each configuration finds; infinite where nothing is known."""
        own = offer.components
        if own is None:
            return np.full(len(offer.seconds), np.inf)
        reach = self.reach or self.wish.reach([offer])
        return _sizes(reach, own, offer, self.wish.power, self.wish.min_change)

    def row(self, offer: PairOffer, sizes: FloatArray) -> int:
        """Return which configuration is taken."""
        reached = sizes <= self.wish.detect
        if reached.any() and offer.seconds[np.argmax(reached)] - offer.seconds[0] <= self.most:
            allowed = np.flatnonzero(reached)
        elif self.price is None:
            allowed = np.flatnonzero(sizes <= self._sensible(float(sizes.min())))
        else:
            allowed = np.arange(len(sizes))
        if self.price is None:
            return int(allowed[0])
        worth = sizes[allowed] + self.price * np.sqrt(offer.seconds[allowed])
        return int(allowed[np.argmin(worth)])

    def _sensible(self, best: float) -> float:
        """Return the wish, doubled until the best configuration finds it."""
        if not np.isfinite(best):
            return best
        doublings = np.ceil(np.log2(best / self.wish.detect) - _ROUNDING)
        return float(self.wish.detect * 2 ** max(doublings, 0.0)) * (1 + _ROUNDING)

    def _reason(self, size: float, *, bound: bool) -> str:
        if not np.isfinite(size):
            return "not all times are above 0, so the change that it finds is not known"
        text = f"finds a change of {percent(size)}{' or less' if bound else ''}"
        if size > 1:
            text = f"finds only a change of more than {percent(1.0)}"
        if size <= self.wish.detect:
            return text
        limit = "its full run takes" if self.wish.time_budget is None else "there is"
        return f"{text}; for {percent(self.wish.detect)} it needs more time than {limit}"


@lru_cache(maxsize=4)
def _reach(known: tuple[PairOffer, ...], confidence: float | None) -> Reach:
    """Return what the verdicts of these benchmarks find if a single benchmark changed.

    It is cached, because a plan for a time budget calls it many times.
    """
    shared = 1 - min(FALSE_ALARMS / len(known), 1 - CONFIDENCE)
    over_all_looks = shared if confidence is None else confidence
    return Reach.of(
        [offer.components for offer in known if offer.components is not None],
        [_noise(offer) for offer in known],
        {rounds for offer in known for rounds in offer.rounds.tolist()},
        lambda rounds: nominal_confidence(looks_of(rounds), rounds, over_all_looks),
    )


@lru_cache(maxsize=1024)
def _sizes(
    reach: Reach, own: PairComponents, offer: PairOffer, power: float, min_change: float
) -> FloatArray:
    """Return the change that each configuration of an offer finds."""
    logs = reach.sizes(own, _noise(offer), offer.rounds, power, min_change)
    sizes = np.asarray(np.expm1(np.minimum(logs, _LARGEST)))
    sizes.flags.writeable = False
    return sizes


def _noise(offer: PairOffer) -> FloatArray:
    """Return the part of a round's variance that comes from iterations, by configuration."""
    iterations = 0.0 if offer.components is None else offer.components.iterations
    return np.asarray(MIDDLE_MEAN_COST * iterations / offer.iterations)


def _fewest_iterations(
    components: PairComponents | None, material: Material, lengths: IntArray
) -> int:
    """Return the fewest iterations of a fork that are tried.

    If forks took no turns, only an upper limit of their spread in turn is known, and the best
    number of iterations for that limit would be too small. So it is at least the best one for the
    middle between that limit and what recorded turns show (Kalibera and Jones).
    """
    if components is None or components.rounds:
        return int(lengths[0])
    start = material.measured_from
    one, two = (float(material.cost.pair_seconds(material.warmup, start, n)) for n in (0, 1))
    between = _LIKELY_SHARE * max(components.levels.variance - components.explained, 0.0)
    noise = MIDDLE_MEAN_COST * components.iterations
    if not noise:
        return int(lengths[0])
    best = np.sqrt(one / max(two - one, _ROUNDING) * noise / max(between, _ROUNDING * noise))
    return int(lengths[np.searchsorted(lengths, min(best, lengths[-1] / 2))])


def _within(
    chooser: DetectChooser,
    offers: Sequence[PairOffer],
    sizes: Sequence[FloatArray],
    seconds: float,
) -> DetectChooser:
    """Return a chooser whose choices for the whole suite take at most `seconds`.

    First, as many benchmarks as possible find the wanted change: those that need the fewest further
    seconds for it. Then the rest of the time has one price.
    """

    def fits(one: DetectChooser) -> bool:
        rows = [one.row(offer, size) for offer, size in zip(offers, sizes, strict=True)]
        return sum(float(o.seconds[r]) for o, r in zip(offers, rows, strict=True)) <= seconds

    dearest = _PRICES[1]
    further = [
        float(offer.seconds[np.argmax(reached)] - offer.seconds[0])
        for offer, size in zip(offers, sizes, strict=True)
        if (reached := size <= chooser.wish.detect).any()
    ]
    for most in (*sorted(set(further), reverse=True), -np.inf):
        chooser = replace(chooser, most=most, price=dearest)
        if fits(chooser):
            break

    def affordable(price: float) -> bool:
        return fits(replace(chooser, price=price))

    low, high = _PRICES
    price = low if affordable(low) else bisect(affordable, high, low)
    return replace(chooser, price=price)

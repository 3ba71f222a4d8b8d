"""The strategy `detect`: the cheapest configuration that detects a change of a given size.

Base and head are interleaved, so a pair of forks is the unit of replication. The choice balances
the variance of the estimated change against the cost of a pair (Kalibera and Jones): many forks of
few iterations if forks differ much, few forks of many iterations if start-up and warm-up take long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from steady.compare.alpha_spending import looks_of, nominal_confidence
from steady.compare.power import Historical, VerdictPower
from steady.errors import InputError
from steady.model import FloatArray
from steady.optimize.error_budget import bisect
from steady.optimize.error_model import steps
from steady.optimize.strategy import Choice, Material
from steady.optimize.suite_parts import OverTimeError
from steady.optimize.variance_components import VarianceComponents, from_run
from steady.optimize.warm_up import shortest_fork
from steady.options.strictness import MIN_CHANGE, USUAL_CONFIDENCE, USUAL_FALSE_ALARMS
from steady.stats.samples import IntArray
from steady.text.numbers import percent

MOST_ROUNDS = 30
"""Maximum number of pairs of forks in a plan."""

MIDMEAN_INFLATION = 1.19
"""Variance of the midmean, which the verdict uses, as a multiple of that of the mean."""

_INTERLEAVED_SHARE = 1 / 9
"""Assumed variance between interleaved forks, as a fraction of that between forks that were not
interleaved. It is used to choose the number of iterations. The value is the geometric mean of 1,
for a quiet machine, and 1/81, which is about the ratio that `evaluation.detect` found on a busy
machine.
"""

_LARGEST = 10.0  # logarithm of a change; any noise is smaller
_PRICES = (1e-9, 1e9)  # negligible, and prohibitive
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class PairOffer:
    """The configurations of one benchmark, and its variance components.

    Parameters
    ----------
    components : VarianceComponents, optional
        Variance components; None if there are too few measurements.
    iterations, rounds : ndarray of int, shape (configurations,)
        Measurement iterations of a fork, and pairs of forks; by ascending seconds.
    seconds : ndarray of float64, shape (configurations,)
        Seconds of all pairs, base and head together.
    """

    components: VarianceComponents | None
    iterations: IntArray
    rounds: IntArray
    seconds: FloatArray

    @property
    def least_seconds(self) -> float:
        """Seconds of base and head with the cheapest configuration."""
        return float(self.seconds[0])


@dataclass(frozen=True, slots=True)
class Detect:
    """Strategy ``detect``: the cheapest plan that detects a change of one size.

    Parameters
    ----------
    detect : float
        Relative change to detect, as a fraction.
    power : float
        Probability of its detection.
    confidence : float, optional
        Confidence level of a benchmark's verdict over all interim analyses. By default, the
        benchmarks of the suite share the default rate of false alarms, as in a comparison.
    min_change : float
        Smallest change that the verdict reports.
    time_budget : float, optional
        Seconds for base and head together. The change is detected in as many benchmarks as
        possible; the remaining time goes where it reduces the detectable effect most.
    """

    detect: float = 0.05
    power: float = 0.8
    confidence: float | None = None
    min_change: float = MIN_CHANGE.default
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
        """Return the configurations of a benchmark that cost less than its full run."""
        start, forks = material.measured_from, len(material.series)
        longest = shortest_fork(material.series) - start
        lengths = steps(longest)
        lengths = lengths[lengths >= min(material.min_iterations, longest)]
        fewest = max(material.min_forks, self.min_forks)
        counts = np.arange(fewest, max(MOST_ROUNDS, fewest) + 1)
        length, count = (grid.ravel() for grid in np.meshgrid(lengths, counts, indexing="ij"))
        one = count * material.cost.fork_seconds(material.warmup, start, length)
        components = material.recorded or from_run(material.steady)
        within = one < forks * material.cost.full_fork_seconds
        within &= length >= _fewest_iterations(components, material, lengths)
        if within.any() and components is not None:
            length, count = length[within], count[within]
        else:
            length, count = np.array([longest]), np.array([forks])
        seconds = count * material.cost.pair_seconds(material.warmup, start, length)
        order = np.lexsort((count, seconds))
        return PairOffer(components, length[order], count[order], seconds[order])

    def verdict_power(self, known: Sequence[PairOffer]) -> VerdictPower:
        """Return the power of the verdicts on the benchmarks with known components."""
        return _verdict_power(tuple(known), self.confidence)

    def prepare(self, offers: Sequence[PairOffer], kept_seconds: float) -> DetectChooser:
        """Compute the power of the suite's verdicts, and distribute the time budget.

        Raises
        ------
        OverTimeError
            If the suite cannot be run in the time budget.
        """
        known = [offer for offer in offers if offer.components is not None]
        chooser = DetectChooser(self, self.verdict_power(known) if known else None)
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
    strategy : Detect
        The strategy with its options.
    verdicts : VerdictPower, optional
        Power of the suite's verdicts; None if no benchmark has known components.
    most : float
        Maximum time in seconds, in addition to that of the cheapest configuration, that is spent to
        make the requested change detectable in a benchmark.
    price : float, optional
        Price of time: ``price * sqrt(seconds)`` is added to the detectable effect, and the sum is
        minimized. None for the cheapest configuration.
    """

    strategy: Detect
    verdicts: VerdictPower | None
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
        """Return the seconds of base and head of a benchmark."""
        return float(offer.seconds[self.row(offer, self.sizes(offer))])

    def sizes(self, offer: PairOffer) -> FloatArray:
        """Return the detectable effect of each configuration; infinite without components."""
        own = offer.components
        if own is None:
            return np.full(len(offer.seconds), np.inf)
        verdicts = self.verdicts or self.strategy.verdict_power([offer])
        return _sizes(
            verdicts, own.historical, offer, self.strategy.power, self.strategy.min_change
        )

    def row(self, offer: PairOffer, sizes: FloatArray) -> int:
        """Return the index of the chosen configuration."""
        reached = sizes <= self.strategy.detect
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
        """Return the requested change, doubled until the best configuration detects it."""
        if not np.isfinite(best):
            return best
        doublings = np.ceil(np.log2(best / self.strategy.detect) - _ROUNDING)
        return float(self.strategy.detect * 2 ** max(doublings, 0.0)) * (1 + _ROUNDING)

    def _reason(self, size: float, *, bound: bool) -> str:
        if not np.isfinite(size):
            return "not all times are above 0, so the detectable change is unknown"
        text = f"detectable change {percent(size)}{' or less' if bound else ''}"
        if size > 1:
            text = f"detectable change above {percent(1.0)}"
        if size <= self.strategy.detect:
            return text
        limit = "the full run" if self.strategy.time_budget is None else "the time budget allows"
        return f"{text}; {percent(self.strategy.detect)} requires more time than {limit}"


@lru_cache(maxsize=4)
def _verdict_power(known: tuple[PairOffer, ...], confidence: float | None) -> VerdictPower:
    """Return the power of the verdicts on these benchmarks if exactly one of them changed.

    The result is cached, because planning for a time budget needs it many times.
    """
    shared = 1 - min(USUAL_FALSE_ALARMS / len(known), 1 - USUAL_CONFIDENCE)
    over_all_looks = shared if confidence is None else confidence
    return VerdictPower.of(
        [offer.components.historical for offer in known if offer.components is not None],
        [_noise(offer) for offer in known],
        {rounds for offer in known for rounds in offer.rounds.tolist()},
        lambda rounds: nominal_confidence(looks_of(rounds), rounds, over_all_looks),
    )


@lru_cache(maxsize=1024)
def _sizes(
    verdicts: VerdictPower, own: Historical, offer: PairOffer, power: float, min_change: float
) -> FloatArray:
    """Return the detectable effect of each configuration of an offer."""
    logs = verdicts.detectable(own, _noise(offer), offer.rounds, power, min_change)
    sizes = np.asarray(np.expm1(np.minimum(logs, _LARGEST)))
    sizes.flags.writeable = False
    return sizes


def _noise(offer: PairOffer) -> FloatArray:
    """Return the part of a round's variance that is due to iterations, by configuration."""
    iterations = 0.0 if offer.components is None else offer.components.iterations
    return np.asarray(MIDMEAN_INFLATION * iterations / offer.iterations)


def _fewest_iterations(
    components: VarianceComponents | None, material: Material, lengths: IntArray
) -> int:
    """Return the smallest candidate number of iterations of a fork.

    Forks that were not interleaved give only an upper bound of the variance of interleaved ones,
    and the optimal number of iterations for that bound is too small. The result is the optimum for
    a smaller variance (`_INTERLEAVED_SHARE`; Kalibera and Jones).
    """
    if components is None or components.rounds:
        return int(lengths[0])
    start = material.measured_from
    one, two = (float(material.cost.pair_seconds(material.warmup, start, n)) for n in (0, 1))
    between = _INTERLEAVED_SHARE * max(components.levels.variance - components.explained, 0.0)
    noise = MIDMEAN_INFLATION * components.iterations
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

    First, the requested change is made detectable in as many benchmarks as possible, beginning with
    those that need the fewest additional seconds. The remaining time has one price.
    """

    def fits(one: DetectChooser) -> bool:
        rows = [one.row(offer, size) for offer, size in zip(offers, sizes, strict=True)]
        return sum(float(o.seconds[r]) for o, r in zip(offers, rows, strict=True)) <= seconds

    dearest = _PRICES[1]
    further = [
        float(offer.seconds[np.argmax(reached)] - offer.seconds[0])
        for offer, size in zip(offers, sizes, strict=True)
        if (reached := size <= chooser.strategy.detect).any()
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

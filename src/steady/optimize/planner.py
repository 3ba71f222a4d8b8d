"""From a full run to a plan in five steps, each with its reason."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np

from steady.errors import InputError
from steady.model import Benchmark, Identity, Suite
from steady.optimize.analysis import (
    Analysis,
    Progress,
    analyze_benchmark,
    warmup_in_turn,
)
from steady.optimize.between_runs import between_runs
from steady.optimize.cost import STARTUP_SECONDS, CostModel, configuration_of, cost_model
from steady.optimize.entries import Chosen, Subject, entry_of
from steady.optimize.held_out_error import held_out_error
from steady.optimize.over_time import OverTimeError, ways_to_fit
from steady.optimize.pair_components import PairComponents, recorded_in_turn
from steady.optimize.plan import Plan
from steady.optimize.strategies import DEFAULT_STRATEGY, make_strategy
from steady.optimize.strategy import Choice, Chooser, Material, Strategy
from steady.optimize.within_time import fitted, least_time
from steady.parallel import Mapper, mapper_of

Result = TypeVar("Result")


def optimize(
    suite: Suite,
    strategy: str = DEFAULT_STRATEGY,
    *,
    detector: str = "kb-kssd",
    similarity: str = "heuristic",
    min_forks: int | None = None,
    startup_seconds: float = STARTUP_SECONDS,
    unsteady: Literal["keep", "reduce"] = "keep",
    earlier: Sequence[Suite] = (),
    important: Callable[[Identity], bool] | None = None,
    jobs: int | Mapper = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Plan:
    """Plan the smallest configuration that each benchmark needs from now on.

    Parameters
    ----------
    suite : Suite
        The results of a full run, best with its warm-up iterations (JMH: ``-wi 0``).
    strategy : str
        Registered name; its own options follow as keywords: ``metric`` and ``threshold`` for
        ``uoptime``, ``budget`` or ``time_budget`` for ``error-budget``, ``detect``, ``power``,
        ``confidence``, ``min_change`` or ``time_budget`` for ``detect``. A percentage is a
        fraction below 1 such as 0.03, or a text such as ``"3%"``.
    detector, similarity : str
        Registered steady-state and fork-similarity methods.
    min_forks : int, optional
        Fewest forks of a reduced configuration; without it 5, and 3 pairs of forks for ``detect``.
        One fork is cheapest, but it is the main source of false alarms, because forks differ more
        than the iterations of one fork.
    startup_seconds : float
        Seconds that the start of a fork takes, if the results do not say.
    unsteady : {"keep", "reduce"}
        Whether a benchmark without steady state keeps its full configuration, or is reduced
        on the second half of its iterations.
    earlier : sequence of Suite
        Earlier runs of the suite, in their order: they show what another run adds to the expected
        error (see `steady.optimize.between_runs`). If base and head took turns, they also show
        ``detect`` how much pairs of forks differ.
    important : callable, optional
        Whether every pull request measures a benchmark, if the suite takes longer than the time
        budget (`steady.optimize.parts`).
    jobs : int or Mapper
        Processes, or a mapper that distributes the work (see `steady.parallel`). The plan is always
        the same to the byte.
    progress : callable, optional
        Called before each benchmark, first when it is analyzed and again when it is planned.
    **options
        The strategy's own options.

    Returns
    -------
    Plan
        One entry for each benchmark of the suite, in its order.

    Raises
    ------
    InputError
        If an option is unknown or out of range, if the cost of a benchmark is not known, if a
        value is too large or too small for a measurement, or if no plan fits into the time
        budget (`OverTimeError`).

    Examples
    --------
    >>> import numpy as np
    >>> import steady
    >>> times = 100 + np.random.default_rng(1).standard_normal((5, 60))
    >>> times[:, :8] += 50
    >>> suite = steady.Suite.of({"parse": times}, unit="ns/op", iteration_seconds=1)
    >>> plan = steady.optimize(suite, budget="3%")
    >>> entry = plan["parse"]
    >>> entry.forks, entry.warmup, entry.iterations
    (5, 8, 5)
    >>> f"{plan.seconds:.0f} s instead of {plan.full_seconds:.0f} s"
    '68 s instead of 302 s'
    """
    chosen_strategy = make_strategy(strategy, **options)
    fewest = chosen_strategy.min_forks if min_forks is None else min_forks
    common = _Options(detector, similarity, fewest, startup_seconds, unsteady)
    common.check()
    recorded = recorded_in_turn(earlier)
    for benchmark in suite.benchmarks:
        benchmark.check_range()
    rounds = _Progress(suite, progress)
    with mapper_of(jobs) as mapper:
        look = partial(_look, common, chosen_strategy, suite.harness)
        known = [(b, recorded.get(b.identity)) for b in suite.benchmarks]
        looks = rounds.during(mapper.map(look, known))
        subjects = [
            Subject(b, *look, suite.harness, important is not None and important(b.identity))
            for b, look in zip(suite.benchmarks, looks, strict=True)
        ]
        try:
            chooser, rotation = fitted(chosen_strategy, subjects)
        except OverTimeError as error:
            least = partial(_least_time, chosen_strategy, subjects, common)
            ways = ways_to_fit(least, error.time_budget, fewest, unsteady == "reduce")
            shortest = least_time(chosen_strategy, subjects)
            raise OverTimeError(
                error.time_budget,
                shortest,
                ways,
                one_by_one=len(subjects) > 1,
                important=any(subject.important for subject in subjects),
            ) from None
        work = [(s.material, s.offer, s.warmups_without(chosen_strategy)) for s in subjects]
        runs = between_runs(suite, earlier)
        choose = partial(_choose, chosen_strategy, chooser, runs.ratio)
        choices = list(rounds.during(mapper.map(choose, work)))
    return Plan(
        tuple(entry_of(subject, choice) for subject, choice in zip(subjects, choices, strict=True)),
        strategy,
        options=asdict(common) | asdict(chosen_strategy),  # type: ignore[call-overload]
        harness=suite.harness,
        harness_version=suite.harness_version,
        environments=suite.environments,
        data_digest=data_digest(suite),
        between_runs=runs,
        rotation=rotation,
    )


def data_digest(suite: Suite) -> str:
    """Return the SHA-256 over all identities and measurements that a plan was made from."""
    digest = hashlib.sha256()
    for benchmark in sorted(suite.values(), key=lambda b: b.identity):
        digest.update(repr((benchmark.identity, benchmark.unit, benchmark.warmup)).encode())
        digest.update(repr(benchmark.measurements.shape).encode())
        digest.update(np.ascontiguousarray(benchmark.measurements, "<f8").tobytes())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class _Options:
    """The options that all strategies have in common; see `optimize`."""

    detector: str
    similarity: str
    min_forks: int
    startup_seconds: float
    unsteady: Literal["keep", "reduce"]

    def check(self) -> None:
        """Raise InputError if an option is out of range."""
        if self.min_forks < 1:
            raise InputError(f"min_forks is {self.min_forks}; give at least 1")
        if self.unsteady not in ("keep", "reduce"):
            raise InputError(f"unsteady is {self.unsteady!r}; give 'keep' or 'reduce'")
        if not np.isfinite(self.startup_seconds) or self.startup_seconds < 0:
            raise InputError(
                f"startup_seconds is {self.startup_seconds}; give seconds of 0 or more"
            )

    def material(
        self,
        benchmark: Benchmark,
        analysis: Analysis,
        cost: CostModel,
        strategy: Strategy,
        recorded: PairComponents | None = None,
    ) -> Material | None:
        """Return what the strategy works on; None if the benchmark keeps its configuration."""
        series = benchmark.fork_times
        warmup = analysis.warmup
        if warmup is None:
            if self.unsteady == "keep" or analysis.similarity is None:
                return None
            warmup = series.shape[1] // 2
        full = configuration_of(benchmark)
        same_length = full.warmup_seconds == full.iteration_seconds
        agree = analysis.similarity is None or analysis.similarity.similar
        all_stay = not (agree or strategy.in_turn)
        if strategy.in_turn:
            warmup = warmup_in_turn(series, analysis.starts, warmup)
        return Material(
            series=series,
            warmup=warmup,
            first=0 if same_length else benchmark.warmup,
            cost=cost,
            # If forks disagree, they are the noise, so the repetition has to come from forks.
            min_forks=len(series) if all_stay else self.min_forks,
            recorded=recorded and recorded.with_iterations_of(full.iteration_seconds),
        )


class _Progress:
    """Reports two rounds over a suite as if they were one."""

    def __init__(self, suite: Suite, progress: Progress | None) -> None:
        self._labels = [benchmark.identity.label for benchmark in suite.benchmarks]
        self._progress = progress
        self._done = 0

    def during(self, results: Iterator[Result]) -> Iterator[Result]:
        """Report the progress before each result of a round."""
        for label in self._labels:
            if self._progress is not None:
                self._progress(self._done // 2, len(self._labels), label)
            yield next(results)
            self._done += 1


def _look(
    common: _Options,
    strategy: Strategy,
    harness: str,
    known: tuple[Benchmark, PairComponents | None],
) -> tuple[Analysis, CostModel, Material | None, Any]:
    """Return what is known of a benchmark before anything is chosen, and the strategy's offer."""
    benchmark, recorded = known
    analysis = analyze_benchmark(benchmark, detector=common.detector, forks=common.similarity)
    cost = cost_model(benchmark, common.startup_seconds, harness=harness)
    material = common.material(benchmark, analysis, cost, strategy, recorded)
    return analysis, cost, material, None if material is None else strategy.offer(material)


def _least_time(
    strategy: Strategy,
    subjects: Sequence[Subject],
    common: _Options,
    min_forks: int,
    reduce_unsteady: bool,
) -> float:
    """Return the shortest time budget with other options."""
    unsteady: Literal["keep", "reduce"] = "reduce" if reduce_unsteady else "keep"
    other = replace(common, min_forks=min_forks, unsteady=unsteady)
    others = []
    for subject in subjects:
        material = other.material(subject.benchmark, subject.analysis, subject.cost, strategy)
        offer = None if material is None else strategy.offer(material)
        others.append(replace(subject, material=material, offer=offer))
    return least_time(strategy, others)


def _choose(
    strategy: Strategy,
    chooser: Chooser,
    ratio: float,
    work: tuple[Material | None, Any, Sequence[int | None]],
) -> Chosen | None:
    """Choose for one benchmark, and estimate how far off the choice is expected to be."""
    material, offer, warmups_without = work
    if material is None:
        return None

    def choose_anew(seen: Material) -> Choice:
        return chooser.choose(seen, strategy.offer(seen))

    choice = chooser.choose(material, offer)
    return choice, held_out_error(choose_anew, material, warmups_without, choice.forks, ratio)

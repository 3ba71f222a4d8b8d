"""The five steps from a full run to a plan."""

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from functools import partial
from typing import Any, Unpack

import numpy as np

from steady.compare.variance.historical import run_names
from steady.harnesses import harness_named
from steady.model import Benchmark, Identity, Suite
from steady.optimize.analysis import (
    Analysis,
    Progress,
    analyze_benchmark,
    reported,
)
from steady.optimize.cost import CostModel, configuration_of, cost_model
from steady.optimize.entries import Chosen, Subject, entry_of
from steady.optimize.error_model import held_out_error
from steady.optimize.strategy import (
    COMMON,
    DEFAULT_STRATEGY,
    Choice,
    Chooser,
    CommonOptions,
    Material,
    PlanOptions,
    Strategy,
    make_strategy,
)
from steady.optimize.suite_parts import fit_to_time
from steady.optimize.variance_components import VarianceComponents, from_recorded_rounds
from steady.optimize.warm_up import interleaved_warmup
from steady.parallel import workers
from steady.plan.suite_plan import Plan


def optimize(
    suite: Suite,
    strategy: str = DEFAULT_STRATEGY,
    *,
    earlier: Sequence[Suite] = (),
    important: Callable[[Identity], bool] | None = None,
    jobs: int | Executor | None = 1,
    progress: Progress | None = None,
    **options: Unpack[PlanOptions],
) -> Plan:
    """Plan the smallest sufficient configuration of each benchmark.

    Parameters
    ----------
    suite : Suite
        The results of a full run, preferably with its warm-up iterations (JMH: ``-wi 0``).
    strategy : str
        Registered name. Its own options are keywords: ``metric`` and ``threshold`` for
        ``uoptime``; ``budget`` or ``time_budget`` for ``error-budget``; ``detect``, ``power``,
        ``confidence``, ``min_change`` or ``time_budget`` for ``detect``. A percentage is a
        fraction below 1, such as 0.03, or a string, such as ``"3%"``.
    earlier : sequence of Suite
        Earlier runs of the suite, in order. If base and head were interleaved, ``detect`` estimates
        the variance between pairs of forks from them.
    important : callable, optional
        Predicate for benchmarks to measure in every pull request, even if the suite exceeds the
        time budget (`steady.optimize.suite_parts`).
    jobs : int or concurrent.futures.Executor, optional
        Number of processes (None: one per processor), or an executor, which is not shut down. The
        plan does not depend on it.
    progress : callable, optional
        Called before the analysis and before the planning of each benchmark.
    **options
        The strategy's own options, and the options common to all strategies, listed below.

    Returns
    -------
    Plan
        Plan with one entry for each benchmark, in the suite's order.

    Other Parameters
    ----------------
    detector, similarity : str
        Registered steady-state and fork-similarity methods; "by-length" and "heuristic" by default.
    min_forks : int, optional
        Minimum number of forks of a reduced configuration; by default 5, or 3 pairs of forks for
        ``detect``. A single fork is cheapest but the main source of false alarms, because forks
        differ more than iterations of one fork.
    startup_seconds : float
        Start-up seconds of a fork, if the results lack them; 0.5 by default.
    unsteady : {"keep", "reduce"}
        Whether a benchmark without steady state keeps its full configuration, or is planned from
        the second half of its iterations.

    Raises
    ------
    InputError
        If an option is unknown or out of range, the cost of a benchmark is unknown, a measurement
        is out of range, or no plan fits into the time budget (`OverTimeError`).

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
    chosen_strategy, common = _read(strategy, dict(options))
    recorded = from_recorded_rounds(earlier)
    for benchmark in suite.benchmarks:
        benchmark.check_range()
    with workers(jobs) as shared:
        examine = partial(_examine, common, chosen_strategy, suite.harness)
        known = [(b, recorded.get(b.identity)) for b in suite.benchmarks]
        examined = reported(suite, progress, shared.map(examine, known), passes=2)
        subjects = [
            Subject(b, *facts, suite.harness, important is not None and important(b.identity))
            for b, facts in zip(suite.benchmarks, examined, strict=True)
        ]
        chooser, rotation = fit_to_time(chosen_strategy, subjects)
        work = [(s.material, s.offer, s.warmups_without(chosen_strategy)) for s in subjects]
        cost = harness_named(suite.harness).cost
        choose = partial(_choose, chosen_strategy, chooser, cost.between_runs)
        choices = list(reported(suite, progress, shared.map(choose, work), 1, passes=2))
    return Plan(
        tuple(entry_of(subject, choice) for subject, choice in zip(subjects, choices, strict=True)),
        strategy,
        options=asdict(common) | asdict(chosen_strategy),  # type: ignore[call-overload]
        harness=suite.harness,
        harness_version=suite.harness_version,
        environments=suite.environments,
        data_digest=data_digest(suite),
        learnt_from=run_names(benchmark for one in (suite, *earlier) for benchmark in one.values()),
        rotation=rotation,
        start_seconds=cost.start_seconds,
    )


def data_digest(suite: Suite) -> str:
    """Return the SHA-256 of all identities and measurements of a suite."""
    digest = hashlib.sha256()
    for benchmark in sorted(suite.values(), key=lambda b: b.identity):
        digest.update(repr((benchmark.identity, benchmark.unit, benchmark.warmup)).encode())
        digest.update(repr(benchmark.measurements.shape).encode())
        digest.update(np.ascontiguousarray(benchmark.measurements, "<f8").tobytes())
    return digest.hexdigest()


def _read(strategy: str, options: dict[str, Any]) -> tuple[Strategy, CommonOptions]:
    """Return the strategy with its options, and the common options."""
    common = {name: options.pop(name) for name in COMMON if name in options}
    chosen = make_strategy(strategy, **options)
    if common.get("min_forks") is None:
        common["min_forks"] = chosen.min_forks
    return chosen, CommonOptions(**common)


def _examine(
    common: CommonOptions,
    strategy: Strategy,
    harness: str,
    known: tuple[Benchmark, VarianceComponents | None],
) -> tuple[Analysis, CostModel, Material | None, Any]:
    """Return the analysis and costs of a benchmark, and the strategy's candidates."""
    benchmark, recorded = known
    analysis = analyze_benchmark(benchmark, detector=common.detector, forks=common.similarity)
    cost = cost_model(benchmark, common.startup_seconds, harness=harness)
    material = _material(common, strategy, benchmark, analysis, cost, recorded)
    return analysis, cost, material, None if material is None else strategy.offer(material)


def _material(
    common: CommonOptions,
    strategy: Strategy,
    benchmark: Benchmark,
    analysis: Analysis,
    cost: CostModel,
    recorded: VarianceComponents | None,
) -> Material | None:
    """Return the input of the strategy; None if the benchmark keeps its configuration."""
    series = benchmark.fork_times
    warmup = analysis.warmup
    if warmup is None:
        if common.unsteady == "keep" or analysis.similarity is None:
            return None
        warmup = series.shape[1] // 2
    full = configuration_of(benchmark)
    same_length = full.warmup_seconds == full.iteration_seconds
    agree = analysis.similarity is None or analysis.similarity.similar
    all_stay = not (agree or strategy.interleaved)
    if strategy.interleaved:
        warmup = interleaved_warmup(series, analysis.starts, warmup)
    return Material(
        series=series,
        warmup=warmup,
        first=0 if same_length else benchmark.warmup,
        cost=cost,
        # If forks disagree, they are the main source of noise, so all are needed.
        min_forks=len(series) if all_stay else common.min_forks,
        recorded=recorded and recorded.with_iterations_of(full.iteration_seconds),
    )


def _choose(
    strategy: Strategy,
    chooser: Chooser,
    ratio: float,
    work: tuple[Material | None, Any, Sequence[int | None]],
) -> Chosen | None:
    """Choose for one benchmark, and estimate the error of the choice."""
    material, offer, warmups_without = work
    if material is None:
        return None

    def choose_again(seen: Material) -> Choice:
        return chooser.choose(seen, strategy.offer(seen))

    choice = chooser.choose(material, offer)
    return choice, held_out_error(choose_again, material, warmups_without, choice.forks, ratio)

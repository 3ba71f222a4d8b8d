"""The plan of a benchmark, from its analysis and the choice of the strategy."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steady.compare.pair import FORK
from steady.harnesses import harness_named
from steady.model import Benchmark, ExecutionConfiguration
from steady.optimize.analysis import Analysis
from steady.optimize.cost import CostModel, configuration_of
from steady.optimize.strategy import Choice, Material, Strategy
from steady.optimize.variance_components import from_run
from steady.optimize.warm_up import shortest_fork
from steady.plan.historical_variance import HistoricalVariance
from steady.plan.suite_plan import DEFAULT_HARNESS, BenchmarkPlan, Status
from steady.text.numbers import count

Chosen = tuple[Choice, float | None]
"""A choice and its expected relative error."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A benchmark with its analysis and costs, before the choice."""

    benchmark: Benchmark
    analysis: Analysis
    cost: CostModel
    material: Material | None
    offer: Any
    harness: str
    important: bool = False

    @property
    def full_seconds(self) -> float:
        """Seconds of its full run."""
        # Rounded as in the file, so that a plan is unchanged when written and read back.
        return float(round(self.benchmark.forks.shape[0] * self.cost.full_fork_seconds, 3))

    @property
    def kept_seconds(self) -> float:
        """Seconds of interleaved base and head with the configuration of the full run."""
        forks, iterations = self.benchmark.forks.shape
        warmup = self.benchmark.warmup
        pair = self.cost.pair_seconds(warmup, warmup, iterations - warmup)
        return float(round(forks * float(pair), 3))

    def warmups_without(self, strategy: Strategy) -> tuple[int | None, ...]:
        """Return the warm-up with each fork left out; None if it is unchanged."""
        without = self.analysis.warmups_without
        return (None,) * len(without) if strategy.interleaved else without

    @property
    def today(self) -> tuple[ExecutionConfiguration | None, float | None]:
        """The current configuration of the project, and its seconds; None if unknown."""
        today = declared_configuration(self.benchmark)
        if today is None:
            return None, None
        seconds = declared_seconds(self.benchmark, self.cost, harness=self.harness)
        return today, round(seconds, 3)


def declared_configuration(benchmark: Benchmark) -> ExecutionConfiguration | None:
    """Return the configuration that the harness uses without options; None if unknown."""
    declared = benchmark.declared
    return None if declared is None or declared.iterations < 1 else declared


def declared_seconds(
    benchmark: Benchmark, cost: CostModel, *, harness: str = DEFAULT_HARNESS
) -> float:
    """Return the seconds of one run with the benchmark's declared configuration.

    Parameters
    ----------
    benchmark : Benchmark
        A benchmark with a declared configuration.
    cost : CostModel
        Its cost, fitted to wall-clock times if these are known.
    harness : str
        Name of the harness that runs it.

    Notes
    -----
    Iterations of a different length were not measured, so every operation is assumed to take the
    median of all measured ones. If the declaration has no forks, the harness starts no process.
    """
    declared = benchmark.declared
    if declared is None:
        raise ValueError(f"{benchmark.identity.label} declares no configuration")
    operation = benchmark.seconds_per_operation
    known = operation[np.isfinite(operation) & (operation > 0)]
    usual = np.array(np.median(known) if known.size else np.nan)
    lasting = harness_named(harness).cost.lasting
    warmup, measured = (
        cost.times * float(lasting(seconds, usual, size)) + cost.each
        for seconds, size in (
            (declared.warmup_seconds, declared.warmup_batch_size),
            (declared.iteration_seconds, declared.batch_size),
        )
    )
    iterations = declared.warmup_iterations * warmup + declared.iterations * measured
    return declared.forks * (cost.startup + iterations) if declared.forks else iterations


def entry_of(subject: Subject, chosen: Chosen | None) -> BenchmarkPlan:
    """Return the plan of a benchmark; the full configuration if the choice saves no time."""
    benchmark, analysis, cost = subject.benchmark, subject.analysis, subject.cost
    full, full_seconds = configuration_of(benchmark), subject.full_seconds
    today, today_seconds = subject.today
    keep = BenchmarkPlan(
        identity=benchmark.identity,
        configuration=full,
        full=full,
        seconds=full_seconds,
        full_seconds=full_seconds,
        status="full",
        reason=analysis.reason,
        starts=analysis.starts,
        odd_forks=analysis.similarity.odd_forks if analysis.similarity else (),
        similar=analysis.similarity.similar if analysis.similarity else None,
        today=today,
        today_seconds=today_seconds,
        pair_seconds=subject.kept_seconds,
        important=subject.important,
        known_forks=_known_forks(subject),
        judged_by=analysis.judge,
        judged_iterations=shortest_fork(benchmark.forks) if analysis.judge else None,
    )
    if chosen is None or subject.material is None:
        return keep
    choice, expected_error = chosen
    measured_from = max(choice.warmup, subject.material.first)
    fork_seconds = float(cost.fork_seconds(choice.warmup, measured_from, choice.iterations))
    pair = float(cost.pair_seconds(choice.warmup, measured_from, choice.iterations))
    seconds = round(choice.forks * fork_seconds, 3)
    disagreement = "" if choice.detectable is not None else _forks_reason(analysis)
    early = (
        f"warm-up shortened to {count(choice.warmup, 'iteration')}"
        if _is_early(choice, analysis)
        else ""
    )
    reasons = [analysis.reason, disagreement, early, choice.reason]
    status: Status = "reduced" if choice.met else "insufficient"
    if choice.met and seconds >= full_seconds:
        status, seconds = "full", full_seconds
    return replace(
        keep,
        configuration=_configuration(benchmark, full, choice),
        seconds=seconds if status == "reduced" else full_seconds,
        status=status,
        reason="; ".join(reason for reason in reasons if reason),
        expected_error=_rounded(expected_error),
        stability=_rounded(choice.stability),
        detectable=_rounded(choice.detectable),
        recorded_rounds=choice.recorded_rounds,
        pair_seconds=round(choice.forks * pair, 3),
    )


def _is_early(choice: Choice, analysis: Analysis) -> bool:
    """Return whether the choice starts before the end of the warm-up, at a predicted error."""
    return choice.met and analysis.warmup is not None and choice.warmup < analysis.warmup


def _known_forks(subject: Subject) -> HistoricalVariance | None:
    """Return the historical variance between pairs of forks, rounded as in the plan's file."""
    material = subject.material
    if material is None or subject.benchmark.levels[0].name != FORK:
        return None
    components = material.recorded or from_run(material.steady)
    if components is None:
        return None
    known, _ = components.historical
    if not known:
        return None
    numbers = known.variance, known.freedom, known.noise, known.steps
    return HistoricalVariance(*(float(f"{number:.4g}") for number in numbers))


def _rounded(value: float | None) -> float | None:
    """Return a number with the precision of the plan's file; None unless it is finite."""
    return round(value, 6) if value is not None and np.isfinite(value) else None


def _forks_reason(analysis: Analysis) -> str:
    agreement = analysis.similarity
    if agreement is None or agreement.similar:
        return ""
    odd = ", ".join(str(fork + 1) for fork in agreement.odd_forks)
    return f"forks differ{f' (odd: {odd})' if odd else ''}, so all forks are kept"


def _configuration(
    benchmark: Benchmark, full: ExecutionConfiguration, choice: Choice
) -> ExecutionConfiguration:
    """Return the configuration for a choice, whose counts are of recorded iterations."""
    if full.warmup_iterations == 0:
        return replace(
            full,
            forks=choice.forks,
            warmup_iterations=choice.warmup,
            iterations=choice.iterations,
            warmup_seconds=full.iteration_seconds,
            warmup_batch_size=full.batch_size,
        )
    # A plan's warm-up begins with the iterations whose results were not recorded. The choice's
    # iterations follow: first recorded warm-up iterations, then iterations that the full run
    # measured, which can differ in length from warm-up iterations.
    not_recorded = max(full.warmup_iterations - benchmark.warmup, 0)
    of_warmup = min(choice.warmup, benchmark.warmup)
    of_measurement = choice.warmup - of_warmup
    if full.warmup_seconds > 0:
        as_long = of_measurement * full.iteration_seconds / full.warmup_seconds
        of_measurement = int(np.ceil(round(as_long, 9)))
    return replace(
        full,
        forks=choice.forks,
        warmup_iterations=not_recorded + of_warmup + of_measurement,
        iterations=choice.iterations,
    )


def measured_from(entry: BenchmarkPlan, benchmark: Benchmark) -> int:
    """Return the recorded iteration of a full run at which the plan's measurement begins.

    This is the inverse of the conversion in `entry_of`: unrecorded warm-up iterations are excluded,
    and iterations that the full run measured are counted in their own length.

    Parameters
    ----------
    entry : BenchmarkPlan
        The plan of the benchmark.
    benchmark : Benchmark
        Results of the full run from which the plan was made.
    """
    full = entry.full
    if full.warmup_iterations == 0:
        return entry.warmup
    recorded = max(entry.warmup - max(full.warmup_iterations - benchmark.warmup, 0), 0)
    of_measurement = float(max(recorded - benchmark.warmup, 0))
    if full.iteration_seconds > 0 and full.warmup_seconds > 0:
        of_measurement *= full.warmup_seconds / full.iteration_seconds
    return min(recorded, benchmark.warmup) + int(round(of_measurement, 9))

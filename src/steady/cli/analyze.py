"""``steady analyze``: detect the steady state of each fork, and test forks for similarity."""

from typing import Literal

from msgspec import Struct

from steady.cli.common import load, progress
from steady.cli.printing import line, print_json
from steady.files import json_text
from steady.model import Identity, Suite
from steady.optimize import Analysis, analyze
from steady.optimize.warm_up import shortest_fork
from steady.options.plan_options import AnalyzeCommand
from steady.plan.judged_by import judged_sentence
from steady.report.names import ShortNames
from steady.report.terminal import print_table
from steady.suggestions.missing import require_results


class AnalysisEntry(Struct, frozen=True):
    """The result of a benchmark: the steady state and the similarity of its forks.

    `starts` has the first steady iteration of each fork, counted from 0; null for a fork that is
    never steady. `warmup` is null if the benchmark has no steady state, for the given reason.
    `odd_forks` are counted from 0. `similar` is null if there are too few forks. `judged_by` is the
    detector that found the warm-up, or "drift-test" if the forks are too short for any detector; it
    is empty if there are too few measurements.
    """

    identity: Identity
    starts: tuple[int | None, ...]
    warmup: int | None
    similar: bool | None
    odd_forks: tuple[int, ...]
    reason: str
    judged_by: str = ""


class AnalysisListing(Struct, frozen=True):
    """The output of `steady analyze --json`; `judged` names the detector used and the reason."""

    steady_analysis: Literal[1]
    benchmarks: tuple[AnalysisEntry, ...]
    judged: str = ""


def run(arguments: AnalyzeCommand) -> int:
    """Analyze the results and print the analyses."""
    require_results(arguments)
    suite = load(arguments.results, arguments.format)
    with progress("analyze") as report:
        analyses = analyze(
            suite,
            detector=arguments.detector,
            forks=arguments.similarity,
            jobs=arguments.jobs,
            progress=report,
        )
    judged = judged_sentence(
        ((one.judge, shortest_fork(suite[one.identity].forks)) for one in analyses if one.judge),
        arguments.detector,
    )
    if arguments.json:
        print_json(json_text(AnalysisListing(1, tuple(map(_entry, analyses)), judged)))
    else:
        _print(suite, analyses)
        if judged:
            line(judged)
    return 0


def _entry(analysis: Analysis) -> AnalysisEntry:
    agreement = analysis.similarity
    return AnalysisEntry(
        analysis.identity,
        analysis.starts,
        analysis.warmup,
        None if agreement is None else agreement.similar,
        () if agreement is None else agreement.odd_forks,
        analysis.reason,
        analysis.judge,
    )


def _print(suite: Suite, analyses: list[Analysis]) -> None:
    names = ShortNames.of(suite)
    rows = []
    for analysis in analyses:
        forks, iterations = suite[analysis.identity].forks.shape
        steady = sum(start is not None for start in analysis.starts)
        rows.append(
            (
                f"{forks} × {iterations}",
                f"{steady} of {forks}",
                "–" if analysis.warmup is None else str(analysis.warmup),
                _agreement(analysis),
                names.label(analysis.identity),
            )
        )
    print_table(("forks", "steady", "warm-up", "forks agree", "benchmark"), rows, numbers=4)
    for analysis in analyses:
        if analysis.warmup is None:
            line(f"{names.label(analysis.identity)}: {analysis.reason}")


def _agreement(analysis: Analysis) -> str:
    agreement = analysis.similarity
    if agreement is None:
        return "–"
    if agreement.similar:
        return "yes"
    odd = ", ".join(str(fork + 1) for fork in agreement.odd_forks)
    return f"no: fork {odd}" if odd else "no"

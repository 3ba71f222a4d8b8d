"""The first half of the demo: the cost of a suite before and after planning."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from steady.demo.library import About, HeldOut
from steady.model import Identity
from steady.optimize import BenchmarkPlan, Plan
from steady.report.plan_report import former, saved
from steady.text.numbers import NO_BREAK, count, duration, percent

_DASH = "–"
_BENCHMARK = re.compile("[Bb]enchmark")


@dataclass(frozen=True, eq=False)
class ShorterSuite:
    """The plan of a library's suite, and the errors of its results.

    Parameters
    ----------
    about : About
        The library.
    held_out : HeldOut
        Plans of both runs with their errors.
    """

    about: About
    held_out: HeldOut

    @property
    def plan(self) -> Plan:
        """The plan of the first run."""
        return self.held_out.plans[0]

    @property
    def origin(self) -> str:
        """Sentences on the suite, its recording, and its cost today."""
        plan, about = self.plan, self.about
        full = plan.benchmarks[0].full
        return (
            f"{count(len(plan), 'benchmark')} of {about.name} {about.version}: two runs of "
            f"{count(full.forks, 'fork')} with {full.iterations} iterations of "
            f"{full.iteration_seconds:g}{NO_BREAK}s, recorded one fork at a time. With its "
            f"annotations, the suite takes {former(plan)}."
        )

    @property
    def columns(self) -> Sequence[str]:
        """The titles of the columns of `rows`."""
        return "steady after", "runs", "seconds", "expected error", "true error", "benchmark"

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """One row for each benchmark, in the order of the plan."""
        return [
            (
                steady_after(entry),
                f"{entry.forks} × ({entry.warmup} + {entry.iterations})",
                f"{entry.today_seconds or entry.full_seconds:.0f} → {entry.seconds:.0f}",
                percent(self.held_out.expected_error(entry.identity)),
                percent(self.held_out.error(entry.identity)),
                short_name(entry.identity),
            )
            for entry in self.plan.benchmarks
        ]

    @property
    def total(self) -> str:
        """Sentences on the suite's cost before and after planning, and on a column."""
        plan = self.plan
        return (
            f"{former(plan)}, {duration(plan.seconds)} with the plan: {saved(plan, 'less')}. "
            "Runs: forks × (warm-up + iterations)."
        )

    @property
    def median_errors(self) -> tuple[float, float, float]:
        """Median expected error, true error and error of the full run itself, as fractions."""
        held_out, identities = self.held_out, list(self.plan)
        found = (held_out.expected_error, held_out.error, held_out.full_run)
        expected, true, full = (median(map(error, identities)) for error in found)
        return expected, true, full

    @property
    def how_judged(self) -> str:
        """Sentences on the errors and how they were determined."""
        expected, true, full = map(percent, self.median_errors)
        return (
            f"Median error: {expected} expected, {true} true, {full} for the full run. Planned "
            "on five forks, tested on the other five, and vice versa. "
            f"{self.plan.judged.partition(' of ')[0]}."
        )


def steady_after(entry: BenchmarkPlan) -> str:
    """Return the range of warm-up durations in the full run, or a dash."""
    seconds = sorted(_seconds(entry))
    if not seconds:
        return _DASH
    texts = dict.fromkeys(f"{one:.1f}" for one in (seconds[0], seconds[-1]))
    return f"{_DASH.join(texts)}{NO_BREAK}s"


def _seconds(entry: BenchmarkPlan) -> Iterator[float]:
    each = entry.full.iteration_seconds
    return (start * each for start in entry.starts if start is not None)


def short_name(identity: Identity) -> str:
    """Return class and method without the word "benchmark".

    >>> short_name(Identity("io.airlift.slice.SliceUtf8Benchmark.benchmarkReverse"))
    'SliceUtf8.Reverse'
    """
    return _BENCHMARK.sub("", ".".join(identity.name.split(".")[-2:]))

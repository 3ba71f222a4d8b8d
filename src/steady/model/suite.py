"""The suite: what one run of a benchmark harness produced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model.benchmark import Benchmark, Level
from steady.model.by_name import ByIdentity, find_identity
from steady.model.circumstances import Environment, ExecutionConfiguration
from steady.model.identity import Identity
from steady.model.suite_tables import HEADER, long_frame, suite_rows
from steady.model.units import FloatArray
from steady.text.escape import visible
from steady.text.numbers import count

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Failure:
    """A benchmark that the harness started, but that left no result.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    reason : str
        What the harness said, in one line.
    """

    identity: Identity
    reason: str


RESUMES = "; `steady run --resume` goes on"
"""How the reason ends why something was not measured, where its user stopped the run."""


SKIPPED = "skipped"
"""How the reason begins why a benchmark was left out by its own code."""


def skipped_because(why: str) -> str:
    """Return the reason why a benchmark skipped itself; `why` may be empty."""
    return f"{SKIPPED}: {why}" if why else SKIPPED


@dataclass(frozen=True, slots=True)
class NotRun:
    """A benchmark that a run left out on purpose.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    reason : str
        Why, in one line.
    """

    identity: Identity
    reason: str


@dataclass(frozen=True, slots=True)
class SameCode:
    """Benchmarks that run the same code in base and in head, as a run found before it measured.

    Parameters
    ----------
    not_measured : tuple of Identity
        Those that were left out: they cannot have changed.
    controls : tuple of Identity
        Those that were measured all the same. A change of one of them is a false alarm.
    far : tuple of Identity
        Those that may run other code, though no way from them to a change is known as it is from
        others.
    """

    not_measured: tuple[Identity, ...] = ()
    controls: tuple[Identity, ...] = ()
    far: tuple[Identity, ...] = ()

    @property
    def _kinds(self) -> tuple[tuple[Identity, ...], ...]:
        return self.not_measured, self.controls, self.far

    def __or__(self, other: SameCode) -> SameCode:
        both = zip(self._kinds, other._kinds, strict=True)
        return SameCode(*(tuple(dict.fromkeys((*ours, *theirs))) for ours, theirs in both))

    def part(self, wanted: Callable[[Identity], bool]) -> SameCode:
        """Return what is wanted of it."""
        return SameCode(*(tuple(filter(wanted, kind)) for kind in self._kinds))

    def __and__(self, other: SameCode) -> SameCode:
        both = zip(self._kinds, map(frozenset, other._kinds), strict=True)
        return SameCode(*(tuple(i for i in ours if i in theirs) for ours, theirs in both))


NO_SAME_CODE = SameCode()


@dataclass(frozen=True, eq=False, repr=False)
class Suite(ByIdentity[Benchmark]):
    """What one run of a harness produced.

    A mapping from identity to benchmark, in the harness's order.

    Parameters
    ----------
    benchmarks : tuple of Benchmark
        No two have the same identity.
    harness : str
        ``jmh``, ``go``, ... or ``series`` for plain arrays.
    harness_version : str
        Empty where unknown.
    sources : tuple of str
        The files that it was read from, as the user named them.
    failures : tuple of Failure
        The benchmarks that started and failed.
    not_run : tuple of NotRun
        The benchmarks that the run left out on purpose: they are not missing.
    same_code : SameCode
        What its run found to run the same code in base and in head.

    Examples
    --------
    >>> import steady
    >>> suite = steady.Suite.of({"a.Codec.parse": [[3.0, 1.0], [2.9, 1.2]]}, unit="ms/op")
    >>> suite
    Suite of 1 benchmark (series)
    >>> suite["parse"].unit
    'ms/op'
    """

    benchmarks: tuple[Benchmark, ...]
    harness: str = "series"
    harness_version: str = ""
    sources: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    not_run: tuple[NotRun, ...] = ()
    same_code: SameCode = NO_SAME_CODE

    def __post_init__(self) -> None:
        if len(self._index) != len(self.benchmarks):
            counts = Counter(benchmark.identity for benchmark in self.benchmarks)
            twice, _ = counts.most_common(1)[0]
            raise InputError(f"{twice.label} stands twice in one suite; merge or rename it")

    @property
    def environments(self) -> tuple[Environment, ...]:
        """The different environments in which the benchmarks ran, in order of appearance."""
        return tuple(dict.fromkeys(b.environment for b in self.benchmarks))

    @property
    def left_out(self) -> dict[str, int]:
        """How many benchmarks have a result that was not read, for each name of such a result."""
        return dict(Counter(name for b in self.benchmarks for name in dict.fromkeys(b.left_out)))

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return visible(f"Suite of {count(len(self), 'benchmark')} ({self.harness}){failed}")

    def to_dict(self) -> dict[str, Any]:
        """Return the suite as plain lists and texts; see `Benchmark.to_dict`."""
        return {
            "harness": self.harness,
            "harness_version": self.harness_version,
            "sources": list(self.sources),
            "benchmarks": [benchmark.to_dict() for benchmark in self.benchmarks],
            "failures": {f.identity.label: f.reason for f in self.failures},
        }

    def _repr_html_(self) -> str:
        from steady.tables.html import html_table

        return html_table(repr(self), HEADER, suite_rows(self.benchmarks), len(self))

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each value; it needs the extra ``tables``.

        Its columns are ``benchmark`` (the label), ``name``, ``mode``, ``params.`` and the name of
        each parameter, ``threads``, ``fork`` and ``iteration`` (counted from 0, warm-up included),
        ``warmup`` (whether the harness ran the iteration as warm-up), ``value`` and ``unit``.
        Texts are categories. A parameter that a benchmark lacks is NaN, and a missing repetition
        has no row. Levels outside of the forks are joined: ``fork`` counts on.

        Raises
        ------
        MissingToolError
            If pandas is not installed.
        """
        return long_frame(self.benchmarks)

    def plot(
        self,
        name: Identity | str,
        *,
        starts: Sequence[int | None] | None = None,
        odd_forks: Sequence[int] = (),
        window: tuple[int, int] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the forks of one benchmark over their iterations; it needs the extra ``plot``.

        Parameters
        ----------
        name : Identity or str
            Which benchmark, as in ``suite[name]``.
        starts : sequence of int or None, optional
            Per fork, its first steady iteration, counted from 0, as `steady.analyze` finds it; None
            is a fork that is never steady. By default, the warm-up of the harness is shaded.
        odd_forks : sequence of int
            Forks that differ from the others, counted from 0: only these are coloured.
        window : tuple of (int, int), optional
            The first iteration that a plan measures, and the first after it.
        ax : Axes, optional
            Axes to draw on; by default those of a new figure, which a notebook shows.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on.

        Raises
        ------
        InputError
            If no such benchmark has a value.
        MissingToolError
            If matplotlib is not installed.
        """
        from steady.plots.fork_lines import ForkLines, draw_forks

        benchmark = self.drawable(name)
        if starts is None and benchmark.warmup:
            starts = [benchmark.warmup] * len(benchmark.forks)
        label, unit = benchmark.identity.label, benchmark.unit
        return draw_forks(ForkLines(benchmark.forks, label, unit, starts, odd_forks, window), ax)

    def drawable(self, name: Identity | str) -> Benchmark:
        """Return the benchmark of that name, as ``suite[name]`` does, or say why there is none.

        Raises
        ------
        InputError
            If it failed, was left out, or is not known.
        """
        try:
            return self[name]
        except KeyError as error:
            without = {failure.identity: failure.reason for failure in self.failures}
            without |= {entry.identity: entry.reason for entry in self.not_run}
            try:
                identity = find_identity(without, name)
            except KeyError:
                raise InputError(str(error.args[0])) from None
        raise InputError(f"{identity.label} has no result to draw: {without[identity]}")

    @classmethod
    def of(
        cls,
        measurements: Mapping[str, npt.ArrayLike],
        *,
        unit: str,
        iteration_seconds: float | None = None,
        startup_seconds: float = 0.0,
        levels: Sequence[str] | None = None,
    ) -> Suite:
        """Make a suite from plain arrays.

        Parameters
        ----------
        measurements : mapping of str to array-like
            By benchmark name; one axis for each level, outermost first.
        unit : str
            Unit of all values: ``ns/op``, ``ops/s``, ...
        iteration_seconds : float, optional
            Nominal seconds of one repetition of the innermost level; needed to plan.
        startup_seconds : float
            What one repetition of the outermost level costs in addition to its iterations.
        levels : sequence of str, optional
            Names of the axes; by default ``iteration``, ``fork`` x ``iteration``, or
            ``level 1`` ... ``iteration`` where there are more.

        Returns
        -------
        Suite
            Its harness is ``series``.
        """

        def benchmark_of(name: str, values: FloatArray) -> Benchmark:
            outer = [f"level {axis + 1}" for axis in range(values.ndim - 1)]
            usual = [*(outer if len(outer) != 1 else ["fork"]), "iteration"]
            names = usual if levels is None else levels
            costs = [startup_seconds if len(names) > 1 else 0.0, *([0.0] * (len(names) - 1))]
            configuration = None
            if iteration_seconds is not None and values.ndim >= 1:
                configuration = ExecutionConfiguration(
                    forks=int(np.prod(values.shape[:-1], dtype=np.int64)),
                    warmup_iterations=0,
                    iterations=values.shape[-1],
                    warmup_seconds=iteration_seconds,
                    iteration_seconds=iteration_seconds,
                )
            own = tuple(map(Level, names, costs))
            return Benchmark(Identity(name), unit, values, own, configuration=configuration)

        return cls(
            tuple(
                benchmark_of(name, np.asarray(values, np.float64))
                for name, values in measurements.items()
            )
        )


def unmeasured(suite: Suite) -> Iterator[Identity]:
    """Yield the benchmarks that a suite names without a result: that failed, or were left out."""
    yield from (failure.identity for failure in suite.failures)
    yield from (entry.identity for entry in suite.not_run)

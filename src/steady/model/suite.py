"""The suite: the results of one run of a benchmark harness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model.benchmark import Benchmark, Level
from steady.model.by_name import ByIdentity, find_identity
from steady.model.changed_method import ChangedMethods, joined_methods
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
    """A benchmark that was started but produced no result.

    Parameters
    ----------
    identity : Identity
        Identity of the benchmark.
    reason : str
        Message of the harness, in one line.
    """

    identity: Identity
    reason: str


RESUMES = "; `steady run --resume` goes on"
"""End of the reason for unmeasured benchmarks if the user stopped the run."""


SKIPPED = "skipped"
"""Beginning of the reason for benchmarks that skipped themselves."""


def skipped_because(why: str) -> str:
    """Return the reason for a benchmark that skipped itself; `why` may be empty."""
    return f"{SKIPPED}: {why}" if why else SKIPPED


@dataclass(frozen=True, slots=True)
class NotRun:
    """A benchmark that a run deliberately omitted.

    Parameters
    ----------
    identity : Identity
        Identity of the benchmark.
    reason : str
        Reason, in one line.
    excluded : float, optional
        Relative change, as a fraction, above which screening showed no sign of a change; None if it
        was not screened, or showed one.
    """

    identity: Identity
    reason: str
    excluded: float | None = None


@dataclass(frozen=True, slots=True)
class SameCode:
    """Benchmarks with an identical code path in base and head, determined before a run.

    Parameters
    ----------
    not_measured : tuple of Identity
        Benchmarks that were not measured, because they cannot have changed.
    controls : tuple of Identity
        Benchmarks that were measured nevertheless: a change of one is a false alarm.
    far : tuple of Identity
        Benchmarks that may execute different code, but without a known path to a change.
    methods : tuple of ChangedMethod, optional
        Changed methods, and whether a benchmark reaches them; None if they are unknown.
    """

    not_measured: tuple[Identity, ...] = ()
    controls: tuple[Identity, ...] = ()
    far: tuple[Identity, ...] = ()
    methods: ChangedMethods | None = None

    @property
    def _kinds(self) -> tuple[tuple[Identity, ...], ...]:
        return self.not_measured, self.controls, self.far

    @staticmethod
    def _of(kinds: Iterable[tuple[Identity, ...]], methods: ChangedMethods | None) -> SameCode:
        not_measured, controls, far = kinds
        return SameCode(not_measured, controls, far, methods)

    def __or__(self, other: SameCode) -> SameCode:
        both = zip(self._kinds, other._kinds, strict=True)
        kinds = (tuple(dict.fromkeys((*ours, *theirs))) for ours, theirs in both)
        return SameCode._of(kinds, joined_methods((self.methods, other.methods)))

    def part(self, wanted: Callable[[Identity], bool]) -> SameCode:
        """Return the benchmarks that satisfy a predicate."""
        kinds = (tuple(filter(wanted, kind)) for kind in self._kinds)
        return SameCode._of(kinds, self.methods)

    def __and__(self, other: SameCode) -> SameCode:
        both = zip(self._kinds, map(frozenset, other._kinds), strict=True)
        kinds = (tuple(i for i in ours if i in theirs) for ours, theirs in both)
        return SameCode._of(kinds, joined_methods((self.methods, other.methods)))

    def renamed(self, names: Mapping[Identity, Identity]) -> SameCode:
        """Return the benchmarks with other names for some of them."""
        kinds = (tuple(names.get(one, one) for one in kind) for kind in self._kinds)
        return SameCode._of(kinds, self.methods)


NO_SAME_CODE = SameCode()


@dataclass(frozen=True, eq=False, repr=False)
class Suite(ByIdentity[Benchmark]):
    """The results of one run of a harness.

    A mapping from identity to benchmark, in the harness's order.

    Parameters
    ----------
    benchmarks : tuple of Benchmark
        Benchmarks with distinct identities.
    harness : str
        Name of the harness, such as ``jmh`` or ``go``; ``series`` for plain arrays.
    harness_version : str
        Version of the harness; empty if unknown.
    sources : tuple of str
        Paths of the files from which it was read, as given by the user.
    failures : tuple of Failure
        Benchmarks that were started but failed.
    not_run : tuple of NotRun
        Benchmarks that the run deliberately omitted; they do not count as missing.
    same_code : SameCode
        Benchmarks with an identical code path in base and head.

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
            raise InputError(f"{twice.label} appears twice in one suite; merge or rename it")

    @property
    def environments(self) -> tuple[Environment, ...]:
        """The distinct environments of the benchmarks, in order of appearance."""
        return tuple(dict.fromkeys(b.environment for b in self.benchmarks))

    @property
    def left_out(self) -> dict[str, int]:
        """For each secondary metric that was not read, the number of benchmarks with it."""
        return dict(Counter(name for b in self.benchmarks for name in dict.fromkeys(b.left_out)))

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return visible(f"Suite of {count(len(self), 'benchmark')} ({self.harness}){failed}")

    def to_dict(self) -> dict[str, Any]:
        """Return the suite as lists, dicts and scalars; see `Benchmark.to_dict`."""
        return {
            "harness": self.harness,
            "harness_version": self.harness_version,
            "sources": list(self.sources),
            "benchmarks": [benchmark.to_dict() for benchmark in self.benchmarks],
            "failures": {f.identity.label: f.reason for f in self.failures},
        }

    def _repr_html_(self) -> str:
        from steady.tables import html_table

        return html_table(repr(self), HEADER, suite_rows(self.benchmarks), len(self))

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row per value; it needs the extra ``tables``.

        Its columns are ``benchmark`` (the label), ``name``, ``mode``, ``params.`` followed by the
        name of each parameter, ``threads``, ``fork`` and ``iteration`` (counted from 0, warm-up
        included), ``warmup`` (whether the harness ran the iteration as warm-up), ``value`` and
        ``unit``. Text columns are categorical. Parameters that a benchmark lacks are NaN, and
        missing repetitions have no row. Levels outside of the forks are flattened into ``fork``.

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
            Benchmark, as in ``suite[name]``.
        starts : sequence of int or None, optional
            First steady iteration of each fork, 0-based, as determined by `steady.analyze`; None
            for a fork that is never steady. By default, the warm-up of the harness is shaded.
        odd_forks : sequence of int
            Forks that differ from the others, 0-based; only these are coloured.
        window : tuple of (int, int), optional
            First iteration that a plan measures, and the end of the measurement (exclusive).
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

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
        """Return ``suite[name]``, or raise an error with the reason for its absence.

        Raises
        ------
        InputError
            If it failed, was omitted, or is unknown.
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
        """Create a suite from arrays.

        Parameters
        ----------
        measurements : mapping of str to array-like
            Measurements by benchmark name, with one axis per level, outermost first.
        unit : str
            Unit of all values: ``ns/op``, ``ops/s``, ...
        iteration_seconds : float, optional
            Nominal seconds of one repetition of the innermost level; required for planning.
        startup_seconds : float
            Overhead of one repetition of the outermost level, in seconds.
        levels : sequence of str, optional
            Names of the axes; by default ``iteration``, ``fork`` x ``iteration``, or ``level 1``
            ... ``iteration`` if there are more.

        Returns
        -------
        Suite
            Suite of the harness ``series``.
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
    """Yield the benchmarks of a suite without a result, which failed or were omitted."""
    yield from (failure.identity for failure in suite.failures)
    yield from (entry.identity for entry in suite.not_run)

"""What one run of a benchmark harness produced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model.benchmark import (
    Benchmark,
    Environment,
    ExecutionConfiguration,
    Identity,
    Level,
)
from steady.model.units import FloatArray


@dataclass(frozen=True, slots=True)
class Failure:
    """A benchmark that the harness started and that left no result.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    reason : str
        What the harness said, in one line.
    """

    identity: Identity
    reason: str


@dataclass(frozen=True, eq=False)
class Suite(Mapping[Identity, Benchmark]):
    """What one run of a harness produced.

    A mapping from identity to benchmark, in the harness's order.

    Parameters
    ----------
    benchmarks : tuple of Benchmark
        No two with the same identity.
    harness : str
        ``jmh``, ``go``, ... or ``series`` for plain arrays.
    harness_version : str
        Empty where unknown.
    sources : tuple of str
        The files that it was read from, as the user named them.
    failures : tuple of Failure
        What was started and failed.
    """

    benchmarks: tuple[Benchmark, ...]
    harness: str = "series"
    harness_version: str = ""
    sources: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()

    def __post_init__(self) -> None:
        if len(self._index) != len(self.benchmarks):
            counts = Counter(benchmark.identity for benchmark in self.benchmarks)
            twice, _ = counts.most_common(1)[0]
            raise InputError(f"{twice.label} stands twice in one suite; merge or rename it")

    @cached_property
    def _index(self) -> dict[Identity, Benchmark]:
        return {benchmark.identity: benchmark for benchmark in self.benchmarks}

    def __getitem__(self, key: Identity | str) -> Benchmark:
        """Return a benchmark by its identity, its label, or its name where that is unique."""
        return self._index[find_identity(self._index, key)]

    def __iter__(self) -> Iterator[Identity]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self.benchmarks)

    @property
    def environments(self) -> tuple[Environment, ...]:
        """The different environments in which the benchmarks ran, in order of appearance."""
        return tuple(dict.fromkeys(b.environment for b in self.benchmarks))

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
            By benchmark name; one axis a level, outermost first.
        unit : str
            Of all the values: ``ns/op``, ``ops/s``, ...
        iteration_seconds : float, optional
            Nominal seconds of one repetition of the innermost level; needed to plan.
        startup_seconds : float
            What one repetition of the outermost level costs beside its iterations.
        levels : sequence of str, optional
            Names of the axes; by default ``iteration``, ``fork`` x ``iteration``, or
            ``level 1`` ... ``iteration`` where there are more.

        Returns
        -------
        Suite
            Of harness ``series``.
        """
        return cls(
            tuple(
                _benchmark_of(
                    name,
                    np.asarray(values, np.float64),
                    unit,
                    iteration_seconds,
                    startup_seconds,
                    levels,
                )
                for name, values in measurements.items()
            )
        )


def find_identity(known: Mapping[Identity, object], key: Identity | str) -> Identity:
    """Return the identity that `key` names: itself, its label, or its name where unique.

    Raises
    ------
    KeyError
        If nothing, or more than one benchmark, is called so.
    """
    if isinstance(key, Identity):
        if key in known:
            return key
        raise KeyError(key.label)
    found = [i for i in known if i.label == key] or [i for i in known if i.name == key]
    if len(found) == 1:
        return found[0]
    if not found:
        raise KeyError(f"no benchmark is called {key!r}")
    raise KeyError(f"{key!r} is the name of {len(found)} benchmarks: give one's label")


def _benchmark_of(
    name: str,
    values: FloatArray,
    unit: str,
    iteration_seconds: float | None,
    startup_seconds: float,
    levels: Sequence[str] | None,
) -> Benchmark:
    names = list(levels) if levels is not None else _default_levels(values.ndim)
    costs = [startup_seconds if axis == 0 and len(names) > 1 else 0.0 for axis in range(len(names))]
    configuration = None
    if iteration_seconds is not None and values.ndim >= 1:
        configuration = ExecutionConfiguration(
            forks=int(np.prod(values.shape[:-1], dtype=np.int64)),
            warmup_iterations=0,
            iterations=values.shape[-1],
            warmup_seconds=iteration_seconds,
            iteration_seconds=iteration_seconds,
        )
    return Benchmark(
        Identity(name),
        unit,
        values,
        tuple(Level(n, cost) for n, cost in zip(names, costs, strict=True)),
        configuration=configuration,
    )


def _default_levels(axes: int) -> list[str]:
    outer = ["fork"] if axes == 2 else [f"level {axis + 1}" for axis in range(axes - 1)]
    return [*outer, "iteration"]

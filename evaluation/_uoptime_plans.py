"""Configurations chosen by the prototype and by steady on the µOpTime data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import steady
from evaluation._uoptime import METRICS, Group
from steady.model import Benchmark, ExecutionConfiguration, FloatArray, Identity, Level, Suite
from steady.optimize import Plan

COUNTED = (0, 1)
"""Levels that count as repetitions in the prototype, without Go's seconds."""


def prototype(measurements: FloatArray, metric: str) -> tuple[int, ...]:
    """Choose like the prototype, by its metric of this name."""
    return steady.minimal_configuration(
        measurements, METRICS[metric], 0.01, counted_levels=COUNTED, strict=True
    ).levels


def prototype_choices(group: Group, metric: str) -> list[tuple[int, ...]]:
    """Choose for every benchmark of a group like the prototype."""
    return [prototype(values, metric) for values in group.measurements]


def paper(measurements: FloatArray, metric: str = "rciw3") -> tuple[int, ...]:
    """Choose as in the paper: all levels count, and a metric at the threshold is stable."""
    return steady.minimal_configuration(measurements, metric, 0.01).levels


def as_forks(measurements: FloatArray) -> FloatArray:
    """Flatten the inner levels, with missing values last; shape (forks, iterations)."""
    forks = measurements.reshape(len(measurements), -1)
    order = np.argsort(np.isnan(forks), axis=1, kind="stable")
    return np.take_along_axis(forks, order, axis=1)


def planned(group: Group, **options: object) -> Plan:
    """Plan a group's benchmarks as `steady optimize` does.

    Go's suite runs stand for forks, which start at once; their iterations and seconds are one
    level.
    """
    return plan_of(group.measurements, group.dataset, **options)


def plan_of(measurements: Sequence[FloatArray], dataset: str, **options: object) -> Plan:
    """Plan benchmarks of one data set."""
    benchmarks = []
    for number, values in enumerate(measurements):
        forks = as_forks(values)
        full = ExecutionConfiguration(len(forks), 0, forks.shape[1], 1.0, 1.0)
        levels = (Level("fork"), Level("iteration"))
        identity = Identity(f"b{number:05}")
        benchmarks.append(Benchmark(identity, "ns/op", forks, levels, 0, full))
    if dataset == "ds1":
        options["startup_seconds"] = 0.0
    return steady.optimize(Suite(tuple(benchmarks)), **options)  # type: ignore[arg-type]

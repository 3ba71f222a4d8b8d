"""Results of three benchmarks in JMH's format, also for processes started by tests."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.jmh_records import jmh_record

NAMES = ("org.example.Bench.alpha", "org.example.Bench.beta", "org.example.Bench.gamma")
JAVA = {
    "jvm": "/opt/jdk/bin/java",
    "jvmArgs": ["-Xmx1g"],
    "jdkVersion": "21.0.5",
    "vmName": "OpenJDK 64-Bit Server VM",
    "vmVersion": "21.0.5+11",
}


def record(name: str, values: Any, **more: Any) -> dict[str, Any]:
    """Return one result as JMH 1.37 writes it; `values` has the shape (forks, iterations)."""
    floats = [[float(value) for value in fork] for fork in values]
    return jmh_record(name, floats, **{**JAVA, **more})


def series(seed: int, forks: int, iterations: int, factor: float = 1.0) -> Any:
    """Return measurements with 0.1 % noise and a warm-up of ten of sixty iterations."""
    noise = np.random.default_rng(seed).normal(1.0, 0.001, (forks, iterations))
    warming = 1.0 + 0.5 * np.exp(-np.arange(iterations) / 2.0) * (iterations >= 60)
    return 100.0 * factor * noise * warming


def slower(factor: float) -> dict[str, float]:
    """Return the slowdown of each benchmark if only the second is slower."""
    return {**dict.fromkeys(NAMES, 1.0), NAMES[1]: factor}


def write_run(path: Path, factors: Mapping[str, float] | None = None, **more: Any) -> None:
    """Write a reduced run of the benchmarks in `factors`; by default all, unchanged."""
    chosen = dict.fromkeys(NAMES, 1.0) if factors is None else factors
    records = [
        record(name, series(seed, 3, 20, factor), **more)
        for seed, (name, factor) in enumerate(chosen.items(), sum(path.name.encode()))
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(records))


def write_full_run(path: Path) -> None:
    """Write a full run: 5 forks of 60 iterations without warm-up."""
    records = [record(name, series(seed, 5, 60)) for seed, name in enumerate(NAMES)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(records))

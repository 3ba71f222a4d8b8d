"""Prints results of pytest-benchmark or pyperf as steady's series: one file, one run."""

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any


def processes_of(path: Path) -> dict[str, list[list[float]]]:
    """Return the nanoseconds of each benchmark in a file, a list for each process."""
    data: dict[str, Any] = json.loads(path.read_text())
    if "machine_info" in data:  # pytest-benchmark, --benchmark-json
        return {b["fullname"]: [scaled(b["stats"]["data"])] for b in data["benchmarks"]}
    return {  # pyperf, -o; a run without values only calibrates
        (b.get("metadata", {}) | data["metadata"]).get("name", "benchmark"): [
            scaled(run["values"]) for run in b["runs"] if run.get("values")
        ]
        for b in data["benchmarks"]
    }


def scaled(seconds: list[float]) -> list[float]:
    """Return seconds as nanoseconds."""
    return [1e9 * value for value in seconds]


forks: defaultdict[str, list[list[float]]] = defaultdict(list)
for name in sys.argv[1:]:
    for benchmark, processes in processes_of(Path(name)).items():
        forks[benchmark] += processes
series = {
    "steady_series": 1,
    "unit": "ns/op",
    "levels": [{"name": "fork"}, {"name": "iteration"}],
    "benchmarks": [{"name": name, "measurements": own} for name, own in forks.items()],
}
print(json.dumps(series))

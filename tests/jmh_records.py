"""Results in the format of JMH 1.37."""

from collections.abc import Sequence
from typing import Any


def jmh_record(
    name: str,
    rows: Sequence[Sequence[Any]],
    *,
    warmup: int = 0,
    seconds: str = "100 ms",
    unit: str = "ns/op",
    **more: Any,
) -> dict[str, Any]:
    """Return one result with measurements of shape (forks, iterations)."""
    return {
        "jmhVersion": "1.37",
        "benchmark": name,
        "mode": "avgt",
        "threads": 1,
        "forks": len(rows),
        "warmupIterations": warmup,
        "warmupTime": seconds,
        "warmupBatchSize": 1,
        "measurementIterations": len(rows[0]),
        "measurementTime": seconds,
        "measurementBatchSize": 1,
        "primaryMetric": {"score": 1.0, "scoreUnit": unit, "rawData": [[*row] for row in rows]},
        "secondaryMetrics": {},
        **more,
    }

"""Times a function in five processes and prints the times in steady's own format."""

import json
import subprocess
import sys
import time


def work() -> str:
    """Run the measured code."""
    return ",".join(str(n) for n in sorted(range(2000, 0, -1)))


def one_process() -> list[float]:
    """Return the microseconds of 50 calls."""
    times = []
    for _ in range(50):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e6)
    return times


def five_processes() -> dict[str, object]:
    """Return the times of five processes, as docs/series-format.md describes them."""
    command = [sys.executable, __file__, "one"]
    forks = [json.loads(subprocess.check_output(command)) for _ in range(5)]
    return {
        "steady_series": 1,
        "unit": "us/op",
        "levels": [{"name": "fork"}, {"name": "iteration"}],
        "benchmarks": [{"name": "work", "warmup": 10, "measurements": forks}],
    }


print(json.dumps(one_process() if sys.argv[1:] == ["one"] else five_processes()))

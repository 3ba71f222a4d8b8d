"""What `record.sh` runs for the JSON of pyperf: its loops are calibrated for one of both."""

import pyperf

runner = pyperf.Runner(processes=2, values=3, min_time=1e-5)
runner.bench_func("sum", sum, range(2_000))
runner.timeit("a/b [\u00e4]", "sorted(x)", setup="x = [3, 1]", inner_loops=2)

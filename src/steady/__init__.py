"""steady: microbenchmark suites fast enough for every pull request, and verdicts to act on.

Arrays in, small frozen results out; everything that the Action does, a notebook can do::

    import steady

    suite = steady.load("results/*.json")
    plan = steady.optimize(suite)
    diff = steady.compare(steady.load("base.json"), steady.load("head.json"), plan=plan)
"""

from steady.compare import Change, Comparison, compare
from steady.emit import emit
from steady.errors import InputError, MissingToolError, SteadyError, UnknownNameError
from steady.model import Benchmark, ExecutionConfiguration, Identity, Suite
from steady.optimize import (
    BenchmarkPlan,
    MinimalConfiguration,
    Plan,
    analyze,
    minimal_configuration,
    optimize,
    read_plan,
    write_plan,
)
from steady.readers import load, write_series
from steady.similarity import Similarity, similarity
from steady.stats import mean_interval, median_interval, stability
from steady.steadystate import SteadyState, detect

__all__ = [
    "Benchmark",
    "BenchmarkPlan",
    "Change",
    "Comparison",
    "ExecutionConfiguration",
    "Identity",
    "InputError",
    "MinimalConfiguration",
    "MissingToolError",
    "Plan",
    "Similarity",
    "SteadyError",
    "SteadyState",
    "Suite",
    "UnknownNameError",
    "analyze",
    "compare",
    "detect",
    "emit",
    "load",
    "mean_interval",
    "median_interval",
    "minimal_configuration",
    "optimize",
    "read_plan",
    "similarity",
    "stability",
    "write_plan",
    "write_series",
]

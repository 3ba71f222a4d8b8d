"""The public names: type checkers read them here, and so does `__init__.py`."""

from steady.compare import Change as Change
from steady.compare import Comparison as Comparison
from steady.compare import compare as compare
from steady.emit import emit as emit
from steady.engine.request import RunRequest as RunRequest
from steady.engine.run_outcome import RunOutcome as RunOutcome
from steady.engine.whole_run import run as run
from steady.errors import InputError as InputError
from steady.errors import MissingToolError as MissingToolError
from steady.errors import SteadyError as SteadyError
from steady.errors import UnknownNameError as UnknownNameError
from steady.model import Benchmark as Benchmark
from steady.model import ExecutionConfiguration as ExecutionConfiguration
from steady.model import Identity as Identity
from steady.model import Suite as Suite
from steady.optimize import BenchmarkPlan as BenchmarkPlan
from steady.optimize import Plan as Plan
from steady.optimize import analyze as analyze
from steady.optimize import optimize as optimize
from steady.optimize import read_plan as read_plan
from steady.optimize import write_plan as write_plan
from steady.papers.uoptime import MinimalConfiguration as MinimalConfiguration
from steady.papers.uoptime import minimal_configuration as minimal_configuration
from steady.readers import load as load
from steady.readers import write_series as write_series
from steady.similarity import Similarity as Similarity
from steady.similarity import similarity as similarity
from steady.stats import mean_interval as mean_interval
from steady.stats import median_interval as median_interval
from steady.stats import stability as stability
from steady.steadystate import SteadyState as SteadyState
from steady.steadystate import detect as detect

__all__: list[str]

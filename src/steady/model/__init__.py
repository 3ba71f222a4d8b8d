"""The data model: frozen classes of arrays with their units, on which all other packages build."""

from steady.model.benchmark import Benchmark as Benchmark
from steady.model.benchmark import Level as Level
from steady.model.benchmark import Metric as Metric
from steady.model.by_name import ByIdentity as ByIdentity
from steady.model.by_name import nearest_benchmarks as nearest_benchmarks
from steady.model.circumstances import Environment as Environment
from steady.model.circumstances import ExecutionConfiguration as ExecutionConfiguration
from steady.model.circumstances import Spent as Spent
from steady.model.identity import Identity as Identity
from steady.model.identity import name_parts as name_parts
from steady.model.suite import Failure as Failure
from steady.model.suite import NotRun as NotRun
from steady.model.suite import SameCode as SameCode
from steady.model.suite import Suite as Suite
from steady.model.units import Direction as Direction
from steady.model.units import FloatArray as FloatArray
from steady.model.units import as_times as as_times
from steady.model.units import direction_of as direction_of
from steady.model.units import seconds_factor as seconds_factor

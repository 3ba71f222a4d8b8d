"""From a full run to a plan: the smallest stable configuration, its cost and expected error."""

from steady.optimize.advice import Advice, advice
from steady.optimize.analysis import Analysis, analyze, analyze_benchmark
from steady.optimize.cost import STARTUP_SECONDS, CostModel, cost_model
from steady.optimize.detect import Detect
from steady.optimize.error_budget import ErrorBudget
from steady.optimize.freshness import Freshness, check_freshness
from steady.optimize.over_time import OverTimeError
from steady.optimize.plan import BenchmarkPlan, Plan
from steady.optimize.plan_json import (
    plan_at,
    plan_from_json,
    plan_to_json,
    read_plan,
    write_plan,
)
from steady.optimize.planner import optimize
from steady.optimize.strategies import DEFAULT_STRATEGY, STRATEGIES, make_strategy
from steady.optimize.strategy import MIN_FORKS
from steady.optimize.uoptime import MinimalConfiguration, minimal_configuration
from steady.optimize.uoptime_strategy import UOptime
from steady.optimize.updating import update_plan

__all__ = [
    "Advice",
    "Analysis",
    "BenchmarkPlan",
    "CostModel",
    "DEFAULT_STRATEGY",
    "Detect",
    "ErrorBudget",
    "Freshness",
    "MIN_FORKS",
    "MinimalConfiguration",
    "OverTimeError",
    "Plan",
    "STARTUP_SECONDS",
    "STRATEGIES",
    "UOptime",
    "advice",
    "analyze",
    "analyze_benchmark",
    "check_freshness",
    "cost_model",
    "make_strategy",
    "minimal_configuration",
    "optimize",
    "plan_at",
    "plan_from_json",
    "plan_to_json",
    "read_plan",
    "update_plan",
    "write_plan",
]

"""From a full run to a plan: the smallest stable configuration, its cost and expected error."""

from steady.optimize.advice import Advice as Advice
from steady.optimize.advice import advice as advice
from steady.optimize.analysis import Analysis as Analysis
from steady.optimize.analysis import analyze as analyze
from steady.optimize.freshness import check_freshness as check_freshness
from steady.optimize.making_again import update_plan as update_plan
from steady.optimize.plan_json import plan_at as plan_at
from steady.optimize.plan_json import plan_from_json as plan_from_json
from steady.optimize.plan_json import plan_to_json as plan_to_json
from steady.optimize.plan_json import read_plan as read_plan
from steady.optimize.plan_json import write_plan as write_plan
from steady.optimize.planner import optimize as optimize
from steady.optimize.strategies import DEFAULT_STRATEGY as DEFAULT_STRATEGY
from steady.optimize.strategies import STRATEGIES as STRATEGIES
from steady.optimize.suite_plan import BenchmarkPlan as BenchmarkPlan
from steady.optimize.suite_plan import Plan as Plan
from steady.optimize.time_budget import OverTimeError as OverTimeError

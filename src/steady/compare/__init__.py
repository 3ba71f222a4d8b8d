"""Comparison of head with base: the outcome of each benchmark, and one verdict."""

from steady.compare.benchmark_change import Change as Change
from steady.compare.benchmark_change import Estimate as Estimate
from steady.compare.benchmark_change import Outcome as Outcome
from steady.compare.comparing import compare as compare
from steady.compare.comparison import Comparison as Comparison
from steady.compare.comparison import Verdict as Verdict
from steady.compare.comparison_files import to_json as to_json
from steady.compare.ledger import Ignored as Ignored
from steady.compare.ledger import Ledger as Ledger
from steady.compare.ledger import Missing as Missing
from steady.compare.rules import DEFAULT_RULE as DEFAULT_RULE
from steady.compare.rules import RULES as RULES

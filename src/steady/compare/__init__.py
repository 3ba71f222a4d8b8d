"""The verdict on head against base: what changed, what did not, and what nobody can tell."""

from steady.compare.benchmark_change import (
    Acknowledgement,
    Change,
    Estimate,
    Outcome,
    relative_change,
)
from steady.compare.comparing import compare
from steady.compare.comparison import Comparison, Verdict
from steady.compare.comparison_files import to_json
from steady.compare.judgement import Judgement
from steady.compare.ledger import Ignored, Ledger, Missing
from steady.compare.pair import Pair, fork_values
from steady.compare.rule import Rule, RuleOptions
from steady.compare.rules import DEFAULT_RULE, RULES
from steady.compare.surroundings import Difference

__all__ = [
    "Acknowledgement",
    "Change",
    "Comparison",
    "DEFAULT_RULE",
    "Difference",
    "Estimate",
    "Ignored",
    "Judgement",
    "Ledger",
    "Missing",
    "Outcome",
    "Pair",
    "RULES",
    "Rule",
    "RuleOptions",
    "Verdict",
    "compare",
    "fork_values",
    "relative_change",
    "to_json",
]

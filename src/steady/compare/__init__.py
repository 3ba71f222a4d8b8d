"""Head against base: what changed, what did not, and what could not be compared."""

from steady.compare.acknowledgement import Acknowledgement
from steady.compare.comparing import compare
from steady.compare.comparison import (
    Change,
    Comparison,
    Difference,
    Estimate,
    Ignored,
    Ledger,
    Missing,
    Outcome,
    Verdict,
    relative_change,
)
from steady.compare.comparison_json import to_json
from steady.compare.pair import Judgement, Pair, Rule, RuleOptions, fork_values
from steady.compare.rules import DEFAULT_RULE, RULES

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

"""Reproduction of the papers' tables from their data: ``python -m evaluation DATA``.

A table is one module with a function ``table`` that takes the folder of the data and returns
Markdown; `TABLES` lists them in the order of the document.
"""

from __future__ import annotations

TABLES = (
    "steady_state",
    "planted_forks",
    "fork_similarity",
    "uoptime_savings",
    "uoptime_metrics",
    "uoptime_changes",
    "result_quality",
    "verdicts",
    "java_changes",
    "short_runs",
    "short_plans",
)
"""Modules of this package, in the order of the pages of the evaluation."""

__all__ = ["TABLES"]

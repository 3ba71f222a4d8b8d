"""The conditions, named by the user, under which a comparison makes a job fail."""

from __future__ import annotations

from steady.compare.comparison import Comparison
from steady.errors import InputError

CONDITIONS = ("regression", "incomplete", "not-comparable", "unclear", "metric-regression")
DEFAULT = "regression,incomplete,not-comparable"
"""Not a regression of a metric: that code allocates more is a fact that reports show, and whether
it may is for its authors to say as long as it is not slower."""


def parse_fail_on(text: str) -> frozenset[str]:
    """Return the conditions that `text` names.

    Parameters
    ----------
    text : str
        Comma-separated conditions, or ``never``.

    Raises
    ------
    InputError
        If a condition is unknown, or ``never`` does not stand alone.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == ["never"]:
        return frozenset()
    unknown = [name for name in names if name not in CONDITIONS]
    if unknown or not names:
        raise InputError(
            f"fail-on is {text!r}; give one or more of {', '.join(CONDITIONS)}, separated by "
            "commas, or never"
        )
    return frozenset(names)


def reasons_to_fail(comparison: Comparison, fail_on: frozenset[str]) -> tuple[str, ...]:
    """Return which of the conditions in `fail_on` hold; the job passes if none does.

    A comparison that allows no verdict has no regressions, and nothing in it is unclear.
    """
    holds = {
        "regression": comparison.comparable and bool(comparison.regressions),
        "incomplete": not comparison.ledger.complete or not comparison.has_checked,
        "not-comparable": not comparison.comparable,
        "unclear": comparison.comparable and bool(comparison.unclear),
        "metric-regression": comparison.comparable and bool(comparison.metrics.regressions),
    }
    return tuple(name for name in CONDITIONS if name in fail_on and holds[name])

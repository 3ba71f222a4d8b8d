"""Strictness of a verdict: four options, their defaults, and the class that groups them.

Commands, the action's inputs and `steady.compare.criteria.CompareOptions` extend `Strictness`, so
an option that is added here becomes an option of all of them.
"""

from dataclasses import dataclass, fields
from typing import Any

from steady.errors import require
from steady.options import kinds
from steady.options.option import InAction, Option, use
from steady.percent import LEVEL, POSITIVE, SHARE

USUAL_CONFIDENCE = 0.99
"""Default confidence level of a single benchmark's verdict, and the minimum for a suite."""

USUAL_FALSE_ALARMS = 0.02
"""Default rate of false alarms: one in 50 pull requests that change nothing."""

_LEVEL, _RATE = kinds.percentage(LEVEL), kinds.percentage(POSITIVE)

RULE = Option(
    "rule", kinds.registered_in("steady.compare:RULES"), default="paired-t", others=("Python",),
    help="decision rule (default: {default}; `steady methods` lists the rules)",
    action=InAction(
        "Decision rule: `paired-t` (paired differences between forks of the same round, for "
        "results of `steady run`), `moderated-t` (differences between forks, with variances "
        "shrunk towards a prior from the suite), `overlap` (the rule of the µOpTime paper), "
        "`overlap-fast` or `known-spread`",
        modes=("compare", "report"),
    ),
)  # fmt: skip
"""The default has few false alarms with two or more forks per version, and is robust to drift of
the machine; see ``docs/methods-compare.md``."""

MIN_CHANGE = Option(
    "min-change", kinds.percentage(SHARE), default=0.03, others=("settings", "Python"),
    help="smallest change to report (default: {default})",
    action=InAction(
        "Smallest change to report, as `0.03` or `3%`",
        modes=("compare", "report"),
    ),
)  # fmt: skip

CONFIDENCE = Option(
    "confidence", _LEVEL, others=("Python",),
    help="confidence level of each benchmark's verdict, regardless of the number of benchmarks "
    f"(default: derived from --false-alarms; {_LEVEL.show(USUAL_CONFIDENCE)} if base and head "
    "were not interleaved)",
    action=InAction(
        "Confidence level of each benchmark's verdict, as `0.99` or `99%`, regardless of the "
        "number of benchmarks; default: derived from `false-alarms`, or "
        f"`{_LEVEL.show(USUAL_CONFIDENCE)}`",
        modes=("compare", "report"),
    ),
)  # fmt: skip

FALSE_ALARMS = Option(
    "false-alarms", _RATE, others=("settings", "Python"),
    help="probability of a false alarm in a pull request that changes nothing (default: from "
    f"the settings, or {_RATE.show(USUAL_FALSE_ALARMS)} if base and head were interleaved)",
    action=InAction(
        "Probability of any false alarm in a pull request that changes nothing, as `0.02` or "
        f"`2%`; default: from the settings file, or `{_RATE.show(USUAL_FALSE_ALARMS)}` if base "
        "and head were interleaved",
        modes=("compare", "report"),
    ),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Strictness:
    """Minimum size of a change, and error rates of a verdict.

    Parameters
    ----------
    rule : str
        A name in `steady.compare.RULES`.
    min_change : float or str
        Smallest relative change to report, for benchmarks without a threshold of their own.
    confidence : float or str, optional
        Confidence level of each benchmark's verdict.
    false_alarms : float or str, optional
        Probability of any false alarm in the whole suite.
    """

    rule: str = use(RULE)
    min_change: float | str = use(MIN_CHANGE)
    confidence: float | str | None = use(CONFIDENCE)
    false_alarms: float | str | None = use(FALSE_ALARMS)


def strictness_of(asked: Strictness) -> dict[str, Any]:
    """Return the fields of the group, as keyword arguments for another class that extends it."""
    return {one.name: getattr(asked, one.name) for one in fields(Strictness)}


def check_strictness(asked: Strictness) -> None:
    """Raise an `InputError` if both error rates are given."""
    require(
        asked.confidence is None or asked.false_alarms is None,
        "--confidence (for one benchmark) and --false-alarms (for the whole pull request) "
        "exclude each other: give only one of them",
    )

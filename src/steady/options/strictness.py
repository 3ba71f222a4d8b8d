"""How strict a verdict is: four options, their defaults, and the group that travels whole.

Commands, the action's inputs and `steady.compare.criteria.CompareOptions` extend `Strictness`. An
option that is added here is an option of all of them.
"""

from dataclasses import dataclass, fields
from typing import Any

from steady.errors import require
from steady.options import kinds
from steady.options.option import InAction, Option, use
from steady.percent import LEVEL, POSITIVE, SHARE

USUAL_CONFIDENCE = 0.99
"""Of a single benchmark's verdict, where nothing else is said. A suite never asks for less."""

USUAL_FALSE_ALARMS = 0.02
"""Of 50 pull requests that change nothing, one may get a false alarm."""

_LEVEL, _RATE = kinds.percentage(LEVEL), kinds.percentage(POSITIVE)

RULE = Option(
    "rule", kinds.registered_in("steady.compare:RULES"), default="paired-t", others=("Python",),
    help="what counts as a change (default: {default}; `steady methods` lists them)",
    action=InAction(
        "What counts as a change: `paired-t` (forks of base and head that ran together in a round "
        "decide, where `steady run` made rounds), `moderated-t` (forks decide, and the suite tells "
        "how much they differ), `overlap` (the rule of the µOpTime paper), `overlap-fast` or "
        "`known-spread`",
        modes=("compare", "report"),
    ),
)  # fmt: skip
"""The default raises few false alarms from two forks a side on, and drift of the machine does not
affect it; see ``docs/methods-compare.md``."""

MIN_CHANGE = Option(
    "min-change", kinds.percentage(SHARE), default=0.03, others=("settings", "Python"),
    help="smallest change worth reporting (default: {default})",
    action=InAction(
        "Smallest change worth reporting, as `0.03` or `3%`",
        modes=("compare", "report"),
    ),
)  # fmt: skip

CONFIDENCE = Option(
    "confidence", _LEVEL, others=("Python",),
    help="confidence of the verdict on each benchmark, however many benchmarks the suite has "
    f"(default: what --false-alarms asks for; {_LEVEL.show(USUAL_CONFIDENCE)} where base and head "
    "took no turns)",
    action=InAction(
        "Confidence level of each benchmark's verdict, as `0.99` or `99%`; it decides alone, "
        "however many benchmarks there are; left out: what `false-alarms` asks for, or "
        f"`{_LEVEL.show(USUAL_CONFIDENCE)}`",
        modes=("compare", "report"),
    ),
)  # fmt: skip

FALSE_ALARMS = Option(
    "false-alarms", _RATE, others=("settings", "Python"),
    help="chance that a pull request which changes nothing gets a false alarm (default: what the "
    f"settings say, or {_RATE.show(USUAL_FALSE_ALARMS)} where base and head took turns)",
    action=InAction(
        "The chance that a pull request which changes nothing gets any alarm, as `0.02` or `2%`; "
        f"left out: what the settings file says, or `{_RATE.show(USUAL_FALSE_ALARMS)}` where base "
        "and head took turns",
        modes=("compare", "report"),
    ),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Strictness:
    """How large a change must be to count, and how sure a verdict must be.

    Parameters
    ----------
    rule : str
        A name in `steady.compare.RULES`.
    min_change : float or str
        Smallest relative change that counts, where a benchmark has none of its own.
    confidence : float or str, optional
        Of each benchmark's verdict.
    false_alarms : float or str, optional
        The chance of any alarm in the whole suite.
    """

    rule: str = use(RULE)
    min_change: float | str = use(MIN_CHANGE)
    confidence: float | str | None = use(CONFIDENCE)
    false_alarms: float | str | None = use(FALSE_ALARMS)


def strictness_of(asked: Strictness) -> dict[str, Any]:
    """Return the group alone, as keywords of another class that extends it.

    A command, a run and the action's inputs hand it over by this.
    """
    return {one.name: getattr(asked, one.name) for one in fields(Strictness)}


def check_strictness(asked: Strictness) -> None:
    """Raise the user's mistake if both rates of error are given."""
    require(
        asked.confidence is None or asked.false_alarms is None,
        "give --confidence, which is about one benchmark, or --false-alarms, which is about the "
        "whole pull request, but not both",
    )

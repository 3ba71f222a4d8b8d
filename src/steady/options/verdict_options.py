"""Options of what counts as a change, which plans, runs and comparisons share."""

from __future__ import annotations

from steady.options.kinds import EXPRESSION, TIME, named_in, percentage
from steady.options.option import InAction, Option
from steady.percent import LEVEL, POSITIVE, SHARE

RULE = Option(
    "rule", named_in("steady.compare:RULES"), default="paired-t", others=("Python",),
    help="what counts as a change (default: {default}; `steady methods` lists them)",
    action=InAction(
        "What counts as a change: `paired-t` (forks of base and head that ran together in a round "
        "decide, where `steady run` made rounds), `moderated-t` (forks decide, and the suite tells "
        "how much they differ), `overlap` (the rule of the µOpTime paper), `overlap-fast`, "
        "`overlap-forks` or `known-spread`",
        modes=("compare", "report"),
        default="paired-t",
    ),
)  # fmt: skip

MIN_CHANGE = Option(
    "min-change", percentage(SHARE), default=0.03, others=("settings", "Python"),
    help="smallest change worth reporting (default: {default})",
    action=InAction(
        "Smallest change worth reporting, as `0.03` or `3%`",
        modes=("compare", "report"),
        default="3%",
    ),
)  # fmt: skip

CONFIDENCE = Option(
    "confidence", percentage(LEVEL), others=("Python",),
    help="confidence of the verdict on each benchmark, however many benchmarks the suite has "
    "(default: what --false-alarms asks for; 99% where base and head took no turns)",
    action=InAction(
        "Confidence level of each benchmark's verdict, as `0.99` or `99%`; it decides alone, "
        "however many benchmarks there are; left out: what `false-alarms` asks for, or `99%`",
        modes=("compare", "report"),
    ),
)  # fmt: skip

FALSE_ALARMS = Option(
    "false-alarms", percentage(POSITIVE), others=("settings", "Python"),
    help="chance that a pull request which changes nothing gets a false alarm (default: what the "
    "settings say, or 2% where base and head took turns)",
    action=InAction(
        "The chance that a pull request which changes nothing gets any alarm, as `0.02` or `2%`; "
        "left out: what the settings file says, or `2%` where base and head took turns",
        modes=("compare", "report"),
    ),
)  # fmt: skip

METRIC = Option(
    "metric", named_in("steady.stats:METRICS", metavar="METRIC"), others=("Python",),
    action=InAction(
        "Stability metric of strategy `uoptime`: `rciw3`, `cv`, `rmad`, `rciw1`, `rciw2` or "
        "`rciw3-mean`; left out: `rciw3`",
        modes=("optimize",),
    ),
)  # fmt: skip

THRESHOLD = Option(
    "threshold", percentage(POSITIVE), others=("Python",),
    action=InAction(
        "Largest value of the metric that is still stable, as `0.01` or `1%`; left out: `1%`",
        modes=("optimize",),
    ),
)  # fmt: skip

TIME_BUDGET = Option(
    "time-budget", TIME, others=("Python",),
    action=InAction(
        "Time that a pull request may take, as `600`, `10m` or `1.5h`: base and head, all starts "
        "and further rounds; then the errors of strategy `error-budget` are as small as that "
        "allows. If the suite takes longer than that, each pull request looks at a part of it, in "
        "rotation",
        modes=("optimize",),
    ),
)  # fmt: skip

ONLY = Option(
    "only", EXPRESSION,
)  # fmt: skip

"""Options shared by commands for several purposes."""

from steady.options import kinds
from steady.options.option import InAction, Option
from steady.percent import POSITIVE

DEFAULT_STORE = "git:steady-data"
"""Default location of the history."""

DEFAULT_SETTINGS = ".github/steady.yml"
"""Default path of the settings."""

RESULTS = Option(
    "results", kinds.FILES, metavar="RESULT", takes="several",
    help="result file or glob pattern",
    action=InAction(
        "Results of the full run (`optimize`), or of the run to record (`record`): one path or "
        "pattern per line, relative to the workspace",
        modes=("optimize", "record"),
        required=True,
    ),
)  # fmt: skip

FORMAT = Option(
    "format", kinds.registered_in("steady.readers:FORMATS"), others=("Python",),
    help="format of the results (default: detected from their content; `steady methods` lists "
    "the formats)",
)  # fmt: skip

OUT = Option(
    "out", kinds.PATH, metavar="FOLDER",
    action=InAction(
        "Output folder inside the workspace; default: `.steady` for `optimize`, otherwise "
        "`steady-report`",
        modes=("optimize", "compare", "report"),
    ),
)  # fmt: skip

BESIDE = Option("beside", kinds.PATH, metavar="FILE")
"""An additional output file; its format depends on the field."""

JSON = Option("json", kinds.FLAG, help="print JSON instead of a table")

PLAN = Option(
    "plan", kinds.PATH, metavar="PLAN",
    action=InAction(
        "Plan that both runs followed, to detect missing benchmarks; default: "
        "`.steady/plan.json`, if it exists",
        modes=("compare", "report", "record"),
    ),
)  # fmt: skip

SETTINGS = Option(
    "settings", kinds.PATH, metavar="FILE",
    help="settings file with thresholds, ignored benchmarks and accepted changes (default: "
    f"{DEFAULT_SETTINGS}, if it exists)",
    action=InAction(
        "Settings file with thresholds, ignored benchmarks, accepted changes, and the important "
        "benchmarks of a plan with `time-budget`; default: `.github/steady.yml`, if it exists",
        modes=("optimize", "compare", "report"),
    ),
)  # fmt: skip

DETECTOR = Option(
    "detector", kinds.registered_in("steady.steadystate:METHODS", metavar="METHOD"),
    default="by-length", others=("Python",),
    help="steady-state detection method (default: {default}; `steady methods` lists the methods)",
    action=InAction(
        "Steady-state detection method; `steady methods` lists the methods",
        modes=("optimize",),
    ),
)  # fmt: skip

SIMILARITY = Option(
    "similarity", kinds.registered_in("steady.similarity:METHODS", metavar="METHOD"),
    default="heuristic", others=("Python",),
    help="fork-similarity method (default: {default})",
    action=InAction(
        "Fork-similarity method; `steady methods` lists the methods",
        modes=("optimize",),
    ),
)  # fmt: skip

EARLIER = Option(
    "earlier", kinds.FILES, metavar="RESULT", takes="several", others=("Python",),
    help="results of earlier runs of the suite, one file per run, oldest first: historical data "
    "for {what}",
)  # fmt: skip

HISTORY = Option(
    "history", kinds.TEXT, metavar="STORE",
    help="store of earlier runs (`steady history`), such as git:steady-data; runs with the same "
    "CPU, system and JDK are historical data for {what}",
    action=InAction(
        "Store of earlier runs: `git:` and a branch used only for it, or a folder. `compare` "
        "takes the baseline from it if `base` is missing, and estimates the variance between "
        "forks and between runs; default: no history for `compare`, `git:steady-data` for "
        "`record`",
        modes=("compare", "record"),
    ),
)  # fmt: skip

BASE_BRANCH = Option(
    "base-branch", kinds.TEXT, metavar="BRANCH",
    help="target branch of the change: only --history runs of commits shared by HEAD and this "
    "branch are used (default: all commits up to HEAD)",
)  # fmt: skip

SUITE = Option(
    "suite", kinds.TEXT, default="default", metavar="KEY",
    help="key of the suite in --history (default: {default})",
    action=InAction(
        "Name of the suite; each suite has its own comment on a pull request and its own runs "
        "in the history"
    ),
)  # fmt: skip
"""Named `key` in the action."""

METRIC = Option(
    "metric", kinds.registered_in("steady.stats:METRICS", metavar="METRIC"), others=("Python",),
    action=InAction(
        "Stability metric of strategy `uoptime`: `rciw3`, `cv`, `rmad`, `rciw1`, `rciw2` or "
        "`rciw3-mean`; default: `rciw3`",
        modes=("optimize",),
    ),
)  # fmt: skip

THRESHOLD = Option(
    "threshold", kinds.percentage(POSITIVE), others=("Python",),
    action=InAction(
        "Stability threshold of strategy `uoptime`: largest value of the metric that counts as "
        "stable, as `0.01` or `1%`; default: `1%`",
        modes=("optimize",),
    ),
)  # fmt: skip

TIME_BUDGET = Option(
    "time-budget", kinds.TIME, others=("Python",),
    action=InAction(
        "Maximum duration of the run of base and head in a pull request, as `600`, `10m` or "
        "`1.5h`, including start-up and additional rounds. Strategy `error-budget` minimizes "
        "the errors within this time. If the suite takes longer, each pull request measures a "
        "part of it, in rotation",
        modes=("optimize",),
    ),
)  # fmt: skip

ONLY = Option(
    "only", kinds.EXPRESSION,
    action=InAction(
        "Regular expression: only benchmarks whose name matches are compared, and `.` matches "
        "all; default: the selection of the run, if this job measured it, or of the plan",
        modes=("compare", "report"),
    ),
)  # fmt: skip

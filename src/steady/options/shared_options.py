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
    help="result file or pattern",
    action=InAction(
        "Result files of the full run, or of the run to record, one path or pattern per line, "
        "relative to the workspace",
        modes=("optimize", "record"),
        required=True,
    ),
)  # fmt: skip

FORMAT = Option(
    "format", kinds.registered_in("steady.readers:FORMATS"), others=("Python",),
    help="format of the results; `steady methods` lists them (default: steady looks at their "
    "content)",
)  # fmt: skip

OUT = Option(
    "out", kinds.PATH, metavar="FOLDER",
    action=InAction(
        "Folder for what is written, inside the workspace; left out: `.steady` for `optimize`, "
        "otherwise `steady-report`",
        modes=("optimize", "compare", "report"),
    ),
)  # fmt: skip

JSON = Option("json", kinds.FLAG, help="print JSON instead of a table")

PLAN = Option(
    "plan", kinds.PATH, metavar="PLAN",
    action=InAction(
        "The plan that both runs followed, to notice what is missing; left out: "
        "`.steady/plan.json` where that file is",
        modes=("compare", "report", "record"),
    ),
)  # fmt: skip

SETTINGS = Option(
    "settings", kinds.PATH, metavar="FILE",
    help="thresholds, benchmarks to ignore, and accepted changes (default: "
    f"{DEFAULT_SETTINGS}, where that file is)",
    action=InAction(
        "Thresholds, benchmarks to ignore, accepted changes, and what is important in a plan "
        "with `time-budget`; left out: `.github/steady.yml` where that file is",
        modes=("optimize", "compare", "report"),
    ),
)  # fmt: skip

DETECTOR = Option(
    "detector", kinds.registered_in("steady.steadystate:METHODS", metavar="METHOD"),
    default="by-length", others=("Python",),
    help="steady-state method (default: {default}; `steady methods` lists them)",
    action=InAction(
        "Method that finds where each fork reaches its steady state; `steady methods` lists them",
        modes=("optimize",),
    ),
)  # fmt: skip

SIMILARITY = Option(
    "similarity", kinds.registered_in("steady.similarity:METHODS", metavar="METHOD"),
    default="heuristic", others=("Python",),
    help="fork-similarity method (default: {default})",
    action=InAction(
        "Method that decides whether the forks of a benchmark agree; `steady methods` lists them",
        modes=("optimize",),
    ),
)  # fmt: skip

EARLIER = Option(
    "earlier", kinds.FILES, metavar="RESULT", takes="several", others=("Python",),
    help="results of earlier runs of the suite, one file for each run, the oldest first: {what}",
)  # fmt: skip

HISTORY = Option(
    "history", kinds.TEXT, metavar="STORE",
    help="where earlier runs are kept (`steady history`), such as git:steady-data: the runs with "
    "the same CPU, system and JDK {what}",
    action=InAction(
        "Where results are kept from run to run: `git:` and a branch of its own, or a folder; "
        "`compare` takes the base from it where `base` is left out, and learns how much "
        "forks and runs differ; left out: no history for `compare`, `git:steady-data` for `record`",
        modes=("compare", "record"),
    ),
)  # fmt: skip

BASE_BRANCH = Option(
    "base-branch", kinds.TEXT, metavar="BRANCH",
    help="branch that these results are for: of --history, only runs of commits count that HEAD "
    "and this branch share (default: commits up to the clone's HEAD)",
)  # fmt: skip

SUITE = Option(
    "suite", kinds.TEXT, default="default", metavar="KEY",
    help="key of the suite in --history (default: {default})",
    action=InAction(
        "Name of the suite: tells its comment from those of others on the same pull request, and "
        "its runs in the history"
    ),
)  # fmt: skip
"""Named `key` in the action."""

METRIC = Option(
    "metric", kinds.registered_in("steady.stats:METRICS", metavar="METRIC"), others=("Python",),
    action=InAction(
        "Stability metric of strategy `uoptime`: `rciw3`, `cv`, `rmad`, `rciw1`, `rciw2` or "
        "`rciw3-mean`; left out: `rciw3`",
        modes=("optimize",),
    ),
)  # fmt: skip

THRESHOLD = Option(
    "threshold", kinds.percentage(POSITIVE), others=("Python",),
    action=InAction(
        "Largest value of the metric that is still stable, as `0.01` or `1%`; left out: `1%`",
        modes=("optimize",),
    ),
)  # fmt: skip

TIME_BUDGET = Option(
    "time-budget", kinds.TIME, others=("Python",),
    action=InAction(
        "Time that a pull request may take, as `600`, `10m` or `1.5h`: base and head, all starts "
        "and further rounds; then the errors of strategy `error-budget` are as small as that "
        "allows. If the suite takes longer than that, each pull request looks at a part of it, in "
        "rotation",
        modes=("optimize",),
    ),
)  # fmt: skip

ONLY = Option(
    "only", kinds.EXPRESSION,
    action=InAction(
        "Regular expression; only benchmarks whose names match it are compared, and `.` is "
        "everything; left out: what the run says that this job measured, or the plan",
        modes=("compare", "report"),
    ),
)  # fmt: skip

"""Options that commands for several purposes share."""

from __future__ import annotations

from steady.options.kinds import FLAG, PATH, TEXT, named_in
from steady.options.option import InAction, Option

DEFAULT_STORE = "git:steady-data"
"""Where the history is kept if nobody says otherwise."""

DEFAULT_SETTINGS = ".github/steady.yml"
"""Where the settings are if nobody says otherwise."""

RESULTS = Option(
    "results", TEXT, metavar="RESULT", takes="several",
    help="result file or pattern",
    action=InAction(
        "Result files of the full run, or of the run to record, one path or pattern per line, "
        "relative to the workspace",
        modes=("optimize", "record"),
        required=True,
    ),
)  # fmt: skip

FORMAT = Option(
    "format", named_in("steady.readers:FORMATS", metavar=None), others=("Python",),
    help="format of the results (default: steady looks at their content)",
)  # fmt: skip

OUT = Option(
    "out", PATH, metavar="FOLDER",
    action=InAction(
        "Folder for what is written, inside the workspace; left out: `.steady` for `optimize`, "
        "otherwise `steady-report`",
        modes=("optimize", "compare", "report"),
    ),
)  # fmt: skip

JSON = Option(
    "json", FLAG,
    help="print JSON instead of a table",
)  # fmt: skip

PLAN = Option(
    "plan", PATH, metavar="PLAN",
    action=InAction(
        "The plan that both runs followed, to notice what is missing; left out: "
        "`.steady/plan.json` where that file is",
        modes=("compare", "report", "record"),
    ),
)  # fmt: skip

SETTINGS = Option(
    "settings", PATH, metavar="FILE",
    help="thresholds, benchmarks to ignore, and acknowledged changes (default: "
    f"{DEFAULT_SETTINGS}, where that file is)",
    action=InAction(
        "Thresholds, benchmarks to ignore, acknowledged changes, and what is important in a plan "
        "with `time-budget`; left out: `.github/steady.yml` where that file is",
        modes=("optimize", "compare", "report"),
    ),
)  # fmt: skip

DETECTOR = Option(
    "detector", named_in("steady.steadystate:METHODS", metavar="METHOD"), default="kb-kssd",
    others=("Python",),
    help="steady-state method (default: {default}; `steady methods` lists them)",
)  # fmt: skip

SIMILARITY = Option(
    "similarity", named_in("steady.similarity:METHODS", metavar="METHOD"), default="heuristic",
    others=("Python",),
    help="fork-similarity method (default: {default})",
)  # fmt: skip

EARLIER = Option(
    "earlier", TEXT, metavar="RESULT", takes="several", others=("Python",),
    help="results of earlier runs of the suite, one file for each run, the oldest first: {what}",
)  # fmt: skip

HISTORY = Option(
    "history", TEXT, metavar="STORE",
    help="where earlier runs are kept (`steady history`), such as git:steady-data: the runs with "
    "the same CPU, system and JDK {what}",
    action=InAction(
        "Where results are kept from run to run: `git:` and a branch of its own, `artifact:` and "
        "an artifact's name, or a folder; `compare` takes the base from it where `base` is left "
        "out, and learns how much runs differ; left out: no history for `compare`, "
        "`git:steady-data` "
        "for `record`",
        modes=("compare", "record"),
    ),
)  # fmt: skip

BASE_BRANCH = Option(
    "base-branch", TEXT, metavar="BRANCH",
    help="branch that these results are for: of --history, only runs of commits count that HEAD "
    "and this branch share (default: commits up to the clone's HEAD)",
)  # fmt: skip

SUITE = Option(
    "suite", TEXT, default="default", metavar="KEY",
    help="key of the suite in --history (default: {default})",
    action=InAction(
        "Name of the suite: tells its comment from those of others on the same pull request, and "
        "its runs in the history",
        default="default",
    ),
)  # fmt: skip
"""The action calls it `key`."""

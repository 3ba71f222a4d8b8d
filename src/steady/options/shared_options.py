"""Options that commands for several purposes share."""

from __future__ import annotations

from steady.options.kinds import FLAG, PATH, TEXT, named_in
from steady.options.option import InAction, Option

DEFAULT_STORE = "git:steady-data"
"""Where the history is kept if nobody says otherwise."""

DEFAULT_SETTINGS = ".github/steady.yml"
"""Where the settings are if nobody says otherwise."""

RESULTS = Option(
    name="results",
    kind=TEXT,
    help="result file or pattern",
    metavar="RESULT",
    takes="several",
    action=InAction(
        "Result files of the full run, or of the run to record, one path or pattern per line, "
        "relative to the workspace",
        modes=("optimize", "record"),
        required=True,
    ),
)

FORMAT = Option(
    name="format",
    kind=named_in("steady.readers:FORMATS", metavar=None),
    help="format of the results (default: steady looks at their content)",
    others=("Python",),
)

OUT = Option(
    name="out",
    kind=PATH,
    metavar="FOLDER",
    action=InAction(
        "Folder for what is written, inside the workspace; left out: `.steady` for `optimize`, "
        "otherwise `steady-report`",
        modes=("optimize", "compare", "report"),
    ),
)

JSON = Option(name="json", kind=FLAG, help="print JSON instead of a table", default=False)

PLAN = Option(
    name="plan",
    kind=PATH,
    metavar="PLAN",
    action=InAction(
        "The plan that both runs followed, to notice what is missing; left out: "
        "`.steady/plan.json` where that file is",
        modes=("compare", "report", "record"),
    ),
)

SETTINGS = Option(
    name="settings",
    kind=PATH,
    help="thresholds, benchmarks to ignore, and acknowledged changes (default: "
    f"{DEFAULT_SETTINGS}, where that file is)",
    metavar="FILE",
    action=InAction(
        "Thresholds, benchmarks to ignore, acknowledged changes, and what is important in a plan "
        "with `time-budget`; left out: `.github/steady.yml` where that file is",
        modes=("optimize", "compare", "report"),
    ),
)

DETECTOR = Option(
    name="detector",
    kind=named_in("steady.steadystate:METHODS", metavar="METHOD"),
    help="steady-state method (default: {default}; `steady methods` lists them)",
    default="kb-kssd",
    others=("Python",),
)

SIMILARITY = Option(
    name="similarity",
    kind=named_in("steady.similarity:METHODS", metavar="METHOD"),
    help="fork-similarity method (default: {default})",
    default="heuristic",
    others=("Python",),
)

EARLIER = Option(
    name="earlier",
    kind=TEXT,
    help="results of earlier runs of the suite, one file for each run, the oldest first: {what}",
    metavar="RESULT",
    takes="several",
    others=("Python",),
)

HISTORY = Option(
    name="history",
    kind=TEXT,
    help="where earlier runs are kept (`steady history`), such as git:steady-data: the runs with "
    "the same CPU, system and JDK {what}",
    metavar="STORE",
    action=InAction(
        "Where results are kept from run to run: `git:` and a branch of its own, `artifact:` and "
        "an artifact's name, or a folder; `compare` takes the base from it where `base` is left "
        "out, and learns how much runs differ; left out: no history for `compare`, "
        "`git:steady-data` "
        "for `record`",
        modes=("compare", "record"),
    ),
)

BASE_BRANCH = Option(
    name="base-branch",
    kind=TEXT,
    help="branch that these results are for: of --history, only runs of commits count that HEAD "
    "and this branch share (default: commits up to the clone's HEAD)",
    metavar="BRANCH",
)

SUITE = Option(
    name="suite",
    kind=TEXT,
    help="key of the suite in --history (default: {default})",
    default="default",
    metavar="KEY",
    action=InAction(
        "Name of the suite: tells its comment from those of others on the same pull request, and "
        "its runs in the history",
        default="default",
    ),
)
"""The action calls it `key`."""

"""The action's inputs and outputs: the one place that `action.yml` and the README agree with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steady import gate

Mode = Literal["optimize", "compare", "report", "record"]

MODES: tuple[Mode, ...] = ("optimize", "compare", "report", "record")

_COMPARING: tuple[Mode, ...] = ("compare", "report")
_TELLING: tuple[Mode, ...] = ("optimize", *_COMPARING)


@dataclass(frozen=True, slots=True)
class Input:
    """What a workflow may say under ``with``.

    Parameters
    ----------
    name : str
        As workflows write it.
    description : str
        As `action.yml` and the README's table say it.
    default : str
        What stands for it where it is left out or empty; empty: nothing does.
    modes : tuple of {"optimize", "compare", "report", "record"}
        Those that use it.
    required : bool
        Whether these modes cannot do without.
    """

    name: str
    description: str
    default: str = ""
    modes: tuple[Mode, ...] = MODES
    required: bool = False

    @property
    def variable(self) -> str:
        """The environment variable in which GitHub's runner hands it over; hyphens stay."""
        return f"INPUT_{self.name.upper()}"

    @property
    def field(self) -> str:
        """Its name in `Settings`."""
        return self.name.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Output:
    """What later steps may read.

    Parameters
    ----------
    name, description : str
        As `action.yml` and the README's table say it.
    """

    name: str
    description: str


INPUTS = (
    Input(
        "mode",
        "`optimize` makes a plan from a full run; `compare` compares two runs of the suite; "
        "`report` does so in a `workflow_run` job, with what another workflow's run left; `record` "
        "keeps the results of a run",
        required=True,
    ),
    Input(
        "results",
        "Result files of the full run, or of the run to record, one path or pattern a line, "
        "relative to the workspace",
        modes=("optimize", "record"),
        required=True,
    ),
    Input(
        "jar",
        "The benchmarks' jar; with it, JMH takes the plan of most benchmarks in one run",
        modes=("optimize",),
    ),
    Input(
        "strategy",
        "How the plan chooses: `error-budget` (time where it buys the most, within a predicted "
        "error) or `uoptime` (least repetition that is stable)",
        default="error-budget",
        modes=("optimize",),
    ),
    Input(
        "metric",
        "Stability metric of strategy `uoptime`: `cv`, `rmad`, `rciw1`, `rciw2`, `rciw3` or "
        "`rciw3-mean`; left out: `rciw3`",
        modes=("optimize",),
    ),
    Input(
        "threshold",
        "Largest value of the metric that is still stable, as `0.01` or `1%`; left out: `1%`",
        modes=("optimize",),
    ),
    Input(
        "budget",
        "Largest predicted error of strategy `error-budget`, for the median benchmark, as `0.03` "
        "or `3%`; left out: `3%`",
        modes=("optimize",),
    ),
    Input(
        "time-budget",
        "Time that one run of the whole suite may take, as `600`, `10m` or `1.5h`; then the errors "
        "of strategy `error-budget` are as small as that allows",
        modes=("optimize",),
    ),
    Input(
        "annotations",
        "Folder of the benchmarks' Java sources: the plan as a diff of their annotations, and in "
        "the sources themselves with `commit`",
        modes=("optimize",),
    ),
    Input(
        "commit",
        "Where the configuration is committed: `false`, `pull-request` (one, opened or updated) or "
        "`branch:NAME` (pushed)",
        default="false",
        modes=("optimize",),
    ),
    Input(
        "commit-message",
        "First line of the commit's message, and title of the pull request",
        default="Update the benchmark plan",
        modes=("optimize",),
    ),
    Input(
        "signoff",
        "Whether the commit is signed off (`true` or `false`)",
        default="false",
        modes=("optimize",),
    ),
    Input(
        "co-author",
        "Co-authors of the commit, as `Name <mail>`, one a line",
        modes=("optimize",),
    ),
    Input(
        "base",
        "Result files of the version before, one path or pattern a line, relative to the "
        "workspace; only with `history` may it be left out",
        modes=("compare",),
    ),
    Input(
        "head",
        "Result files of the version after, written like `base`",
        modes=("compare",),
        required=True,
    ),
    Input(
        "plan",
        "The plan that both runs followed, to notice what is missing; left out: "
        "`.steady/plan.json` where that file is",
        modes=(*_COMPARING, "record"),
    ),
    Input(
        "history",
        "Where results are kept from run to run: `git:` and a branch of its own, `artifact:` and "
        "an artifact's name, or a folder; `compare` takes the base from it where `base` is left "
        "out, and learns how much runs differ; left out: nowhere for `compare`, `git:steady-data` "
        "for `record`",
        modes=("compare", "record"),
    ),
    Input(
        "record-on",
        "Whose results `record` keeps: `default-branch` (pushes to the default branch and its "
        "scheduled runs, of the commit that the event names) or `anything` (of any event but a "
        "pull request from a fork: only for a workflow that never runs a stranger's code)",
        default="default-branch",
        modes=("record",),
    ),
    Input(
        "rule",
        "What counts as a change: `paired-t` (forks of base and head that ran together in a round "
        "decide, where `steady run` made rounds), `moderated-t` (forks decide, and the suite tells "
        "how much they differ), `known-spread`, `overlap` (the rule of the µOpTime paper), "
        "`overlap-fast` or `overlap-forks`",
        default="paired-t",
        modes=_COMPARING,
    ),
    Input(
        "min-change",
        "Smallest change worth telling, as `0.03` or `3%`",
        default="3%",
        modes=_COMPARING,
    ),
    Input(
        "confidence",
        "Confidence level of the intervals, as `0.99` or `99%`",
        default="99%",
        modes=_COMPARING,
    ),
    Input(
        "environment",
        "What different CPUs, JDKs or JVM arguments of the two runs do: `say` names them, "
        "`require-same` makes the verdict `not-comparable`",
        default="say",
        modes=_COMPARING,
    ),
    Input(
        "fail-on",
        "What fails the job: some of `regression`, `incomplete`, `not-comparable` and `unclear` "
        "(benchmarks too noisy, or with too few runs, to tell), separated "
        "by commas, or `never`",
        default=gate.DEFAULT,
        modes=_COMPARING,
    ),
    Input(
        "settings",
        "Thresholds, benchmarks to ignore and acknowledged changes; left out: "
        "`.github/steady.yml` where that file is",
        modes=_COMPARING,
    ),
    Input(
        "workflow",
        "File name of the workflow that measures; runs of any other are refused",
        default="steady-fork-measure.yml",
        modes=("report",),
    ),
    Input(
        "artifact",
        "Name of the artifact in which that workflow leaves its results",
        default="steady-results",
        modes=("report",),
    ),
    Input(
        "out",
        "Folder for what is written, inside the workspace; left out: `.steady` for `optimize`, "
        "otherwise `steady-report`",
        modes=_TELLING,
    ),
    Input(
        "comment",
        "What makes a comment on the pull request, updated in place by every later run: `always`, "
        "`changes` (better, worse or without result), `regressions` (worse or without result) or "
        "`never`",
        default="always",
        modes=_TELLING,
    ),
    Input(
        "when-resolved",
        "What becomes of the comment when nothing is wrong any more: `keep` it up to date, "
        "`minimize` it until something is, or `delete` it, which `comment: always` forbids",
        default="keep",
        modes=_TELLING,
    ),
    Input(
        "check",
        "Whether the commit gets a check run of its own, with annotations on the benchmarks' lines "
        "of source (`true` or `false`); it needs `checks: write`",
        default="false",
        modes=_COMPARING,
    ),
    Input(
        "key",
        "Name of the suite: tells its comment from those of others on the same pull request, and "
        "its runs in the history",
        default="default",
    ),
    Input(
        "token",
        "Token that writes the comment; it needs `pull-requests: write`, for `report` and for a "
        "history in an artifact also `actions: read`, for `history` `contents: read`, for `commit` "
        "`contents: write`, and for `record` only `contents: write`, or only `actions: read` with "
        "an artifact",
        default="${{ github.token }}",
    ),
)

OUTPUTS = (
    Output(
        "verdict",
        "`compare`, `report`: `regression`, `incomplete`, `not-comparable`, `acknowledged`, "
        "`improvement`, `unclear` (no change found, and some could not be told) or `unchanged`",
    ),
    Output("regressions", "`compare`, `report`: how many benchmarks became worse"),
    Output("improvements", "`compare`, `report`: how many benchmarks became better"),
    Output("unchanged", "`compare`, `report`: how many benchmarks surely stayed as they were"),
    Output(
        "unclear",
        "`compare`, `report`: how many benchmarks were too noisy, or ran too little, to tell",
    ),
    Output("acknowledged", "`compare`, `report`: how many changes are acknowledged"),
    Output(
        "missing", "`compare`, `report`: how many benchmarks failed, or left no result to compare"
    ),
    Output("plan", "Path of the plan that was made or used; empty where there is none"),
    Output(
        "pull-request",
        "`optimize` with `commit: pull-request`: address of the open pull request; empty where "
        "there is none",
    ),
    Output(
        "commit",
        "`optimize` with `commit`: hash of the commit that was pushed; empty where nothing was",
    ),
    Output(
        "seconds-saved",
        "Seconds that the plan's run takes less than what the project runs today (its annotations "
        "or JMH's defaults), or less than the full run where the results do not tell",
    ),
    Output("report", "Path of the report: Markdown for `optimize`, otherwise a page"),
    Output(
        "history",
        "`record` with `history: artifact:NAME`: the folder to upload as that artifact; empty "
        "where nothing was recorded",
    ),
)

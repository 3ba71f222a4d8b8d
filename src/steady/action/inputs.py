"""The action's inputs and outputs: the one place that `action.yml` and the README agree with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steady import gate

Mode = Literal["optimize", "compare"]

MODES: tuple[Mode, ...] = ("optimize", "compare")


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
    mode : {"optimize", "compare"}, optional
        The one mode that uses it; None: both do.
    required : bool
        Whether that mode cannot do without.
    """

    name: str
    description: str
    default: str = ""
    mode: Mode | None = None
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
        "`optimize` makes a plan from a full run; `compare` compares two runs of the suite",
        required=True,
    ),
    Input(
        "results",
        "Result files of the full run, one path or pattern a line, relative to the workspace",
        mode="optimize",
        required=True,
    ),
    Input(
        "jar",
        "The benchmarks' jar; with it, JMH takes the plan of most benchmarks in one run",
        mode="optimize",
    ),
    Input(
        "strategy",
        "How the plan chooses: `error-budget` (time where it buys the most, within a predicted "
        "error) or `uoptime` (least repetition that is stable)",
        default="error-budget",
        mode="optimize",
    ),
    Input(
        "metric",
        "Stability metric of strategy `uoptime`: `cv`, `rmad`, `rciw1`, `rciw2`, `rciw3` or "
        "`rciw3-mean`; left out: `rciw3`",
        mode="optimize",
    ),
    Input(
        "threshold",
        "Largest value of the metric that is still stable, as `0.01` or `1%`; left out: `1%`",
        mode="optimize",
    ),
    Input(
        "budget",
        "Largest predicted error of strategy `error-budget`, for the median benchmark, as `0.03` "
        "or `3%`; left out: `3%`",
        mode="optimize",
    ),
    Input(
        "base",
        "Result files of the version before, one path or pattern a line, relative to the workspace",
        mode="compare",
        required=True,
    ),
    Input(
        "head",
        "Result files of the version after, written like `base`",
        mode="compare",
        required=True,
    ),
    Input(
        "plan",
        "The plan that both runs followed, to notice what is missing; left out: "
        "`.steady/plan.json` where that file is",
        mode="compare",
    ),
    Input(
        "rule",
        "What counts as a change: `paired-t` (forks of base and head that ran together in a round "
        "decide, where `steady run` made rounds), `moderated-t` (forks decide, and the suite tells "
        "how much they differ), `known-spread`, `overlap` (the rule of the µOpTime paper), "
        "`overlap-fast` or `overlap-forks`",
        default="paired-t",
        mode="compare",
    ),
    Input(
        "min-change",
        "Smallest change worth telling, as `0.03` or `3%`",
        default="3%",
        mode="compare",
    ),
    Input(
        "confidence",
        "Confidence level of the intervals, as `0.99` or `99%`",
        default="99%",
        mode="compare",
    ),
    Input(
        "environment",
        "What different CPUs, JDKs or JVM arguments of the two runs do: `say` names them, "
        "`require-same` makes the verdict `not-comparable`",
        default="say",
        mode="compare",
    ),
    Input(
        "fail-on",
        "What fails the job: some of `regression`, `incomplete` and `not-comparable`, separated "
        "by commas, or `never`",
        default=gate.DEFAULT,
        mode="compare",
    ),
    Input(
        "out",
        "Folder for what is written, inside the workspace; left out: `.steady` for `optimize`, "
        "`steady-report` for `compare`",
    ),
    Input(
        "comment",
        "Whether the pull request gets a comment (`true` or `false`): one, on the first run, "
        "updated in place by every later run",
        default="true",
    ),
    Input(
        "key",
        "Name that tells this comment from those of other suites on the same pull request",
        default="default",
    ),
    Input(
        "token",
        "Token that writes the comment; it needs `pull-requests: write`",
        default="${{ github.token }}",
    ),
)

OUTPUTS = (
    Output(
        "verdict",
        "`compare`: `regression`, `incomplete`, `not-comparable`, `improvement` or `unchanged`",
    ),
    Output("regressions", "`compare`: how many benchmarks became worse"),
    Output("improvements", "`compare`: how many benchmarks became better"),
    Output("unchanged", "`compare`: how many benchmarks stayed as they were"),
    Output("missing", "`compare`: how many benchmarks failed, or left no result to compare"),
    Output("plan", "Path of the plan that was made or used; empty where there is none"),
    Output("seconds-saved", "Seconds that the plan's run takes less than the full run"),
    Output("report", "Path of the report: a page for `compare`, Markdown for `optimize`"),
)

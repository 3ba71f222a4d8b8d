"""Options of planning: ``steady analyze``, ``steady optimize`` and ``steady plan``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from steady.options import kinds
from steady.options import shared_options as shared
from steady.options.command import Command
from steady.options.option import InAction, Option, use
from steady.options.run_options import BUILD
from steady.options.strictness import CONFIDENCE, MIN_CHANGE
from steady.percent import POSITIVE

PLAN_FOLDER = Path(".steady")
"""Default path of the plan."""

JOBS = Option(
    "jobs", kinds.WHOLE, others=("Python",),
    help="number of processes for long work (default: one for each processor that this command "
    "may use)",
)  # fmt: skip

UPDATE = Option(
    "update", kinds.FLAG,
    help="keep the entries of the plan in --out for benchmarks that are not in RESULT",
)  # fmt: skip

STRATEGY = Option(
    "strategy", kinds.registered_in("steady.optimize:STRATEGIES"), others=("Python",),
    help="how the plan is chosen (default: error-budget, or detect with --detect; `steady "
    "methods` lists them)",
    action=InAction(
        "How the plan chooses: `error-budget` (time where it buys the most, within a predicted "
        "error), `detect` (least time that finds a change of one size; also where `detect` is "
        "given and this is left out) or `uoptime` (least repetition that is stable)",
        modes=("optimize",),
        default="error-budget",
    ),
)  # fmt: skip

DETECT = Option(
    "detect", kinds.percentage(POSITIVE), others=("Python",),
    help="plan for the verdict: the cheapest run of base and head, in turn, that finds a change "
    "of this size, such as 5%",
    action=InAction(
        "Change that base and head in turn should find, as `0.05` or `5%`: the plan is the "
        "cheapest that does",
        modes=("optimize",),
    ),
)  # fmt: skip

POWER = Option(
    "power", kinds.percentage(POSITIVE), others=("Python",),
    help="with --detect: probability that the change is found (default: 80%)",
    action=InAction(
        "With `detect`: probability with which the change is found, as `0.8` or `80%`; left out: "
        "`80%`",
        modes=("optimize",),
    ),
)  # fmt: skip

BUDGET = Option(
    "budget", kinds.percentage(POSITIVE), others=("Python",),
    help="with strategy error-budget: largest predicted error of the median benchmark (default: "
    "3%)",
    action=InAction(
        "Largest predicted error of strategy `error-budget`, for the median benchmark, as `0.03` "
        "or `3%`; left out: `3%`",
        modes=("optimize",),
    ),
)  # fmt: skip

MIN_FORKS = Option(
    "min-forks", kinds.WHOLE, others=("Python",),
    help="fewest forks of a reduced configuration (default: 5; with --detect 3)",
    action=InAction(
        "Fewest forks of a reduced configuration; left out: 5, with `detect` 3", modes=("optimize",)
    ),
)  # fmt: skip

STARTUP_SECONDS = Option(
    "startup-seconds", kinds.NUMBER, default=0.5, metavar="S", others=("Python",),
    help="how long the start of a fork takes (default: {default})",
)  # fmt: skip

UNSTEADY = Option(
    "unsteady", kinds.choice("keep", "reduce"), default="keep", others=("Python",),
    help="what a benchmark without a steady state does: keep its full run, or reduce it anyway "
    "(default: {default})",
    action=InAction(
        "What a benchmark without a steady state does: `keep` its full run, or `reduce` it anyway",
        modes=("optimize",),
    ),
)  # fmt: skip

ANNOTATIONS = Option(
    "annotations", kinds.PATH, metavar="SOURCES", others=("Python",),
    help="source file or folder of the benchmarks, in Java or Kotlin: the plan is also written "
    "as a patch of their annotations, annotations.patch in --out, for `git apply`",
    action=InAction(
        "Source file or folder of the benchmarks, in Java or Kotlin: the plan is also written as "
        "a patch of their annotations, `annotations.patch` in `out`; with `commit`, the patched "
        "sources are committed",
        modes=("optimize",),
    ),
)  # fmt: skip

_PAIRS = "show --detect how much pairs of forks differ, where base and head took turns"


@dataclass(frozen=True, kw_only=True)
class AnalyzeCommand(Command):
    """``steady analyze``: where each fork reaches its steady state, and whether the forks agree."""

    called = "analyze"

    results: tuple[str, ...] = use(shared.RESULTS, operand="+")
    format: str | None = use(shared.FORMAT)
    detector: str = use(shared.DETECTOR)
    similarity: str = use(shared.SIMILARITY)
    jobs: int | None = use(JOBS)
    json: bool = use(shared.JSON)


@dataclass(frozen=True, kw_only=True)
class OptimizeCommand(Command):
    """``steady optimize``: from a full run to the least that is still stable."""

    called = "optimize"

    results: tuple[str, ...] = use(
        shared.RESULTS, "results of a full run: files or patterns", operand="+"
    )
    format: str | None = use(shared.FORMAT)
    out: Path = use(
        shared.OUT,
        "where the plan and the harness's configuration go (default: {default})",
        default=PLAN_FOLDER,
    )
    strategy: str | None = use(STRATEGY)
    detect: float | None = use(DETECT)
    power: float | None = use(POWER)
    confidence: float | None = use(
        CONFIDENCE,
        "with --detect: confidence level of each verdict (default: what `steady compare` asks "
        "for, by the number of benchmarks)",
    )
    min_change: float | None = use(
        MIN_CHANGE,
        "with --detect: smallest change that the verdict reports (default: "
        f"{MIN_CHANGE.shown_default})",
        default=None,
    )
    metric: str | None = use(
        shared.METRIC, "stability metric of strategy uoptime (default: rciw3)", metavar="NAME"
    )
    threshold: float | None = use(
        shared.THRESHOLD, "largest value of the metric that is still stable (default: 1%)"
    )
    budget: float | None = use(BUDGET)
    time_budget: float | None = use(
        shared.TIME_BUDGET,
        "time that a pull request may take, such as 600, 10m or 1.5h: base and head, all starts "
        "and further rounds. Then the errors are as small as that allows (strategy error-budget); "
        "with --detect, as many benchmarks as possible find the change. If the suite takes longer "
        "than that, each pull request looks at a part of it, in rotation",
    )
    min_forks: int | None = use(MIN_FORKS)
    startup_seconds: float = use(STARTUP_SECONDS)
    unsteady: Literal["keep", "reduce"] = use(UNSTEADY)
    detector: str = use(shared.DETECTOR)
    similarity: str = use(shared.SIMILARITY)
    jobs: int | None = use(JOBS)
    jar: Path | None = use(
        BUILD,
        "the benchmarks' jar: with it, one run of JMH follows the plan for most benchmarks, and "
        "the plan is compared with their annotations",
    )
    annotations: Path | None = use(ANNOTATIONS)
    settings: Path | None = use(
        shared.SETTINGS,
        "with --time-budget: settings that name the important benchmarks, at which every pull "
        "request looks (default: .github/steady.yml, where that file is)",
    )
    earlier: tuple[str, ...] = use(shared.EARLIER, what=f"they {_PAIRS}")
    history: str | None = use(shared.HISTORY, what=_PAIRS)
    base_branch: str | None = use(shared.BASE_BRANCH)
    suite: str = use(shared.SUITE)
    update: bool = use(UPDATE)


@dataclass(frozen=True, kw_only=True)
class PlanCommand(Command):
    """``steady plan``: show a plan."""

    called = "plan"

    plan: Path = use(
        shared.PLAN,
        "the plan's folder or file (default: {default})",
        default=PLAN_FOLDER,
        operand="?",
    )
    json: bool = use(shared.JSON)

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
    help="number of worker processes (default: number of available processors)",
)  # fmt: skip

UPDATE = Option(
    "update", kinds.FLAG,
    help="keep the entries of the plan in --out for benchmarks missing from RESULT",
)  # fmt: skip

STRATEGY = Option(
    "strategy", kinds.registered_in("steady.optimize:STRATEGIES"), others=("Python",),
    help="planning strategy (default: error-budget, or detect with --detect; `steady methods` "
    "lists the strategies)",
    action=InAction(
        "Planning strategy: `error-budget` (shortest plan within an expected error), `detect` "
        "(shortest plan that detects a change of a given size; the default if `detect` is set) "
        "or `uoptime` (fewest repetitions with a stable result)",
        modes=("optimize",),
        default="error-budget",
    ),
)  # fmt: skip

DETECT = Option(
    "detect", kinds.percentage(POSITIVE), others=("Python",),
    help="plan the shortest interleaved run of base and head that detects a change of this "
    "size, such as 5%",
    action=InAction(
        "Size of the change to detect, as `0.05` or `5%`: the plan is the shortest interleaved "
        "run of base and head that detects it",
        modes=("optimize",),
    ),
)  # fmt: skip

POWER = Option(
    "power", kinds.percentage(POSITIVE), others=("Python",),
    help="with --detect: probability of detecting the change (default: 80%)",
    action=InAction(
        "With `detect`: probability of detecting the change, as `0.8` or `80%`; default: `80%`",
        modes=("optimize",),
    ),
)  # fmt: skip

BUDGET = Option(
    "budget", kinds.percentage(POSITIVE), others=("Python",),
    help="with strategy error-budget: maximum expected error of the median benchmark (default: "
    "3%)",
    action=InAction(
        "With strategy `error-budget`: maximum expected error of the median benchmark, as "
        "`0.03` or `3%`; default: `3%`",
        modes=("optimize",),
    ),
)  # fmt: skip

MIN_FORKS = Option(
    "min-forks", kinds.WHOLE, others=("Python",),
    help="minimum number of forks of a reduced configuration (default: 5; with --detect 3)",
    action=InAction(
        "Minimum number of forks of a reduced configuration; default: 5, with `detect` 3",
        modes=("optimize",),
    ),
)  # fmt: skip

STARTUP_SECONDS = Option(
    "startup-seconds", kinds.NUMBER, default=0.5, metavar="S", others=("Python",),
    help="start-up time of a fork in seconds (default: {default})",
)  # fmt: skip

UNSTEADY = Option(
    "unsteady", kinds.choice("keep", "reduce"), default="keep", others=("Python",),
    help="benchmarks without a steady state: keep the full run, or reduce it anyway (default: "
    "{default})",
    action=InAction(
        "Benchmarks without a steady state: `keep` the full run, or `reduce` it anyway",
        modes=("optimize",),
    ),
)  # fmt: skip

ANNOTATIONS = Option(
    "annotations", kinds.PATH, metavar="SOURCES", others=("Python",),
    help="Java or Kotlin source file or folder of the benchmarks: also write the plan as a "
    "patch of their annotations for `git apply`, annotations.patch in --out",
    action=InAction(
        "Java or Kotlin source file or folder of the benchmarks: the plan is also written as a "
        "patch of their annotations, `annotations.patch` in `out`; with `commit`, the patched "
        "sources are committed",
        modes=("optimize",),
    ),
)  # fmt: skip

_PAIRS = "the variance between pairs of interleaved forks (--detect)"


@dataclass(frozen=True, kw_only=True)
class AnalyzeCommand(Command):
    """``steady analyze``: detect the steady state of each fork, and compare the forks."""

    called = "analyze"

    results: tuple[str, ...] = use(shared.RESULTS, operand="+")
    format: str | None = use(shared.FORMAT)
    detector: str = use(shared.DETECTOR)
    similarity: str = use(shared.SIMILARITY)
    jobs: int | None = use(JOBS)
    json: bool = use(shared.JSON)


@dataclass(frozen=True, kw_only=True)
class OptimizeCommand(Command):
    """``steady optimize``: find the smallest stable configuration of each benchmark."""

    called = "optimize"

    results: tuple[str, ...] = use(
        shared.RESULTS, "results of a full run: files or patterns", operand="+"
    )
    format: str | None = use(shared.FORMAT)
    out: Path = use(
        shared.OUT,
        "output folder for the plan and the harness's configuration (default: {default})",
        default=PLAN_FOLDER,
    )
    strategy: str | None = use(STRATEGY)
    detect: float | None = use(DETECT)
    power: float | None = use(POWER)
    confidence: float | None = use(
        CONFIDENCE,
        "with --detect: confidence level of each verdict (default: as in `steady compare`, from "
        "the number of benchmarks)",
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
        shared.THRESHOLD, "largest value of the metric that counts as stable (default: 1%)"
    )
    budget: float | None = use(BUDGET)
    time_budget: float | None = use(
        shared.TIME_BUDGET,
        "maximum duration of the run of base and head in a pull request, such as 600, 10m or "
        "1.5h, including start-up and additional rounds. Strategy error-budget minimizes the "
        "errors within this time; --detect maximizes the number of benchmarks whose change is "
        "detectable. If the suite takes longer, each pull request measures a part of it, in "
        "rotation",
    )
    min_forks: int | None = use(MIN_FORKS)
    startup_seconds: float = use(STARTUP_SECONDS)
    unsteady: Literal["keep", "reduce"] = use(UNSTEADY)
    detector: str = use(shared.DETECTOR)
    similarity: str = use(shared.SIMILARITY)
    jobs: int | None = use(JOBS)
    jar: Path | None = use(
        BUILD,
        "jar of the benchmarks, so that a single JMH run follows the plan for most benchmarks; "
        "the plan is also compared with their annotations",
    )
    annotations: Path | None = use(ANNOTATIONS)
    settings: Path | None = use(
        shared.SETTINGS,
        "with --time-budget: settings file with the important benchmarks, which every pull "
        "request measures (default: .github/steady.yml, if it exists)",
    )
    earlier: tuple[str, ...] = use(shared.EARLIER, what=_PAIRS)
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
        "folder or file of the plan (default: {default})",
        default=PLAN_FOLDER,
        operand="?",
    )
    json: bool = use(shared.JSON)

"""Options of comparisons: ``steady compare`` and ``steady report``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from steady.options import kinds
from steady.options import shared_options as shared
from steady.options.command import Command
from steady.options.option import InAction, Option, use
from steady.options.strictness import Strictness

BASE = Option(
    "base", kinds.FILES, metavar="RESULT", takes="several", others=("Python",),
    help="results of base, where it has several files or patterns",
    action=InAction(
        "Result files of the version before, one path or pattern per line, relative to the "
        "workspace; only with `history` may it be left out",
        modes=("compare",),
    ),
)  # fmt: skip

HEAD = Option(
    "head", kinds.FILES, metavar="RESULT", takes="several", others=("Python",),
    help="results of head, where it has several files or patterns",
    action=InAction(
        "Result files of the version after, written like `base`",
        modes=("compare",),
        required=True,
    ),
)  # fmt: skip

BESIDE = Option("beside", kinds.PATH, metavar="FILE")
"""An additional output file; its format depends on the field."""

ENVIRONMENT = Option(
    "environment", kinds.choice("say", "require-same"), default="say",
    help="if base and head ran with different CPUs, JDKs or JVM arguments: name them, or give no "
    "verdict (default: {default})",
    action=InAction(
        "What different CPUs, JDKs or JVM arguments of the two runs do: `say` names them, "
        "`require-same` makes the verdict `not-comparable`",
        modes=("compare", "report"),
    ),
)  # fmt: skip

FAIL_ON = Option(
    "fail-on", kinds.TEXT, default="regression,incomplete,not-comparable", metavar="LIST",
    help="what makes the exit code 1: some of regression, incomplete, not-comparable, unclear, "
    "metric-regression, or never (default: {default})",
    action=InAction(
        "What fails the job: some of `regression`, `incomplete`, `not-comparable`, `unclear` "
        "(benchmarks too noisy, or with too few runs, to tell) and `metric-regression` (more "
        "allocation, or another further result that is worse), separated by commas, or `never`",
        modes=("compare", "report"),
    ),
)  # fmt: skip

METRICS = Option(
    "metrics", kinds.TEXT, metavar="NAME", takes="several", others=("Python",),
    help="also show these metrics, such as gc.alloc.rate.norm or allocs/op, or all; allocation is "
    "always compared",
    action=InAction(
        "Metrics to list, whether they changed or not, such as `gc.alloc.rate.norm`, or `all`; "
        "allocation is always compared",
        modes=("compare", "report"),
    ),
)  # fmt: skip

OUTPUT = Option(
    "output", kinds.registered_in("steady.report.output_formats:PRINTED", metavar=None),
    default="terminal", short=("json", "csv"),
    help="what to print (default: {default})",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TwoResults(Command):
    """Options that name two results, and narrow them."""

    pair: tuple[str, ...] = use(
        shared.RESULTS,
        "two results, the older one first: files, folders or patterns; or the one folder of a "
        "`steady run` of both versions",
        metavar="OLD NEW",
        operand="*",
    )
    base: tuple[str, ...] = use(BASE)
    head: tuple[str, ...] = use(HEAD)
    junit: Path | None = use(
        BESIDE,
        "also write JUnit's XML, which GitLab and Jenkins show beside the tests; a test fails "
        "where --fail-on says so",
    )
    format: str | None = use(shared.FORMAT)
    plan: Path | None = use(
        shared.PLAN, "the plan that both followed: its folder, .steady, or its file"
    )
    only: str | None = use(
        shared.ONLY,
        "compare only benchmarks whose name matches (default: what the run.json beside the "
        "results says, or the plan)",
    )


@dataclass(frozen=True, kw_only=True)
class Comparing(Strictness, TwoResults):
    """Options of every command that compares two runs."""

    # The fields of a dataclass begin with those of its last base, and help lists them so.
    settings: Path | None = use(shared.SETTINGS)
    earlier: tuple[str, ...] = use(
        shared.EARLIER,
        what="they show how much forks differ, and, if base and head did not run in turn, how "
        "much runs differ",
    )
    history: str | None = use(
        shared.HISTORY,
        what="show how much forks differ, and, if base and head did not run in turn, how much "
        "runs differ",
    )
    base_branch: str | None = use(shared.BASE_BRANCH)
    suite: str = use(shared.SUITE)
    environment: Literal["say", "require-same"] = use(ENVIRONMENT)
    fail_on: str = use(FAIL_ON)
    metrics: tuple[str, ...] = use(METRICS)


@dataclass(frozen=True, kw_only=True)
class CompareCommand(Comparing):
    """``steady compare``: what changed between two runs, and what could not be compared."""

    called = "compare"
    output: str = use(OUTPUT)
    out: Path | None = use(shared.OUT, "write to FILE instead", metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class ReportCommand(Comparing):
    """``steady report``: everything that there is to show of two runs, in one folder."""

    called = "report"
    out: Path = use(shared.OUT, "where they go (default: {default})", default=Path("steady-report"))
    full: tuple[str, ...] = use(
        shared.RESULTS,
        "results of the full run that the plan was made from: the page shows its forks, and what "
        "the plan measures of them",
    )

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
    help="results of base, if it has several files or patterns",
    action=InAction(
        "Results of base: one path or pattern per line, relative to the workspace; optional "
        "with `history`",
        modes=("compare",),
    ),
)  # fmt: skip

HEAD = Option(
    "head", kinds.FILES, metavar="RESULT", takes="several", others=("Python",),
    help="results of head, if it has several files or patterns",
    action=InAction(
        "Results of head, in the same form as `base`",
        modes=("compare",),
        required=True,
    ),
)  # fmt: skip

ENVIRONMENT = Option(
    "environment", kinds.choice("say", "require-same"), default="say",
    help="if base and head ran with different CPUs, JDKs or JVM arguments: report the "
    "differences, or give no verdict (default: {default})",
    action=InAction(
        "Treatment of runs with different CPUs, JDKs or JVM arguments: `say` reports the "
        "differences, `require-same` makes the verdict `not-comparable`",
        modes=("compare", "report"),
    ),
)  # fmt: skip

FAIL_ON = Option(
    "fail-on", kinds.TEXT, default="regression,incomplete,not-comparable", metavar="LIST",
    help="conditions for exit code 1: one or more of regression, incomplete, not-comparable, "
    "unclear, metric-regression, or never (default: {default})",
    action=InAction(
        "Conditions that fail the job: one or more of `regression`, `incomplete`, "
        "`not-comparable`, `unclear` (benchmarks too noisy to tell, or with too few forks) and "
        "`metric-regression` (more allocation, or a regression of another secondary metric), "
        "separated by commas, or `never`",
        modes=("compare", "report"),
    ),
)  # fmt: skip

METRICS = Option(
    "metrics", kinds.TEXT, metavar="NAME", takes="several", others=("Python",),
    help="additional metrics to show, such as gc.alloc.rate.norm or allocs/op, or all; "
    "allocation is always compared",
    action=InAction(
        "Metrics to show even if unchanged, such as `gc.alloc.rate.norm`, or `all`; allocation "
        "is always compared",
        modes=("compare", "report"),
    ),
)  # fmt: skip

OUTPUT = Option(
    "output", kinds.registered_in("steady.report.output_formats:PRINTED", metavar=None),
    default="terminal", short=("json", "csv"),
    help="output format (default: {default})",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TwoResults(Command):
    """Options that select two results and their benchmarks."""

    pair: tuple[str, ...] = use(
        shared.RESULTS,
        "two results, the older one first: files, folders or patterns; or the output folder of "
        "a `steady run` of both versions",
        metavar="OLD NEW",
        operand="*",
    )
    base: tuple[str, ...] = use(BASE)
    head: tuple[str, ...] = use(HEAD)
    junit: Path | None = use(
        shared.BESIDE,
        "also write a JUnit XML report for GitLab or Jenkins; tests fail under the conditions "
        "of --fail-on",
    )
    format: str | None = use(shared.FORMAT)
    plan: Path | None = use(
        shared.PLAN, "plan that both runs followed: its folder, such as .steady, or its file"
    )
    only: str | None = use(
        shared.ONLY,
        "compare only benchmarks whose name matches (default: from the run.json next to the "
        "results, or from the plan)",
    )


@dataclass(frozen=True, kw_only=True)
class Comparing(Strictness, TwoResults):
    """Options of every command that compares two runs."""

    # A dataclass lists the fields of its last base class first, and so does the help text.
    settings: Path | None = use(shared.SETTINGS)
    earlier: tuple[str, ...] = use(
        shared.EARLIER,
        what="the variance between forks and, if base and head were not interleaved, between runs",
    )
    history: str | None = use(
        shared.HISTORY,
        what="the variance between forks and, if base and head were not interleaved, between runs",
    )
    base_branch: str | None = use(shared.BASE_BRANCH)
    suite: str = use(shared.SUITE)
    environment: Literal["say", "require-same"] = use(ENVIRONMENT)
    fail_on: str = use(FAIL_ON)
    metrics: tuple[str, ...] = use(METRICS)


@dataclass(frozen=True, kw_only=True)
class CompareCommand(Comparing):
    """``steady compare``: compare two runs, benchmark by benchmark."""

    called = "compare"
    output: str = use(OUTPUT)
    out: Path | None = use(shared.OUT, "output file (default: standard output)", metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class ReportCommand(Comparing):
    """``steady report``: compare two runs, and write all reports to one folder."""

    called = "report"
    out: Path = use(shared.OUT, "output folder (default: {default})", default=Path("steady-report"))
    full: tuple[str, ...] = use(
        shared.RESULTS,
        "results of the plan's full run: the HTML report then shows its forks, and the "
        "iterations that the plan measures",
    )

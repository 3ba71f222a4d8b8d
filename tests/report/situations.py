"""Typical situations; as a script, it writes the texts of their reports.

Review each comment as a reader with five seconds would.
"""

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from functools import cache, partial
from itertools import groupby
from pathlib import Path

from rich.console import Console

from steady.compare import Change, Comparison, Estimate, Ignored, Missing, Outcome
from steady.compare.comparison import MetricComparison
from steady.judging import apply_settings
from steady.model import Environment, ExecutionConfiguration, Identity
from steady.model.changed_method import ChangedMethod, ChangedMethods
from steady.optimize import BenchmarkPlan, Plan
from steady.optimize.freshness import Freshness
from steady.optimize.plan_changes import plan_changes
from steady.report.comment import accept_lines
from steady.report.plan_receipt import ReceiptContext, receipt
from steady.report.plan_text import print_changes, print_plan
from steady.report.provenance import Measured
from steady.settings import RepoSettings
from steady.settings.repo_settings import Acceptance
from steady.suggestions.remake_plan import suggest_for_stale_plan
from tests.report import made
from tests.report.from_comparison import comment, html, junit, terminal, workflow_commands
from tests.report.page import Page

FOLDER = Path(__file__).with_name("situations")
URL = "https://github.com/octo/benchmarks/actions/runs/42#artifacts"
MACHINE = Environment("AMD EPYC 7763 64-Core Processor", "Linux 6.8", "21.0.5")
MEASURED = Measured("1f0c3f2" + "0" * 33, "9ab4d51" + "0" * 33, 321.0)
FAILING = frozenset({"regression", "incomplete", "not-comparable"})
PACKAGE = "org.example.codec"
_MOST_ROWS = 5


def change(name: str | Identity, ratio: float, outcome: Outcome, base: float = 76_450.0) -> Change:
    """Return a change with a confidence interval of half-width 3 %."""
    whole = name if isinstance(name, Identity) else f"{PACKAGE}.{name}"
    return made.change(whole, ratio, outcome, base=base, half=0.03, runs=(10, 60))


def same(number: int) -> tuple[Change, ...]:
    return tuple(change(f"Parser.same{i}", 0.001, "unchanged") for i in range(number))


def table(*names: str) -> tuple[Identity, ...]:
    return tuple(Identity(f"{PACKAGE}.{name}{i}") for name in names for i in range(16))


def of(*changes: Change, **places: object) -> Comparison:
    """Return the comparison of the changes; `places` are fields of the ledger."""
    return replace(
        made.of(*changes, **places),
        rule="paired-t", base_environments=(MACHINE,), head_environments=(MACHINE,),
    )  # fmt: skip


def changed() -> Comparison:
    worse = (
        change("Base64Benchmark.encodeLargeArray", 0.283, "regression"),
        change("Base64.decode", 0.117, "regression", 11.6),
    )
    return of(*worse, change("Parser.parse", -0.336, "improvement"), *same(16))


def improved() -> Comparison:
    case = Identity(f"{PACKAGE}.LongishBenchmark.parse", params=(("orders", "400"),))
    return of(change(case, -0.336, "improvement"), *same(18))


def failed() -> Comparison:
    reason = "java.lang.NoSuchMethodError: org.example.codec.Tables.load()"
    lost = tuple(Missing(one, "head", reason, "failed") for one in table("Table.lookUp"))
    return of(*same(3), failed=lost)


def half_lost() -> Comparison:
    """Return a comparison with a regression, and without most of the results."""
    worse = change("Base64.decode", 0.283, "regression", 11.6)
    return of(worse, *same(3), failed=failed().ledger.failed)


def noisy() -> Comparison:
    """Return a comparison in which most benchmarks are unclear."""
    return of(*(change(f"Codec.encode{i}", 0.02 + i / 100, "unclear") for i in range(14)), *same(5))


def few_runs() -> Comparison:
    """Return a comparison in which one of two unclear benchmarks has too few runs."""
    few, other = (change(f"Codec.encode{i}", 0.05, "unclear") for i in range(2))
    lacking = "too few forks: 1 on each side; at least 2 are needed"
    few = replace(few, lacking=lacking, interval=None, excluded=float("inf"))
    return of(few, other)


def accepted() -> Comparison:
    entry = Acceptance(
        "Base64.decode", "checks its input", bound=0.2, expires=date(2027, 1, 31), author="ada",
        source=".github/steady.yml:3",
    )  # fmt: skip
    for_now = Acceptance("Base64.*", "a new table", author="octocat", source="a comment here")
    slower = replace(change("Base64.decode", 0.117, "regression", 11.6), accepted=entry)
    too = replace(change("Base64.encode", 0.105, "regression", 9.8), accepted=for_now)
    ignored = (Ignored(Identity(f"{PACKAGE}.Disk.read"), "the disk decides"),)
    found = of(slower, too, *same(18), ignored=ignored)
    return replace(found, remarks=("the settings ignore 'Gone.*', which no benchmark matches",))


def outgrown() -> Comparison:
    """Return a comparison with a change beyond its accepted bound."""
    entry = Acceptance("Base64.decode", "checks its input", bound=0.2)
    slower = change("Base64.decode", 0.283, "regression", 11.6)
    settings = RepoSettings(accepted=(entry,))
    return apply_settings(of(slower, *same(18)), settings, date(2026, 11, 21))


def stale_plan() -> Comparison:
    configuration = ExecutionConfiguration(5, 0, 60, 0.1, 0.1)
    entry = BenchmarkPlan(
        Identity(f"{PACKAGE}.Parser.same0"), configuration, configuration, 35, 35, "full", ""
    )
    plan = Plan((entry,), "detect", {"detect": 0.05, "min_change": 0.03})
    remarks = tuple(suggest_for_stale_plan(Freshness(plan, (), (), (), 19, age_days=200)))
    return replace(of(*same(19)), remarks=remarks)


def many(total: int) -> Comparison:
    worse = (change(f"Codec{i}.encode", 0.5 + i / 1000, "regression") for i in range(total // 5))
    return of(*worse, *same(total - total // 5))


def metric(
    number: int,
    outcome: Outcome,
    base: float = 64.0,
    head: float = 64.0,
    name: str = "gc.alloc.rate.norm",
) -> Change:
    """Return the change of a metric of one of the benchmarks of `same`."""
    before, after = (Estimate(float(value), value, value, 5, 25) for value in (base, head))
    identity = Identity(f"{PACKAGE}.Parser.same{number}")
    return Change(identity, "B/op", "lower", before, after, outcome, 0.01, metric=name)


def with_metrics(comparison: Comparison, *changes: Change, **more: object) -> Comparison:
    return replace(comparison, metrics=MetricComparison(changes, **more))  # type: ignore[arg-type]


def allocates() -> Comparison:
    kept = Acceptance("*", "keeps a copy", bound=1.0, metric="gc.alloc.rate.norm")
    return with_metrics(
        of(*same(5)),
        metric(0, "regression", 64, 96),
        metric(1, "regression", 0, 32),
        metric(2, "improvement", 96, 48),
        metric(3, "unchanged"),
        replace(metric(4, "regression", 64, 80), accepted=kept),
        shown=(metric(0, "unclear", 3, 5, name="gc.count"),),
        asked=("gc.count",),
    )


def same_code(*changes: Change, control: Outcome) -> Comparison:
    """Return a comparison in which most benchmarks run the same code, with one control."""
    controls = (change("Table.control", 0.1 * (control == "regression"), control),)
    told = {"same_code": table("Table.lookUp"), "controls": tuple(c.identity for c in controls)}
    found = of(*changes, **told)
    measured = (*found.ledger.compared, *told["controls"])
    return replace(found, controls=controls, ledger=replace(found.ledger, compared=measured))


def methods(*reached: str) -> ChangedMethods:
    """Return changed methods, of which most are not reached."""
    named = (*reached, "skip", "<init>", "close", "reset|*_x_*", "<script>")
    return tuple(
        ChangedMethod(f"{PACKAGE}.Parser", name, "int", reached=name in reached) for name in named
    )


SITUATIONS: Mapping[str, Callable[[], Comparison]] = {
    "changed": changed,
    "unchanged": lambda: of(*same(19)),
    "improved": improved,
    "failed": failed,
    "half-lost": half_lost,
    "gone": lambda: of(*same(3), gone=table("Table.lookUp")),
    "noisy": noisy,
    "few-runs": few_runs,
    "no-baseline": lambda: of(new=table("Parser.parse")),
    "500": lambda: many(500),
    "5000": lambda: many(5000),
    "accepted": accepted,
    "outgrown": outgrown,
    "stale-plan": stale_plan,
    "eventful": made.eventful,
    "not-comparable": lambda: replace(made.eventful(), comparable=False),
    "allocates": allocates,
    "same-code": lambda: same_code(*same(2), control="unchanged"),
    "nothing-changed": lambda: same_code(control="unchanged"),
    "unreached": lambda: replace(changed(), changed_methods=methods("parse", "read")),
    "reaches-nothing": lambda: replace(
        same_code(control="unchanged"), changed_methods=methods("parse", "read")[2:]
    ),
    "reaches-no-method": lambda: replace(
        same_code(*same(2), control="unchanged"), changed_methods=methods()
    ),
    "false-alarm": lambda: same_code(*same(2), control="regression"),
}
WITH_PLAN = ("noisy", "eventful")
IN_EVERY_REPORT = (
    "accepted",
    "allocates",
    "eventful",
    "false-alarm",
    "not-comparable",
    "reaches-nothing",
)

FULL = ExecutionConfiguration(5, 0, 60, 0.1, 0.1)
REDUCED = ExecutionConfiguration(3, 12, 5, 0.1, 0.1)
ENTRY = BenchmarkPlan(
    Identity("org.example.Bench.parse"), REDUCED, FULL, 6.6, 32.5, "reduced", "steady after 12",
    expected_error=0.012,
)  # fmt: skip
KEPT = BenchmarkPlan(
    Identity("org.example.Bench.drift"), FULL, FULL, 32.5, 32.5, "full", "never steady in 5 of 5"
)
PLAN = Plan((KEPT, ENTRY), "uoptime")
DECLARED = ExecutionConfiguration(5, 5, 5, 10.0, 10.0)
TODAY = Plan(
    tuple(replace(e, today=DECLARED, today_seconds=502.5) for e in PLAN.benchmarks), "uoptime"
)
DETECTING = Plan(
    (KEPT, replace(ENTRY, detectable=0.04, recorded_rounds=5, pair_seconds=16.4)),
    "detect",
    {"detect": 0.05, "power": 0.8, "confidence": 0.99},
)
LONGER = replace(ENTRY, configuration=replace(REDUCED, warmup_iterations=14), seconds=7.2)
"""The reduced benchmark in a later plan."""
LATER = replace(
    PLAN,
    benchmarks=(
        replace(LONGER, expected_error=0.015),
        replace(ENTRY, identity=Identity("org.example.Bench.render"), seconds=8.0),
    ),
)
PLANS = {"plan": PLAN, "plan-today": TODAY, "plan-detecting": DETECTING}


@cache
def written(name: str) -> str:
    """Return the Action's comment."""
    comparison = SITUATIONS[name]()
    plan = made.plan() if name in WITH_PLAN else None
    lines = accept_lines(comparison)
    return comment(comparison, plan, measured=MEASURED, report_url=URL, accept=lines)


def shortened(text: str) -> str:
    """Return a text with only the first rows of each table."""
    short: list[str] = []
    for is_row, lines in groupby(
        text.splitlines(), lambda line: re.match(r"\|.*`|/steady", line) is not None
    ):
        kept = list(lines)
        left = len(kept) - _MOST_ROWS if is_row else 0
        short += [*kept[:_MOST_ROWS], f"({left} rows)"] if left > 0 else kept
    return "\n".join(short) + "\n"


def on_terminal(plan: Plan) -> str:
    """Return the output of `print_plan` on a terminal of 100 columns."""
    return printed(partial(print_plan, plan))


def printed(show: Callable[[Console], None]) -> str:
    """Return the output of a function on a terminal of 100 columns."""
    file = io.StringIO()
    show(Console(file=file, width=100, highlight=False))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def texts() -> dict[str, str]:
    """Return the text of each file."""
    files = {}
    for name, make in SITUATIONS.items():
        files[f"{name}.md"] = shortened(written(name))
        if name in IN_EVERY_REPORT:
            found, plan = make(), made.plan() if name in WITH_PLAN else None
            files[f"{name}.txt"] = terminal(found, plan)
            files[f"{name}.page.txt"] = Page(html(found, plan)).lines
            files[f"{name}.xml"] = junit(found, FAILING)
            files[f"{name}.log"] = "\n".join(workflow_commands(found)) + "\n"
    for name, plan in PLANS.items():
        files |= {f"{name}.md": receipt(plan), f"{name}.txt": on_terminal(plan)}
    changes = plan_changes(PLAN, LATER)
    files["plan-later.md"] = receipt(LATER, ReceiptContext(changes, address=str))
    files["plan-later.txt"] = printed(partial(print_changes, changes))
    return files


def main() -> None:
    """Write the files."""
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

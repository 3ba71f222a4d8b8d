"""The HTML page of a plan: its savings, and warm-up and stability of each benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.files import write_text
from steady.model import Identity, Suite
from steady.optimize.strategy import COMMON, SHARES
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.report.document import Names
from steady.report.fork_marks import RECOMMENDED, detector_of, starts_in_words
from steady.report.fork_pictures import MARKS_LEGEND, SERIES_LEGEND
from steady.report.markup import page
from steady.report.names import ShortNames
from steady.report.output_formats import PAGE
from steady.report.plan_pictures import PlanPicture, draw_plan, unshown
from steady.report.plan_report import (
    above_budget_sentence,
    comparison_with_today,
    count_kept,
    detectable_change,
    detection_sentences,
    expected_error,
    former,
    kept,
    largest_savings,
    percent_left,
    reduced,
    repetitions,
    rotation_sentence,
    run_before,
    runs_sentence,
    saved,
)
from steady.report.provenance import Fact, Runs, facts
from steady.text.numbers import count, duration, share

_MOST_CHARACTERS = 7_800_000
"""Maximum characters of the page; pictures use the space that the rows do not need."""
_ROW = 1_450  # characters of a benchmark without its pictures
_OPEN_ROWS = 3  # maximum number of benchmarks whose pictures are shown unfolded

_STATUS = {
    "reduced": "reduced",
    "insufficient": "not stable enough",
    "full": "full run kept",
}
"""Text for each status."""


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A row of the page: one benchmark.

    Parameters
    ----------
    entry : BenchmarkPlan
        Its plan.
    name : Names
        Names of the benchmark on the page.
    status : str
        Text for its status in the plan.
    before, now, share : str, str, float
        Cost before and now, and the remaining percentage.
    runs, runs_before : str
        ``forks x (warm-up + iterations)``.
    error, finds : str
        Expected error and detectable effect; a dash if unknown.
    reason : str
        Reason for its configuration.
    picture : PlanPicture, optional
        Picture shown when the row is unfolded.
    """

    entry: BenchmarkPlan
    name: Names
    status: str
    before: str
    now: str
    share: float
    runs: str
    runs_before: str
    error: str
    finds: str
    reason: str
    picture: PlanPicture | None


def write_plan_page(folder: Path, plan: Plan, suite: Suite, jobs: int | None = 1) -> Path:
    """Write a plan as an HTML page.

    Parameters
    ----------
    folder : Path
        Output folder, for the file ``report.html``.
    plan : Plan
        The plan.
    suite : Suite
        Full run from which the plan was made. Benchmarks missing from it have a row without a
        picture.
    jobs : int, optional
        Number of processes; None for one per processor. The page does not depend on it.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    return write_text(folder / PAGE, plan_page(plan, suite, jobs=jobs))


def plan_page(plan: Plan, suite: Suite, *, jobs: int | None = 1) -> str:
    """Return the page of a plan; see `write_plan_page`."""
    names = ShortNames.of(plan)
    order = largest_savings(plan)
    order.sort(key=lambda entry: entry.status != "reduced")
    room = max(_MOST_CHARACTERS - _ROW * len(order), _MOST_CHARACTERS // 20)
    drawn = draw_plan(plan, suite, order, most_characters=room, jobs=jobs)
    rows = [_row(plan, entry, names, drawn.get(entry.identity)) for entry in order]
    return page(
        "plan.html.j2",
        plan=plan,
        headline=_headline(plan),
        sentences=[*filter(None, map(names.words, _sentences(plan, drawn))), names.sentence],
        share=percent_left(plan.seconds, plan.former_seconds),
        facts=_facts(plan, suite),
        groups=_groups(rows),
        unshown=list(unshown(plan, suite, drawn)),
        before="today" if plan.today_seconds is not None else "full run",
        runs_title=names.words("forks × (warm-up + iterations)"),
        legend=names.words(f"{SERIES_LEGEND} {_marks_legend(drawn)}"),
        unfold=len(order) <= _OPEN_ROWS,
    )


def _headline(plan: Plan) -> str:
    if plan.seconds == plan.former_seconds:
        return f"{former(plan)}, nothing to save"
    return f"{former(plan)} → {duration(plan.seconds)}, {saved(plan)}"


def _sentences(plan: Plan, drawn: Mapping[Identity, PlanPicture]) -> Iterator[str]:
    """Return sentences about the plan's savings and the quality of its results."""
    full = len(kept(plan))
    yield (
        f"{len(reduced(plan)):,} of {count(len(plan), 'benchmark')} reduced"
        + (f"; {count(full, 'is', 'are')} not reduced" if full else "")
        + f". One run of the suite: {plan.former_seconds:,.0f} s before, "
        f"{plan.seconds:,.0f} s planned, including the start and warm-up of every fork."
    )
    yield comparison_with_today(plan)
    yield rotation_sentence(plan)
    yield detection_sentences(plan).replace("`", "")
    yield above_budget_sentence(plan)
    if any(entry.expected_error is not None for entry in plan.benchmarks):
        yield runs_sentence(plan).replace("`", "")
    yield _detector_sentence(plan, drawn)


def _detector_sentence(plan: Plan, drawn: Mapping[Identity, PlanPicture]) -> str:
    """Return the ends of the warm-up by the plan's detector and by the recommended one."""
    starts = [start for entry in plan.benchmarks for start in entry.starts]
    if not starts:
        return plan.judged
    judges = dict.fromkeys(detector_of(entry, plan.options) for entry in plan.benchmarks)
    text = starts_in_words(" and ".join(judges), starts)
    recommended = [start for picture in drawn.values() for start in picture.recommended]
    if not recommended:
        return f"{plan.judged} Warm-up: {text}.".lstrip()
    of = "" if len(recommended) == len(starts) else " of the benchmarks with a picture"
    warmup = f"Warm-up: {text}; {starts_in_words(RECOMMENDED, recommended)}{of}."
    return f"{plan.judged} {warmup}".lstrip()


def _marks_legend(drawn: Mapping[Identity, PlanPicture]) -> str:
    if not any(picture.recommended for picture in drawn.values()):
        return MARKS_LEGEND
    return f"{MARKS_LEGEND} Diamond: end of the warm-up by the detector {RECOMMENDED}."


def _facts(plan: Plan, suite: Suite) -> list[Fact]:
    """Return the plan's options and the environment of its full run."""
    own = {name: value for name, value in plan.options.items() if name not in COMMON}
    options = ", ".join(f"{_option(n, v)}" for n, v in own.items() if v is not None)
    made = [
        Fact("Strategy", f"{plan.strategy}{f' ({options})' if options else ''}"),
        Fact("Fewest forks", f"{plan.options.get('min_forks') or ''}"),
        Fact("Detector", f"{plan.options.get('detector') or ''}"),
        Fact("Fork similarity", f"{plan.options.get('similarity') or ''}"),
        Fact("No steady state", _UNSTEADY.get(str(plan.options.get("unsteady")), "")),
        Fact("Narrowed to", plan.only),
    ]
    return [fact for fact in (*made, *facts(Runs(full=suite), plan)) if fact.text]


_UNSTEADY = {"keep": "not reduced", "reduce": "reduced on the second half of the iterations"}


def _option(name: str, value: object) -> str:
    shown = share(value) if name in SHARES and isinstance(value, float) else str(value)
    shown = duration(value) if name == "time_budget" and isinstance(value, float | int) else shown
    return f"{name.replace('_', '-')} {shown}"


def _groups(rows: Sequence[PlanRow]) -> list[tuple[str, str, list[PlanRow]]]:
    """Return groups of rows with headings and anchors: reduced benchmarks, and the others."""
    less = [row for row in rows if row.entry.status == "reduced"]
    full = [row for row in rows if row.entry.status != "reduced"]
    groups = (
        (f"{count(len(less), 'benchmark')} reduced", "reduced", less),
        (count_kept(len(full)), "kept", full),
    )
    return [group for group in groups if group[2]]


def _row(
    plan: Plan, entry: BenchmarkPlan, names: ShortNames, picture: PlanPicture | None
) -> PlanRow:
    ran, before = run_before(plan, entry)
    return PlanRow(
        entry=entry,
        name=names.named(entry.identity),
        status=_STATUS[entry.status],
        before=duration(before),
        now=duration(entry.seconds),
        share=percent_left(entry.seconds, before),
        runs=repetitions(entry.configuration),
        runs_before=repetitions(ran),
        error=expected_error(entry),
        finds="" if plan.wish is None else detectable_change(entry),
        reason=names.words(entry.reason),
        picture=picture,
    )

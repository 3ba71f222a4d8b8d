"""The report as one HTML page that needs nothing else: no script, no font, no network."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from steady.compare import Change, Comparison, Estimate
from steady.errors import InputError
from steady.model import Identity, Suite
from steady.optimize.plan import BenchmarkPlan, Plan
from steady.report.acknowledged import accepted_changes, size_text, until_text
from steady.report.drawing import PLOT_WIDTH, SERIES_HEIGHT, SERIES_WIDTH, Bar, Scale
from steady.report.escape import shorten, visible
from steady.report.forks_view import draw_forks
from steady.report.names import ShortNames, names_of
from steady.report.numbers import (
    change_interval,
    change_percent,
    count,
    detectable,
    duration,
    excluded,
    interval,
    meaning,
    runs_of,
    share,
    value,
)
from steady.report.receipt import configuration_text, error_text, greatest_saving_first
from steady.report.saving import comparison_with_today, former
from steady.report.scaling import readable
from steady.report.wording import (
    difference_sentence,
    excluded_sentence,
    headline,
    method_sentences,
    names_sentence,
    not_compared,
    notes_by_text,
    savings_sentence,
    unclear_title,
    verdict_sentence,
    warning_sentences,
)

_LONGEST_TEXT = 2000  # characters of one label or message
_NAMED = 5
_WORD_ENDS = re.compile(r"(?<=[./_])|(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Row:
    """A benchmark compared, as the page shows it."""

    identity: Identity
    unit: str
    base: str
    base_interval: str
    head: str
    head_interval: str
    base_score: str
    head_score: str
    change: str
    meaning: str
    change_interval: str
    runs: str
    seen: str
    threshold: tuple[float, float]
    bar: Bar | None


def html(
    comparison: Comparison | None = None,
    plan: Plan | None = None,
    *,
    base: Suite | None = None,
    head: Suite | None = None,
    full: Suite | None = None,
    title: str = "Benchmarks",
) -> str:
    """Write a comparison, a plan, or both as an HTML page.

    Parameters
    ----------
    comparison : Comparison, optional
        What was found.
    plan : Plan, optional
        What runs from now on, and what that saves.
    base, head : Suite, optional
        The two runs, to draw their forks.
    full : Suite, optional
        The run that the plan was made from: its forks are drawn with their steady states.
    title : str
        What the suite is called.

    Returns
    -------
    str
        Self-contained; the same arguments give the same text. Series are thinned, and where
        there are very many forks those of the least important benchmarks are left out.

    Raises
    ------
    InputError
        If there is neither a comparison nor a plan.
    """
    if comparison is None and plan is None:
        raise InputError("there is nothing to report: give a comparison, a plan, or both")
    names = names_of(comparison) if comparison else ShortNames.of(plan or ())
    order = _order(comparison, plan)
    pictures, left = draw_forks(order, (("full", full), ("base", base), ("head", head)), plan)
    environment = Environment(
        loader=PackageLoader("steady.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["name"] = lambda identity: _breakable(names.split(identity)[0])
    environment.filters["details"] = lambda identity: _shown(names.split(identity)[1])
    environment.filters["shown"] = _shown
    environment.filters["words"] = names.words
    return environment.get_template("report.html.j2").render(
        title=title,
        names=names_sentence(names.prefix) if names.prefix else "",
        comparison=_comparison_view(comparison) if comparison else None,
        plan=_plan_view(plan) if plan is not None else None,
        pictures=pictures,
        not_drawn=left,
        plot_width=PLOT_WIDTH,
        series_width=SERIES_WIDTH,
        series_height=SERIES_HEIGHT,
    )


def _breakable(name: str) -> Markup:
    """Let a name break where its words end."""
    return Markup("<wbr>").join(_WORD_ENDS.split(_shown(name)))


def _shown(text: str) -> str:
    return shorten(visible(text), _LONGEST_TEXT)


def _order(comparison: Comparison | None, plan: Plan | None) -> list[Identity]:
    """Return all benchmarks, the most important first."""
    found: list[Identity] = []
    if comparison is not None:
        groups = (
            comparison.regressions,
            comparison.acknowledged,
            comparison.improvements,
            comparison.unclear,
            comparison.unchanged,
        )
        found += [change.identity for group in groups for change in group]
        found += [identity for identity, _, _ in not_compared(comparison)]
    return list(dict.fromkeys([*found, *(plan or ())]))


def _comparison_view(comparison: Comparison) -> dict[str, object]:
    scale = Scale.of(comparison.changes)
    usual = float(comparison.options.get("min_change") or 0)
    would_be = "" if comparison.comparable else "would-be "
    kinds = (
        (f"{would_be}regression", "s", "worse", comparison.regressions),
        ("acknowledged", "", "open", comparison.acknowledged),
        (f"{would_be}improvement", "s", "better", comparison.improvements),
    )
    groups = [
        (count(len(changes), noun, noun + s), tone, [_row(c, scale, usual) for c in changes])
        for noun, s, tone, changes in kinds
        if changes
    ]
    still = [
        ("Unclear", unclear_title(comparison), comparison.unclear),
        ("Unchanged", f"{len(comparison.unchanged):,} unchanged", comparison.unchanged),
    ]
    return {
        "verdict": headline(comparison),
        "tone": _tone(comparison),
        "sentence": verdict_sentence(comparison),
        "excluded": excluded_sentence(comparison),
        "warnings": warning_sentences(comparison),
        "changed": groups,
        "still": [
            (title, [(text, "same", [_row(c, scale, usual) for c in changes])])
            for title, text, changes in still
            if changes
        ],
        "ticks": [(x, _tick(change)) for x, change in scale.ticks()],
        "not_compared": not_compared(comparison),
        "differences": [(d, difference_sentence(d)) for d in comparison.differences],
        "acknowledged": [
            (c.identity, change_percent(c), size_text(entry), until_text(entry), entry)
            for c, entry in accepted_changes(comparison)
        ],
        "ignored": comparison.ledger.ignored,
        "remarks": comparison.remarks,
        "notes": list(_notes(comparison)),
        "method": method_sentences(comparison),
    }


def _tick(change: float) -> str:
    sign = "−" if change < 0 else "+" if change > 0 else ""
    return sign + share(abs(change))


def _tone(comparison: Comparison) -> str:
    tones = {"regression": "worse", "improvement": "better", "unchanged": "same"}
    return tones.get(comparison.verdict, "open")


def _row(change: Change, scale: Scale, usual: float) -> Row:
    change = readable(change)
    threshold = usual if change.min_change is None else change.min_change
    changed = change.outcome in ("regression", "improvement")
    return Row(
        identity=change.identity,
        unit=_shown(change.unit),
        base=value(change.base.center),
        base_interval="" if change.lacking else _two_lines(interval(change.base)),
        head=value(change.head.center),
        head_interval="" if change.lacking else _two_lines(interval(change.head)),
        base_score=_score(change.base),
        head_score=_score(change.head),
        change=change_percent(change),
        meaning=meaning(change) if changed else "",
        change_interval=change_interval(change),
        runs=runs_of(change),
        seen=detectable(change) if changed else excluded(change),
        threshold=(scale.position(-threshold), scale.position(threshold)),
        bar=scale.bar(change),
    )


def _score(estimate: Estimate) -> str:
    """Say what the harness's own tools show; empty where nobody knows it."""
    return "" if estimate.score is None else f"the harness's own score: {value(estimate.score)}"


def _two_lines(text: str) -> str:
    """Let an interval break before its upper end: two of nine digits leave names no room."""
    return text.replace("to\u00a0", "to ")


def _notes(comparison: Comparison) -> Iterable[tuple[str, str, list[Identity], int]]:
    for text, identities in notes_by_text(comparison):
        named = identities[:_NAMED]
        yield count(len(identities), "benchmark"), text, named, len(identities) - len(named)


def _plan_view(plan: Plan) -> dict[str, object]:
    return {
        "sentence": savings_sentence(plan),
        "comparison": comparison_with_today(plan),
        "share": _share(plan.seconds, plan.former_seconds),
        "seconds": duration(plan.seconds),
        "former": former(plan),
        "today": plan.today_seconds is not None,
        "strategy": plan.strategy,
        "rows": [_plan_row(entry) for entry in greatest_saving_first(plan)],
    }


def _plan_row(entry: BenchmarkPlan) -> dict[str, object]:
    today = entry.today_seconds
    return {
        "identity": entry.identity,
        "status": entry.status,
        "configuration": configuration_text(entry),
        "seconds": duration(entry.seconds),
        "full_seconds": duration(entry.full_seconds),
        "today_seconds": None if today is None else duration(today),
        "share": _share(entry.seconds, entry.full_seconds if today is None else today),
        "error": error_text(entry),
        "reason": entry.reason,
    }


def _share(seconds: float, former_seconds: float) -> float:
    """Return a part in percent of the whole, 100 at most."""
    return min(100 * seconds / former_seconds, 100.0) if former_seconds > 0 else 100.0

"""The sentences that every report has in common, as plain text without markup."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from steady.compare import RULES, Change, Comparison, Difference, Missing, Verdict
from steady.model import Identity
from steady.optimize.plan import Plan
from steady.report.acknowledged import left_out, threshold_sentence
from steady.report.numbers import count, duration, meaning, percent, share
from steady.report.saving import former, saved

HEADLINES: Mapping[Verdict, str] = {
    "not comparable": "no verdict",
    "regression": "regression",
    "incomplete": "incomplete",
    "acknowledged": "acknowledged",
    "improvement": "improvement",
    "unchanged": "no change found",
}
"""The verdict as a heading says it."""

UNCHANGED_SENTENCES = (
    "What these differ by cannot be told from noise, or is too small to count. The last column "
    "says from which size on a change would have been found."
)
"""What stands above the table of what did not change."""


def verdict_sentence(comparison: Comparison) -> str:
    """Say the verdict in one sentence with its counts."""
    if not comparison.comparable:
        return surroundings_sentence(comparison)
    compared = count(len(comparison.changes), "benchmark")
    parts = [*_changed(comparison), *left_out(comparison), *_without_result(comparison)]
    if comparison.regressions or comparison.improvements:
        return "; ".join(parts) + "."
    if not comparison.changes:
        return "; ".join(["Nothing was compared", *parts]) + "."
    no_change = "Acknowledged changes aside, no change" if comparison.acknowledged else "No change"
    found = f"{no_change} {_that_counts(comparison)} was found in {compared}"
    return "; ".join([found, *parts]) + "."


def _that_counts(comparison: Comparison) -> str:
    if any(change.min_change is not None for change in comparison.changes):
        return "that counts"
    return f"of {share(float(comparison.options.get('min_change') or 0))} or more"


def surroundings_sentence(comparison: Comparison) -> str:
    """Say in which ways base and head did not run in the same surroundings."""
    kinds = ", ".join(dict.fromkeys(d.what for d in comparison.differences))
    return f"Base and head ran in different surroundings ({kinds})."


def warning_sentences(comparison: Comparison) -> list[str]:
    """Say what keeps the verdict from being the whole truth, where anything does."""
    sentences = []
    if not comparison.comparable:
        sentences.append("No verdict is given, for numbers from different surroundings say little.")
    if not comparison.ledger.complete:
        sentences.append("Some expected benchmarks were not compared: no result is no good result.")
    elif not comparison.changes:
        sentences.append("Nothing was compared: this run checked nothing.")
    return sentences


def names_sentence(prefix: str) -> str:
    """Say what was left out of every name; its last character, a separator, goes unsaid."""
    return f"All names begin with {prefix[:-1]}, which is left out here."


def _changed(comparison: Comparison) -> list[str]:
    parts = []
    total = f" of {count(len(comparison.changes), 'benchmark')}"
    for changes in (comparison.regressions, comparison.improvements):
        if changes:
            words = {meaning(change) for change in changes}
            word = words.pop() if len(words) == 1 else _general(changes)
            largest = max(abs(change.ratio) for change in changes)
            by = f", by up to {percent(largest)}" if math.isfinite(largest) else ""
            parts.append(f"{len(changes):,}{total} became {word}{by}")
            total = ""
    return parts


def _general(changes: Sequence[Change]) -> str:
    return "worse" if changes[0].outcome == "regression" else "better"


def _without_result(comparison: Comparison) -> list[str]:
    lost = len(not_compared(comparison)) - len(comparison.ledger.new)
    return [f"{count(lost, 'has', 'have')} no result to compare"] if lost else []


def not_compared(comparison: Comparison) -> list[tuple[Identity, str, Identity | None]]:
    """List every benchmark that was not compared, what happened, and what it may be called now.

    Returns
    -------
    list of (Identity, str, Identity or None)
        Failed ones first, new ones last. The third is a guess.
    """
    ledger = comparison.ledger
    renamed = dict(ledger.renamed)
    rows = [
        *((m.identity, _where(m)) for m in (*ledger.failed, *ledger.incomparable, *ledger.missing)),
        *((identity, "gone: only in base") for identity in ledger.gone),
        *((identity, "new: only in head") for identity in ledger.new),
    ]
    return [(identity, what, renamed.get(identity)) for identity, what in rows]


def _where(missing: Missing) -> str:
    if not missing.reason.startswith("failed"):
        return missing.reason
    side = "base and head" if missing.side == "both" else missing.side
    return f"in {side}, {missing.reason}"


def detectable_sentence(comparison: Comparison) -> str:
    """Say which changes these results could have shown; empty where nothing was compared."""
    sizes = sorted(change.smallest for change in comparison.changes)
    if not sizes:
        return ""
    finite = [size for size in sizes if math.isfinite(size)]
    if len(finite) < len(sizes) or sizes[0] == sizes[-1]:
        return f"A change had to reach {percent(median(sizes))} to be found, in the median."
    return (
        f"A change had to reach {percent(median(sizes))} to be found, in the median; "
        f"{percent(sizes[0])} in the steadiest benchmark, {percent(sizes[-1])} in the noisiest."
    )


def savings_sentence(plan: Plan) -> str:
    """Say what one run of the suite costs by the plan, and how exact its results should be."""
    cost = (
        f"By the plan one run of the suite takes {duration(plan.seconds)} instead of "
        f"{former(plan)}, {saved(plan, 'less')}."
    )
    reduced = (b.expected_error for b in plan.benchmarks if b.status == "reduced")
    errors = [error for error in reduced if error is not None]
    if not errors:
        return cost
    return (
        f"{cost} Expected error of a result: {percent(median(errors))} in the median, "
        f"{percent(max(errors))} at most{_runs_left_out(plan)}."
    )


def _runs_left_out(plan: Plan) -> str:
    """Say what the expected errors may leave out, where no earlier run has told it."""
    if plan.between_runs is not None and plan.between_runs.runs:
        return ""
    return "; another day may add to it"


def difference_sentence(difference: Difference) -> str:
    """Say how many benchmarks one way of differing touches."""
    return f"in {count(difference.benchmarks, 'benchmark')}"


def notes_by_text(comparison: Comparison) -> list[tuple[str, list[Identity]]]:
    """Gather the notes of all benchmarks: each text once, that of most benchmarks first."""
    found: dict[str, list[Identity]] = defaultdict(list)
    for change in comparison.changes:
        for note in change.notes:
            found[note].append(change.identity)
    if comparison.ledger.unplanned:
        found["not in the plan"].extend(comparison.ledger.unplanned)
    return sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))


def method_sentences(comparison: Comparison) -> list[str]:
    """Say how it was decided, and how far that can be trusted."""
    options = comparison.options
    confidence = share(float(options.get("confidence") or 0))
    threshold = share(float(options.get("min_change") or 0))
    sentences = [
        f"Rule {comparison.rule}, confidence {confidence}, smallest change that counts "
        f"{threshold}, in either direction; the unit says which direction is worse."
    ]
    sentences += [own] if (own := threshold_sentence(comparison)) else []
    if comparison.rule in RULES:
        rule = RULES[comparison.rule].value
        sentences += [rule.statement, rule.false_alarms]
    return [
        *sentences,
        "What a change had to reach to be found is where the rule would just tell base and head "
        "apart: a true change of that size is found in about half of all runs.",
    ]


def unchanged(comparison: Comparison) -> list[Change]:
    """Return what did not change, the nearest to a regression first."""
    still = [change for change in comparison.changes if change.outcome == "unchanged"]
    return sorted(still, key=lambda change: (-change.worsening, change.identity))

"""The sentences that every report has in common, as plain text without markup."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from steady.compare import RULES, Change, Comparison, Difference, Missing, Verdict
from steady.model import Identity
from steady.optimize.plan import Plan
from steady.report.acknowledged import left_out, threshold_sentence
from steady.report.detecting import detection_sentences
from steady.report.figures import meaning
from steady.report.metric_rows import metric_noun
from steady.report.same_code import control_warning, same_code_words
from steady.report.saving import expected_errors, former, saved
from steady.text.counting import count
from steady.text.numbers import duration, percent, share

HEADLINES: Mapping[Verdict, str] = {
    "not comparable": "no verdict",
    "regression": "regression",
    "incomplete": "incomplete",
    "acknowledged": "acknowledged",
    "improvement": "improvement",
    "unclear": "no change found",
    "unchanged": "no change found",
    "same code": "nothing that the benchmarks run has changed",
}
"""The verdict's first words; `headline` adds what else a heading must say."""

UNCHANGED_SENTENCES = "A change that counts is excluded in these; each row says beyond which size."
"""What stands above the table of what did not change."""

UNCLEAR_SENTENCES = (
    "These results do not tell whether these benchmarks changed. Each row says which changes are "
    "excluded all the same."
)
"""What stands above the table of what is unclear."""


def headline(comparison: Comparison) -> str:
    """Return the verdict as a heading says it: never calm where many could not be told."""
    words = HEADLINES[comparison.verdict]
    if comparison.verdict in ("improvement", "unclear"):
        unclear = _unclear(comparison, f" of {count(len(comparison.changes), 'benchmark')}")
        words = ", but ".join([words, *unclear])
    worse = comparison.metrics.regressions if comparison.comparable else ()
    return f"{words}; {count(len(worse), f'{metric_noun(worse)} regression')}" if worse else words


def why_unclear(comparison: Comparison) -> str:
    """Say what the unclear ones are, to be counted: ``too noisy to tell``."""
    unclear = comparison.unclear
    few = sum(bool(change.lacking) for change in unclear)
    noisy = "too noisy" if few < len(unclear) else ""
    reasons = " or with ".join(filter(None, (noisy, "too few runs" if few else "")))
    return f"{reasons} to tell"


def _unclear(comparison: Comparison, of: str = "") -> list[str]:
    """Say how many could not be told, where any could not."""
    unclear = comparison.unclear
    if not unclear:
        return []
    why = why_unclear(comparison)
    verb = "had" if why.startswith("too few") else "was" if len(unclear) == 1 else "were"
    return [f"{len(unclear):,}{of} {verb} {why}"]


def verdict_sentence(comparison: Comparison) -> str:
    """Say the verdict in one sentence with its counts."""
    if not comparison.comparable:
        return surroundings_sentence(comparison)
    compared = count(len(comparison.changes), "benchmark")
    parts = [
        *_changed(comparison),
        *_unclear(comparison),
        *filter(None, (same_code_words(comparison),)),
        *left_out(comparison),
        *_without_result(comparison),
    ]
    if comparison.regressions or comparison.improvements:
        return "; ".join(parts) + "."
    if comparison.verdict == "same code":
        return "; ".join(["Nothing can have changed", *parts]) + "."
    if not comparison.changes:
        return "; ".join(["Nothing was compared", *parts]) + "."
    no_change = "Acknowledged changes aside, no change" if comparison.acknowledged else "No change"
    first = f"{no_change} {_that_counts(comparison)} was found in {compared}"
    return "; ".join([first, *parts]) + "."


def _that_counts(comparison: Comparison) -> str:
    if any(change.min_change is not None for change in comparison.changes):
        return "that counts"
    return f"of {share(float(comparison.options.get('min_change') or 0))} or more"


def surroundings_sentence(comparison: Comparison) -> str:
    """Say in which ways base and head did not run in the same surroundings."""
    kinds = ", ".join(dict.fromkeys(d.what for d in comparison.differences))
    return f"Base and head ran in different surroundings ({kinds})."


def not_run_sentences(comparison: Comparison) -> list[str]:
    """Say how many benchmarks were left out on purpose, for each reason."""
    total = len(comparison.ledger.identities)
    reasons = Counter(entry.reason for entry in comparison.ledger.not_run)
    return [
        f"{many:,} of {count(total, 'benchmark')} {'was' if many == 1 else 'were'} not looked at "
        f"this time: {reason}."
        for reason, many in reasons.items()
    ]


def warning_sentences(comparison: Comparison) -> list[str]:
    """Say what keeps the verdict from being the whole truth, where anything does."""
    sentences = []
    if not comparison.comparable:
        sentences.append("There is no verdict: numbers from different surroundings say little.")
    if not comparison.ledger.complete:
        sentences.append(
            "Some expected benchmarks were not compared: a missing result is not a good one."
        )
    elif not comparison.has_checked:
        sentences.append("Nothing was compared: this run checked nothing.")
    return [*sentences, *filter(None, (control_warning(comparison),))]


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
    ledger = comparison.ledger
    lost = sum(map(len, (ledger.failed, ledger.missing, ledger.gone)))
    unlike = len(ledger.incomparable)
    parts = [f"{count(lost, 'has', 'have')} no result to compare"] if lost else []
    return parts + ([f"{unlike:,} cannot be set side by side"] if unlike else [])


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


def not_compared_by_reason(
    comparison: Comparison,
) -> list[tuple[list[Identity], str, Identity | None]]:
    """Do as `not_compared`, but give a reason that many share, and that no guess goes with, once.

    A whole suite that was run in another way is one thing to tell, not dozens.
    """
    together = {m.identity for m in comparison.ledger.incomparable}
    by_reason: dict[object, tuple[list[Identity], str, Identity | None]] = {}
    for identity, what, guess in not_compared(comparison):
        key = what if identity in together else identity
        by_reason.setdefault(key, ([], what, guess))[0].append(identity)
    return list(by_reason.values())


def _where(missing: Missing) -> str:
    if missing.kind != "failed":
        return missing.reason
    side = "base and head" if missing.side == "both" else missing.side
    return f"in {side}, {missing.what_happened}"


def excluded_sentence(comparison: Comparison) -> str:
    """Say which changes are excluded all the same; empty where everything changed.

    Of what is unclear, where anything is: that is what a reader must know. Otherwise of what is
    unchanged.
    """
    about = comparison.unclear or comparison.unchanged
    sizes = sorted(change.excluded for change in about)
    known = [size for size in sizes if math.isfinite(size)]
    if not known:
        return ""
    if len(sizes) == 1:
        return f"For that one a change of more than {percent(sizes[0])} is excluded."
    these = f"these {len(sizes):,}" if comparison.unclear else "the unchanged ones"
    half = sizes[(len(sizes) - 1) // 2]
    parts = []
    if math.isfinite(half):
        parts.append(f"for half of {these} a change of more than {percent(half)} is excluded")
    few = len(known) < len(sizes)
    of_whom = f"for {len(known):,} of {these}" if few else "for all of them"
    parts.append(f"{of_whom} one of more than {percent(known[-1])}")
    text = ", ".join(parts)
    return f"{text[0].upper()}{text[1:]}{'' if math.isfinite(half) else ' is excluded'}."


def next_step(comparison: Comparison, plan: Plan | None) -> str:
    """Say what tells more about what is unclear, commands in backticks; empty where nothing is."""
    unclear = comparison.unclear
    if not unclear:
        return ""
    more = "More rounds or forks of them tell more."
    if plan is not None:
        now = plan.pair_seconds if plan.rotation == 1 else plan.time_budget or plan.pair_seconds
        detect = "" if plan.wish is None else f" --detect {100 * plan.wish:g}%"
        more = (
            "A plan with twice the time tells more: "
            f"`steady optimize RESULTS{detect} --time-budget {math.ceil(2 * now / 60)}m`."
        )
    sizes = sorted(change.excluded for change in unclear if math.isfinite(change.excluded))
    if not sizes:
        return more
    enough = math.floor(100 * sizes[(len(sizes) - 1) // 2]) + 1
    if enough >= 100:  # more than --min-change takes
        return more
    return f"{more} Or ask for less: `--min-change {enough}%` settles half of them."


def savings_sentence(plan: Plan) -> str:
    """Say what one run of the suite costs by the plan, and how exact its results should be."""
    cost = (
        f"Planned run of the suite: {duration(plan.seconds)} instead of "
        f"{former(plan)}, {saved(plan, 'less')}."
    )
    if plan.wish is not None:
        return f"{cost} {detection_sentences(plan).replace('`', '')}"
    errors = expected_errors(plan)
    if not errors:
        return cost
    return (
        f"{cost} Expected error of a result: median {percent(median(errors))}, "
        f"largest {percent(errors[-1])}{_runs_left_out(plan)}."
    )


def _runs_left_out(plan: Plan) -> str:
    """Say what the expected errors may leave out, where no earlier run says it."""
    if plan.between_runs is not None and plan.between_runs.runs:
        return ""
    return "; another day may add to it"


def difference_sentence(difference: Difference) -> str:
    """Say how many benchmarks one way of differing touches."""
    return f"in {count(difference.benchmarks, 'benchmark')}"


def notes_by_text(comparison: Comparison) -> list[tuple[str, list[Identity]]]:
    """Gather the notes of all benchmarks: each text once, that of most benchmarks first."""
    by_text: dict[str, list[Identity]] = defaultdict(list)
    for change in comparison.changes:
        for note in (*change.notes, *([change.lacking] if change.lacking else [])):
            by_text[note].append(change.identity)
    if comparison.ledger.unplanned:
        by_text["not in the plan"].extend(comparison.ledger.unplanned)
    return sorted(by_text.items(), key=lambda item: (-len(item[1]), item[0]))


def method_line(comparison: Comparison) -> str:
    """Name the rule and its settings, and where to read more about it."""
    return " ".join(
        [
            *_rule_sentences(comparison),
            "Base and head are shown as the rule sees them, which is not the harness's own mean.",
            "Method and rates of error: docs/methods-compare.md of steady.",
        ]
    )


def _rule_sentences(comparison: Comparison) -> list[str]:
    options = comparison.options
    error = float(f"{1 - float(options.get('confidence') or 0):.2g}")
    confidence = share(1 - error)
    threshold = share(float(options.get("min_change") or 0))
    sentences = [
        f"Rule {comparison.rule}, confidence {confidence}, smallest change that counts "
        f"{threshold}, in either direction; the unit says which direction is worse."
    ]
    rates = str(options.get("error_rates") or "")
    return [*sentences, *filter(None, (rates, threshold_sentence(comparison)))]


def method_sentences(comparison: Comparison) -> list[str]:
    """Say how it was decided, and how far that can be trusted."""
    sentences = _rule_sentences(comparison)
    if comparison.rule in RULES:
        rule = RULES[comparison.rule].value
        sentences += [rule.statement, rule.false_alarms]
    return [
        *sentences,
        "Detectable is the size at which the rule would just tell base and head apart, given how "
        "these results scatter: a true change of that size is found in about half of all runs. "
        f"Unchanged means that {_how_excluded(comparison)}. What is neither changed nor unchanged "
        "is unclear.",
    ]


def _how_excluded(comparison: Comparison) -> str:
    exclusion = comparison.options.get("exclusion")
    if exclusion is None:
        return "the interval of the change excludes a change that counts"
    return (
        f"a change that counts is excluded, either direction with a confidence of "
        f"{share(float(exclusion))}; to call a benchmark changed takes the confidence above"
    )

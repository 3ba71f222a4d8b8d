"""The sentences that every report has in common, as plain text without markup."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from steady.compare import RULES, Comparison, Missing
from steady.execution.warm_up import time_to_warm_up
from steady.harness.only import only_these
from steady.model import Identity
from steady.model.suite import RESUMES
from steady.options.run_options import RunCommand
from steady.plan.suite_plan import Plan
from steady.report.accepted_changes import threshold_sentence
from steady.report.document import METHOD_PAGE
from steady.text.numbers import TENFOLD, count, percent, share

UNCHANGED_SENTENCES = (
    "None of these changed by a size that counts. Each row says which size is excluded."
)
"""What stands above the table of what did not change."""


def unclear_sentences(comparison: Comparison) -> str:
    """Say what stands above the table of what is unclear, with how sure its two numbers are."""
    surely, excluded = (comparison.options.get(name) for name in ("confidence", "exclusion"))
    beside = (
        f"A change lies in its interval with {_confidence(float(surely))} confidence, and larger "
        f"ones than the last column says are excluded with {share(float(excluded))}."
        if surely and excluded
        else "Each row says which size is excluded."
    )
    return f"These results do not show whether these benchmarks changed. {beside}"


def _confidence(level: float) -> str:
    return share(1 - float(f"{1 - level:.2g}"))


def not_run_sentences(comparison: Comparison) -> list[str]:
    """Say how many benchmarks were left out on purpose, for each reason."""
    total = len(comparison.ledger.identities)
    reasons = Counter(entry.reason for entry in comparison.ledger.not_run)
    return [
        f"{many:,} of {count(total, 'benchmark')} {'was' if many == 1 else 'were'} not looked at "
        f"this time: {reason}."
        for reason, many in reasons.items()
    ]


def sum_sentence(comparison: Comparison) -> str:
    """Say what became of all benchmarks, as a sum; empty where the same became of all."""
    total = comparison.ledger.as_sum
    return f"Benchmarks: {total}." if total else ""


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
        *((identity, "removed or renamed: only in base") for identity in ledger.gone),
        *((identity, "new: only in head") for identity in ledger.new),
    ]
    return [(identity, what, renamed.get(identity)) for identity, what in rows]


def not_compared_by_reason(
    comparison: Comparison,
) -> list[tuple[list[Identity], str, Identity | None]]:
    """Do as `not_compared`, but give a reason that many share, and that no guess goes with, once.

    Where a whole suite did not run, there is one thing to tell, not dozens.
    """
    by_reason: dict[object, tuple[list[Identity], str, Identity | None]] = {}
    for identity, what, guess in not_compared(comparison):
        key = what if guess is None else identity
        by_reason.setdefault(key, ([], what, guess))[0].append(identity)
    return list(by_reason.values())


def _where(missing: Missing) -> str:
    if missing.kind != "failed" or missing.reason.endswith(RESUMES):
        return missing.reason
    side = "base and head" if missing.side == "both" else missing.side
    return f"failed in {side}: {missing.reason}"


def excluded_sentence(comparison: Comparison) -> str:
    """Say which changes are excluded all the same; empty where everything changed.

    Of what is unclear, where anything is: that is what a reader must know. Otherwise of what is
    unchanged.
    """
    about = comparison.unclear or comparison.unchanged
    sizes = sorted(change.excluded for change in about)
    known = [size for size in sizes if size <= TENFOLD]
    if not known:
        return ""
    if len(sizes) == 1:
        what = "unclear" if comparison.unclear else "unchanged"
        return f"The {what} benchmark cannot have changed by more than {percent(known[0])}."
    these = f"these {len(sizes):,}" if comparison.unclear else "the unchanged ones"
    half = sizes[(len(sizes) - 1) // 2]
    worst = percent(known[-1])
    if len(known) == len(sizes) and percent(half) == worst:
        return f"None of {these} can have changed by more than {worst}."
    if half > TENFOLD or percent(half) == worst:
        return f"{len(known):,} of {these} cannot have changed by more than {worst}."
    others = "none" if len(known) == len(sizes) else f"{len(known):,} of them not"
    return (
        f"Half of {these} cannot have changed by more than {percent(half)}, and {others} by more "
        f"than {worst}."
    )


def next_step(comparison: Comparison, plan: Plan | None) -> str:
    """Say what tells more about what is unclear, commands in backticks; empty where nothing is."""
    unclear = [change for change in comparison.unclear if not change.cold_seconds]
    if not unclear:
        return ""
    kind = "txt" if all(change.identity.is_go for change in unclear) else "json"
    more = "More rounds or forks would find smaller changes."
    if plan is not None:
        own = plan.pair_seconds if plan.rotation == 1 else 0.0
        now = max(plan.time_budget or 0.0, own) or plan.pair_seconds
        detect = "" if plan.wish is None else f" --detect {100 * plan.wish:g}%"
        more = (
            "A plan with twice the time finds smaller changes: `steady optimize "
            f"full/results.{kind}{detect} --time-budget {math.ceil(2 * now / 60)}m`."
        )
    if not any(math.isfinite(change.excluded) for change in unclear):
        return more
    enough = comparison.deciding_percent
    if enough is None:
        return f"{more} So would a quieter machine: this one was too noisy for small changes."
    which = "it" if len(unclear) == 1 else "half of them"
    return f"{more} Or ask for larger changes only: `--min-change {enough}%` decides {which}."


def notes_by_text(comparison: Comparison) -> list[tuple[str, list[Identity]]]:
    """Gather the notes of all benchmarks: each text once, that of most benchmarks first."""
    by_text: dict[str, list[Identity]] = defaultdict(list)
    for change in comparison.changes:
        for note in (*change.notes, *([change.lacking] if change.lacking else [])):
            by_text[note].append(change.identity)
    if comparison.ledger.unplanned:
        by_text["not in the plan"].extend(comparison.ledger.unplanned)
    return sorted(by_text.items(), key=lambda item: (-len(item[1]), item[0]))


def refused_by_text(comparison: Comparison) -> list[tuple[str, str, list[Identity]]]:
    """Return why changes are not accepted: reason, further result, and of which benchmarks."""
    by_text: dict[tuple[str, str], list[Identity]] = defaultdict(list)
    for change in (*comparison.changes, *comparison.metrics.changes):
        if change.accepted is None:
            for reason in change.refused:
                by_text[reason, change.metric].append(change.identity)
    return [(reason, metric, identities) for (reason, metric), identities in by_text.items()]


def method_line(comparison: Comparison) -> str:
    """Name the rule and its settings, and where to read more about it."""
    shown = "Base and head are shown as the rule sees them, which is not the harness's own mean."
    page = f"Method and rates of error: {METHOD_PAGE}."
    return " ".join((*_rule_sentences(comparison), shown, page))


def _rule_sentences(comparison: Comparison) -> list[str]:
    options = comparison.options
    confidence = _confidence(float(options.get("confidence") or 0))
    threshold = share(float(options.get("min_change") or 0))
    sentences = (
        f"Rule {comparison.rule}, confidence {confidence}. Changes under {threshold} are ignored.",
        str(options.get("error_rates") or ""),
        threshold_sentence(comparison),
    )
    return [*filter(None, sentences)]


def method_sentences(comparison: Comparison) -> list[str]:
    """Say how it was decided, and how far that can be trusted."""
    sentences = _rule_sentences(comparison)
    if comparison.rule in RULES:
        rule = RULES[comparison.rule].value
        sentences += [rule.statement, rule.false_alarms]
    return [
        *sentences,
        "Detectable is the smallest change that these results could show: a true change of that "
        "size is found in about half of all runs. "
        f"Unchanged means that {_how_excluded(comparison)}. What is neither changed nor unchanged "
        "is unclear.",
    ]


def _how_excluded(comparison: Comparison) -> str:
    exclusion = comparison.options.get("exclusion")
    if exclusion is None:
        return "the interval of the change excludes a change that counts"
    return (
        f"a change that counts is excluded, in either direction with a confidence of "
        f"{share(float(exclusion))}; to call a benchmark changed, the rule needs the confidence "
        "above"
    )


def advice(comparison: Comparison) -> str:
    """Say the one thing to do about what was not compared; commands stand in backticks.

    It is something that a reader of the pull request can do, the reason before their eyes.
    """
    if not comparison.comparable:
        return "Run base and head on one machine, with one JDK and the same arguments."
    ledger = comparison.ledger
    if ledger.failed:
        mend = "Mend that and push; the log of the job has the whole message."
        if all(one.side == "base" for one in ledger.failed):
            mend = "Mend that in base first; head alone says nothing."
        return f"{mend} {_by_hand(comparison)}".strip()
    if any(not missing.is_skipped for missing in ledger.missing):
        again = "Run the job again; its log says what became of them."
        return f"{again} {_by_hand(comparison)}".strip()
    if ledger.incomparable:
        return "If that is meant, merge; from then on, base is measured in the same way."
    if ledger.gone or ledger.missing:
        return "If that is meant, name them under `ignore` in `.github/steady.yml`."
    if ledger.new:
        return "Merge; from then on, pull requests are compared with these."
    if ledger.not_run:
        return "Give the run more time (`time-budget`), and run the job again."
    return "Look in the job's log for what ran; no benchmark left a result."


def _by_hand(comparison: Comparison) -> str:
    """Say how to see a failure on one's own machine; empty where it is only another name."""
    renamed = dict(comparison.ledger.renamed)
    lost = (*comparison.ledger.failed, *comparison.ledger.missing)
    again = [one.identity for one in lost if one.identity not in renamed]
    return f"On your machine: `{_run(again)}`." if again else ""


def not_warm_sentence(comparison: Comparison) -> str:
    """Say how many benchmarks were not warm, and what gives them longer; empty where all were."""
    cold = comparison.not_warm
    if not cold:
        return ""
    seconds = max(change.cold_seconds for change in cold)
    command = _run([change.identity for change in cold], time_to_warm_up(len(cold), seconds))
    who = count(len(cold), "benchmark was", "benchmarks were")
    them = "it" if len(cold) == 1 else "them"
    return (
        f"{who} not warm in the time, so nothing is said about {them}: `{command}` warms {them} up "
        "at least twice as long, or a plan says how long it takes."
    )


def _run(identities: Sequence[Identity], seconds: float = 300.0) -> str:
    """Return the command that runs benchmarks: by name where they are few, or by their holder."""
    tests = bool(identities) and all(identity.is_python for identity in identities)
    folders = tests or (bool(identities) and all(identity.is_go for identity in identities))
    base, head = ("base", "head") if folders else ("base.jar", "head.jar")
    return RunCommand(
        command=("pytest",) if tests else (),
        base=Path(base),
        head=Path(head),
        only=only_these(identities),
        time_budget=seconds,
        out=Path("again"),
    ).line

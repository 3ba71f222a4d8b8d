"""Sentences from the summary for all outputs, as plain text with commands in backticks."""

from steady.compare import RULES
from steady.compare.ledger import IN_DOUBT
from steady.compare.summary import Metrics, Summary
from steady.report.figures import signed
from steady.text.numbers import TENFOLD, count, percent, share

UNCHANGED = "Changes of a size that counts are ruled out; the last column is the upper bound."
"""The sentence above the table of unchanged benchmarks."""


def environment_sentence(s: Summary) -> str:
    """Return a sentence that names the differences between the environments."""
    return f"Base and head ran in different environments ({', '.join(s.differences)})."


def unclear_sentences(s: Summary) -> str:
    """Return the introduction to the table of unclear benchmarks, with the confidence levels."""
    last = "The last column is the upper bound of the change."
    if s.confidence and s.exclusion:
        last = (
            f"Confidence: {_confidence(s.confidence)} for the interval, {share(s.exclusion)} for "
            "the upper bound in the last column."
        )
    return (
        "These results are not precise enough to call these benchmarks changed or unchanged. "
        f"{last}"
    )


def _confidence(level: float) -> str:
    return share(1 - float(f"{1 - level:.2g}"))


def not_run_sentences(s: Summary) -> list[str]:
    """Return a sentence for each reason to skip benchmarks, with their number."""
    return [
        f"{many:,} of {count(s.total, 'benchmark')} {'was' if many == 1 else 'were'} not measured "
        f"in this run: {reason}."
        for reason, many in s.not_run.items()
    ]


def sum_sentence(s: Summary) -> str:
    """Return the number of benchmarks as a sum of its parts; empty if there is only one part."""
    return f"Benchmarks: {s.as_sum}." if s.as_sum else ""


def excluded_sentence(s: Summary) -> str:
    """Return the upper bounds of unclear benchmarks, or of unchanged ones if none is unclear.

    Empty if no bound is known.
    """
    bounds = s.bounds
    if not bounds.known:
        return ""
    worst, outcome = percent(bounds.largest), "unclear" if s.unclear else "unchanged"
    if bounds.benchmarks == 1:
        return f"Upper bound of the change of the {outcome} benchmark: {worst}."
    benchmarks = f"the {bounds.benchmarks:,} {outcome} benchmarks"
    if bounds.known < bounds.benchmarks:
        benchmarks = f"{bounds.known:,} of {benchmarks}"
    if bounds.median > TENFOLD or percent(bounds.median) == worst:
        return f"Upper bound of the change of {benchmarks}: {worst}."
    return (
        f"Upper bound of the change of {benchmarks}: median {percent(bounds.median)}, largest "
        f"{worst}."
    )


def next_step(s: Summary, plan_command: str) -> str:
    """Return a suggestion for clearer results; empty if no warm benchmark is unclear.

    Parameters
    ----------
    s : Summary
        The summary.
    plan_command : str
        The command that makes a plan with twice the time; empty if there is no plan.
    """
    if not s.unclear.warm:
        return ""
    more = "More rounds or forks make smaller changes detectable."
    if plan_command:
        more = f"A plan with twice the time makes smaller changes detectable: `{plan_command}`."
    if not s.unclear.bounded:
        return more
    if s.deciding_percent is None:
        return f"{more} So does a quieter machine: this one is too noisy for small changes."
    which = "it" if s.unclear.warm == 1 else "half of them"
    larger = f"`--min-change {s.deciding_percent}%` gives {which} a clear outcome."
    return f"{more} Or ignore smaller changes: {larger}"


def not_warm_sentence(s: Summary, command: str) -> str:
    """Return the number of benchmarks that were not warm, and a command with more time."""
    cold = s.unclear.cold
    if not cold:
        return ""
    who = count(cold, "benchmark")
    return (
        f"{who} did not reach steady state in the time available: no verdict. `{command}` allows "
        "at least twice the warm-up; a plan sets the warm-up that each benchmark needs."
    )


def metric_sentence(s: Summary) -> str:
    """Return the numbers of outcomes of metrics; empty if none was compared."""
    metrics = s.metrics
    if not metrics.benchmarks or not s.comparable:
        return ""
    parts = [*_metric_changes(metrics)]
    if metrics.unchanged:
        of = "" if parts else f" of {metrics.benchmarks:,}"
        parts.append(f"unchanged in {metrics.unchanged:,}{of}")
    if metrics.unclear:
        why = "too few forks" if metrics.few else "forks differ too much"
        parts.append(f"unclear in {metrics.unclear:,} ({why})")
    return f"{'Allocation' if metrics.allocation else 'Metrics'}: {', '.join(parts)}."


def _metric_changes(metrics: Metrics) -> list[str]:
    parts = []
    for word, changed in (("worse", metrics.regressions), ("better", metrics.improvements)):
        if changed:
            # A change from zero has no relative size.
            by = f" (by up to {percent(changed.largest)})" if changed.largest <= TENFOLD else ""
            parts.append(f"{word} in {changed.benchmarks:,}{by}")
    if metrics.accepted:
        parts.append(count(metrics.accepted, "change is accepted", "changes are accepted"))
    return parts


def control_sentence(s: Summary) -> str:
    """Return the numbers of controls and their false alarms; empty without controls."""
    controls = s.controls
    if not controls.measured:
        return ""
    were = "was" if controls.measured == 1 else "were"
    alarms = count(controls.alarms, "false alarm") if controls.alarms else "no false alarm"
    checked = count(controls.measured, "control")
    return f"{checked} with unchanged code {were} measured: {alarms}."


def control_warning(s: Summary) -> str:
    """Return a warning about false alarms among the controls; empty if there are none."""
    controls, doubted = s.controls, s.not_run.get(IN_DOUBT, 0)
    if not controls.alarms:
        return ""
    counted = count(doubted, "skipped benchmark counts", "skipped benchmarks count")
    counted = f" {counted} as not measured." if doubted else ""
    appear = "appears" if controls.alarms == 1 else "appear"
    return (
        f"{count(controls.alarms, 'control')} with the same code in base and head {appear} to have "
        f"changed (up to {signed(controls.largest)}). Either the machine is noisy, and other "
        "changes of this size may be false alarms too, or the code differs after all: run again "
        f"with --same-code run.{counted}"
    )


def method_line(s: Summary) -> str:
    """Return the rule and its settings in brief."""
    shown = "Values are the rule's estimates, not the harness's means."
    return " ".join((*_rule_sentences(s), shown))


def _rule_sentences(s: Summary) -> list[str]:
    own = s.own_thresholds
    thresholds = (
        f"{count(own, 'benchmark has its', 'benchmarks have their')} own smallest change in the "
        "settings."
    )
    sentences = (
        f"Rule {s.rule}, confidence {_confidence(s.confidence)}. Changes under "
        f"{share(s.min_change)} are ignored.",
        str(s.options.get("error_rates") or ""),
        thresholds if own else "",
    )
    return [*filter(None, sentences)]


def method_sentences(s: Summary) -> list[str]:
    """Return sentences about the rule, its error rates, and the terms in the tables."""
    sentences = _rule_sentences(s)
    if s.rule in RULES:
        rule = RULES[s.rule].value
        sentences += [rule.statement, rule.false_alarms]
    return [
        *sentences,
        "Detectable: the smallest change that these results can show; a true change of that size "
        "is found in about half of all runs. "
        f"Unchanged: {_how_excluded(s)}. Unclear: neither changed nor unchanged.",
    ]


def _how_excluded(s: Summary) -> str:
    if s.exclusion is None:
        return "the confidence interval excludes every change that counts"
    return (
        f"changes that count are excluded, each direction with a confidence of "
        f"{share(s.exclusion)}; a changed benchmark needs the confidence above"
    )

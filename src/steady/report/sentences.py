"""The sentences that several outputs share, from the summary: plain text, commands in backticks."""

from steady.compare import RULES
from steady.compare.ledger import IN_DOUBT
from steady.compare.summary import Metrics, Summary
from steady.report.figures import signed
from steady.text.numbers import TENFOLD, count, percent, share

UNCHANGED = "None of these changed by a size that counts. Each row says which size is excluded."
"""The sentence above the table of unchanged benchmarks."""


def environment_sentence(s: Summary) -> str:
    """Name the differences between the environments of base and head."""
    return f"Base and head ran in different surroundings ({', '.join(s.differences)})."


def unclear_sentences(s: Summary) -> str:
    """Introduce the table of unclear benchmarks, with the confidence of its two numbers."""
    beside = "Each row says which size is excluded."
    if s.confidence and s.exclusion:
        beside = (
            f"A change lies in its interval with {_confidence(s.confidence)} confidence, "
            "and larger ones than the last column says are excluded with "
            f"{share(s.exclusion)}."
        )
    return f"These results do not show whether these benchmarks changed. {beside}"


def _confidence(level: float) -> str:
    return share(1 - float(f"{1 - level:.2g}"))


def not_run_sentences(s: Summary) -> list[str]:
    """Count the benchmarks that were left out on purpose, for each reason."""
    return [
        f"{many:,} of {count(s.total, 'benchmark')} {'was' if many == 1 else 'were'} not looked at "
        f"this time: {reason}."
        for reason, many in s.not_run.items()
    ]


def sum_sentence(s: Summary) -> str:
    """Count all benchmarks as a sum; empty if it has a single part."""
    return f"Benchmarks: {s.as_sum}." if s.as_sum else ""


def excluded_sentence(s: Summary) -> str:
    """Give the upper bounds of the unclear benchmarks, or of the unchanged ones if none is unclear.

    Empty if no bound is known.
    """
    bounds = s.bounds
    if not bounds.known:
        return ""
    worst = percent(bounds.largest)
    if bounds.benchmarks == 1:
        what = "unclear" if s.unclear else "unchanged"
        return f"The {what} benchmark cannot have changed by more than {worst}."
    these = f"these {bounds.benchmarks:,}" if s.unclear else "the unchanged ones"
    all_known = bounds.known == bounds.benchmarks
    if all_known and percent(bounds.median) == worst:
        return f"None of {these} can have changed by more than {worst}."
    if bounds.median > TENFOLD or percent(bounds.median) == worst:
        return f"{bounds.known:,} of {these} cannot have changed by more than {worst}."
    others = "none" if all_known else f"{bounds.known:,} of them not"
    return (
        f"Half of {these} cannot have changed by more than {percent(bounds.median)}, and {others} "
        f"by more than {worst}."
    )


def next_step(s: Summary, plan_command: str) -> str:
    """Say how to get clearer results; empty if no warm benchmark is unclear.

    Parameters
    ----------
    s : Summary
        The summary.
    plan_command : str
        The command that makes a plan with twice the time; empty without a plan.
    """
    if not s.unclear.warm:
        return ""
    more = "More rounds or forks would find smaller changes."
    if plan_command:
        more = f"A plan with twice the time finds smaller changes: `{plan_command}`."
    if not s.unclear.bounded:
        return more
    if s.deciding_percent is None:
        return f"{more} So would a quieter machine: this one was too noisy for small changes."
    which = "it" if s.unclear.warm == 1 else "half of them"
    larger = f"`--min-change {s.deciding_percent}%` decides {which}."
    return f"{more} Or ask for larger changes only: {larger}"


def not_warm_sentence(s: Summary, command: str) -> str:
    """Count the benchmarks that were not warm, with the command that gives them longer."""
    cold = s.unclear.cold
    if not cold:
        return ""
    who = count(cold, "benchmark was", "benchmarks were")
    them = "it" if cold == 1 else "them"
    return (
        f"{who} not warm in the time, so nothing is said about {them}: `{command}` warms {them} up "
        "at least twice as long, or a plan says how long it takes."
    )


def metric_sentence(s: Summary) -> str:
    """Count the outcomes of metrics; empty if none was compared."""
    metrics = s.metrics
    if not metrics.benchmarks or not s.comparable:
        return ""
    parts = [*_metric_changes(metrics)]
    if metrics.unchanged:
        of = "" if parts else f" of {metrics.benchmarks:,}"
        parts.append(f"unchanged in {metrics.unchanged:,}{of}")
    if metrics.unclear:
        why = "too few forks to tell" if metrics.few else "too different between forks to tell"
        parts.append(f"{why} in {metrics.unclear:,}")
    return f"{'Allocation' if metrics.allocation else 'Metrics'}: {', '.join(parts)}."


def _metric_changes(metrics: Metrics) -> list[str]:
    parts = []
    for word, changed in (("worse", metrics.regressions), ("better", metrics.improvements)):
        if changed:
            # A change from nothing has no size.
            by = f" (by up to {percent(changed.largest)})" if changed.largest <= TENFOLD else ""
            parts.append(f"{word} in {changed.benchmarks:,}{by}")
    if metrics.accepted:
        parts.append(count(metrics.accepted, "change is accepted", "changes are accepted"))
    return parts


def control_sentence(s: Summary) -> str:
    """Count the controls and their false alarms; empty if nothing was measured as a control."""
    controls = s.controls
    if not controls.measured:
        return ""
    were = "was" if controls.measured == 1 else "were"
    alarms = count(controls.alarms, "false alarm") if controls.alarms else "no false alarm"
    checked = count(controls.measured, "benchmark")
    return f"As a check, {checked} with unchanged code {were} measured: {alarms}."


def control_warning(s: Summary) -> str:
    """Explain the consequences of a false alarm; empty if there was none."""
    controls, doubted = s.controls, s.not_run.get(IN_DOUBT, 0)
    if not controls.alarms:
        return ""
    counted = count(doubted, "skipped benchmark counts", "skipped benchmarks count")
    counted = f" {counted} as not looked at." if doubted else ""
    return (
        f"{count(controls.alarms, 'control seems', 'controls seem')} to have changed (up to "
        f"{signed(controls.largest)}) with the same code in base and head. Either the machine is "
        "noisy, and other changes of this size may be false alarms too, or the decision that the "
        f"code is the same is wrong: run again with --same-code run.{counted}"
    )


def method_line(s: Summary) -> str:
    """Name the rule and its settings."""
    shown = "Base and head are shown as the rule sees them, which is not the harness's own mean."
    return " ".join((*_rule_sentences(s), shown))


def _rule_sentences(s: Summary) -> list[str]:
    own = s.own_thresholds
    thresholds = (
        f"By the settings {count(own, 'benchmark has', 'benchmarks have')} a smallest change of "
        f"{'its' if own == 1 else 'their'} own."
    )
    sentences = (
        f"Rule {s.rule}, confidence {_confidence(s.confidence)}. Changes under "
        f"{share(s.min_change)} are ignored.",
        str(s.options.get("error_rates") or ""),
        thresholds if own else "",
    )
    return [*filter(None, sentences)]


def method_sentences(s: Summary) -> list[str]:
    """Describe the rule, its rates of error, and the terms of the tables."""
    sentences = _rule_sentences(s)
    if s.rule in RULES:
        rule = RULES[s.rule].value
        sentences += [rule.statement, rule.false_alarms]
    return [
        *sentences,
        "Detectable is the smallest change that these results could show: a true change of that "
        "size is found in about half of all runs. "
        f"Unchanged means that {_how_excluded(s)}. What is neither changed nor unchanged "
        "is unclear.",
    ]


def _how_excluded(s: Summary) -> str:
    if s.exclusion is None:
        return "the interval of the change excludes a change that counts"
    return (
        f"a change that counts is excluded, in either direction with a confidence of "
        f"{share(s.exclusion)}; to call a benchmark changed, the rule needs the confidence "
        "above"
    )

"""The verdict in words: one line for a heading, and what else happened."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from steady.compare import Comparison, Verdict
from steady.model.suite import RESUMES
from steady.report.accepted_changes import left_out
from steady.report.change_rows import metrics_became
from steady.report.figures import meaning
from steady.report.same_code_words import same_code_words
from steady.text.escape import shorten
from steady.text.numbers import TENFOLD, count, percent, share

_LONGEST_EXPRESSION = 80

_MARKS: Mapping[Verdict, str] = {
    "not comparable": "⚠️",
    "regression": "🔴",
    "incomplete": "⚠️",
    "accepted": "☑️",
    "improvement": "🟢",
    "unclear": "⚪",
    "unchanged": "✅",
    "same code": "✅",
}


@dataclass(frozen=True, slots=True)
class VerdictWords:
    """A verdict in parts, none of which ends with a full stop.

    Parameters
    ----------
    first : str
        What a reader must know before all else.
    others : tuple of str
        What else happened, the most important first.
    """

    first: str
    others: tuple[str, ...] = ()

    @property
    def other_sentence(self) -> str:
        """What else happened, as one sentence; empty where nothing did."""
        return _sentence(self.others)


def _sentence(parts: Sequence[str]) -> str:
    """Join parts with semicolons; only the first begins with a capital letter.

    >>> _sentence(["1 of 2 did not run", "No change was found in 1"]), _sentence([])
    ('1 of 2 did not run; no change was found in 1.', '')
    """
    words = [
        f"{part[0].lower() if index else part[0].upper()}{part[1:]}"
        for index, part in enumerate(parts)
    ]
    return f"{'; '.join(words)}." if words else ""


def mark(comparison: Comparison) -> str:
    """Return the verdict as a symbol; more allocation is a regression too."""
    worse = comparison.metric_verdict == "regression" and comparison.verdict != "incomplete"
    return _MARKS["regression" if worse else comparison.verdict]


def is_calm(comparison: Comparison) -> bool:
    """Tell whether a reader has nothing to look at."""
    worse = comparison.metric_verdict in ("regression", "improvement")
    return comparison.verdict in ("unchanged", "same code") and not worse


def is_lost_first(comparison: Comparison) -> bool:
    """Tell whether what was not compared comes before all that was: a verdict lacks too much."""
    ledger = comparison.ledger
    lost = len(ledger.failed) + len(ledger.missing) + len(ledger.gone) + len(ledger.incomparable)
    return comparison.comparable and (
        comparison.verdict == "incomplete" or lost > len(ledger.compared)
    )


def verdict_words(comparison: Comparison) -> VerdictWords:
    """Return the verdict, with its counts, and what it is narrowed to."""
    words, narrowing = _words(comparison), comparison.narrowed
    if narrowing is None:
        return words
    left = count(narrowing.left_out, "measured benchmark")
    only = repr(shorten(narrowing.only, _LONGEST_EXPRESSION))
    rest = f": {left} left out" if narrowing.left_out else ""
    return replace(words, first=f"{words.first}; narrowed to {only}{rest}")


def _words(comparison: Comparison) -> VerdictWords:
    """Return the verdict: nothing calm where something is wrong."""
    if not comparison.comparable:
        kinds = _kinds(comparison)
        return VerdictWords(f"No verdict: base and head ran in different surroundings ({kinds})")
    more = metrics_became(comparison.metrics.regressions)
    rest, found = (*_less(comparison), *_rest(comparison)), _found(comparison)
    if comparison.verdict == "regression":
        parts = (found[0], *_lost(comparison, of_all=False), *filter(None, (more,)))
        if is_lost_first(comparison):
            parts = (*_lost(comparison), found[0], *filter(None, (more,)))
        return VerdictWords("; ".join(parts), (*found[1:], *rest))
    if comparison.verdict == "incomplete":
        parts = (_no_pass(comparison), *filter(None, (more,)))
        return VerdictWords("; ".join(parts), (*found, *rest))
    if more:
        return VerdictWords(more, (*found, *rest))
    return _calm_words(comparison)


def _calm_words(comparison: Comparison) -> VerdictWords:
    """Return the verdict where nothing became worse."""
    same, left, changed = _same_code(comparison), left_out(comparison), _changed(comparison)
    unclear, less = unclear_words(comparison), _less(comparison)
    total = count(len(comparison.changes), "benchmark")
    if comparison.verdict == "accepted":
        many = count(len(comparison.accepted), "change is", "changes are")
        others = (*changed, *unclear, *less, *same, *left[1:])
        return VerdictWords(f"{many} accepted, and nothing else became worse", others)
    if comparison.verdict == "improvement":
        return VerdictWords(", but ".join([changed[0], *unclear]), (*less, *same, *left))
    if comparison.verdict == "unclear":
        parts = [_nothing_found(less), *unclear_words(comparison, f" of {total}")]
        return VerdictWords(", but ".join(parts), (*same, *left))
    if comparison.verdict == "same code":
        same_code = len(comparison.ledger.same_code) + len(comparison.controls)
        run = count(same_code, "benchmark runs", "benchmarks run")
        return VerdictWords(f"Nothing changed: {run} the same code", tuple(left))
    return VerdictWords(f"{_nothing_found(less)} in {total}", (*same, *left))


def _less(comparison: Comparison) -> tuple[str, ...]:
    """Say in how many benchmarks a further result, such as allocation, became better."""
    words = metrics_became(comparison.metrics.improvements)
    return (words,) if words else ()


def _nothing_found(less: Sequence[str]) -> str:
    return "; ".join((*less, "no other change found")) if less else "No change found"


def why_unclear(comparison: Comparison) -> str:
    """Say what the unclear ones are, to be counted: ``too noisy to tell``."""
    unclear = comparison.unclear
    cold = len(comparison.not_warm)
    few = sum(bool(change.lacking) for change in unclear) - cold
    counts = {
        "too noisy": len(unclear) - few - cold,
        "with too few runs": few,
        "not warm in the time": cold,
    }
    reasons = [why for why, number in counts.items() if number]
    if len(reasons) > 1:
        return f"unclear ({', '.join(f'{counts[why]:,} {why}' for why in reasons)})"
    if cold:
        return reasons[0]
    return "too few runs to tell" if few else "too noisy to tell"


def surroundings_sentence(comparison: Comparison) -> str:
    """Say in which ways base and head did not run in the same surroundings."""
    return f"Base and head ran in different surroundings ({_kinds(comparison)})."


def _kinds(comparison: Comparison) -> str:
    return ", ".join(dict.fromkeys(difference.what for difference in comparison.differences))


def _no_pass(comparison: Comparison) -> str:
    """Say what is missing, and that it matters."""
    lost = "; ".join(_lost(comparison))
    if not lost:
        lost = "Nothing was compared"
        late = len(comparison.ledger.not_run)
        if comparison.ledger.new:
            lost += ": base has no results"
        elif late:
            were = count(late, "benchmark that may differ was", "benchmarks that may differ were")
            lost += f": {were} not looked at"
    return f"{lost}, so this is not a pass"


def _lost(comparison: Comparison, *, of_all: bool = True) -> list[str]:
    """Say of how many benchmarks there is nothing to compare, where that is any."""
    ledger = comparison.ledger
    unlike, gone = len(ledger.incomparable), len(ledger.gone)
    lost = len(ledger.failed) + len(ledger.missing) + gone + unlike
    if not lost:
        return []
    one = lost == 1
    what = "did not run"
    if unlike == lost:
        what = "cannot be compared"
    elif gone == lost:
        what = f"{'was' if one else 'were'} removed or renamed"
    elif unlike:
        what = f"{'has' if one else 'have'} no result to compare"
    elif all(one.reason.endswith(RESUMES) for one in (*ledger.failed, *ledger.missing)):
        what = "did not run to the end"
    elif len(ledger.failed) == lost:
        what = "failed"
    elif all(missing.is_skipped for missing in (*ledger.failed, *ledger.missing)) and not gone:
        what = f"{'was' if one else 'were'} skipped in head"
    total = f" of {count(lost + len(ledger.compared), 'benchmark')}" if of_all else ""
    return [f"{lost:,}{total} {what}"]


def _found(comparison: Comparison) -> list[str]:
    """Say what changed, or of how many it is known that they did not."""
    if changed := _changed(comparison):
        return changed
    known = len(comparison.changes) - len(comparison.unclear)
    if not known:
        return []
    accepted = "Accepted changes aside, no change" if comparison.accepted else "No change"
    return [f"{accepted} {_that_counts(comparison)} was found in {count(known, 'benchmark')}"]


def _rest(comparison: Comparison) -> tuple[str, ...]:
    return (*unclear_words(comparison), *_same_code(comparison), *left_out(comparison))


def _same_code(comparison: Comparison) -> list[str]:
    return [*filter(None, (same_code_words(comparison),))]


def unclear_words(comparison: Comparison, of: str = "") -> list[str]:
    """Say how many could not be told, where any could not."""
    unclear = comparison.unclear
    if not unclear:
        return []
    why = why_unclear(comparison)
    verb = "had" if why.startswith("too few") else "was" if len(unclear) == 1 else "were"
    verb = "are" if why.startswith("unclear") else verb
    return [f"{len(unclear):,}{of} {verb} {why}"]


def _that_counts(comparison: Comparison) -> str:
    if any(change.min_change is not None for change in comparison.changes):
        return "that counts"
    return f"of {share(float(comparison.options.get('min_change') or 0))} or more"


def _changed(comparison: Comparison) -> list[str]:
    parts = []
    total = f" of {count(len(comparison.changes), 'benchmark')}"
    for changes in (comparison.regressions, comparison.improvements):
        if changes:
            words = {meaning(change) for change in changes}
            general = "worse" if changes[0].outcome == "regression" else "better"
            word = words.pop() if len(words) == 1 else general
            largest = max(abs(change.ratio) for change in changes)
            by = f", by up to {percent(largest)}" if math.isfinite(largest) else ""
            if len(changes) == 1:
                by = by.replace("by up to", "by")
            elif TENFOLD < largest < math.inf:
                by = f", one by {percent(largest)}"
            parts.append(f"{len(changes):,}{total} became {word}{by}")
            total = ""
    return parts

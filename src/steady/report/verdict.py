"""The verdict in words: one line for a heading, and a sentence on the other outcomes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from steady.compare import Verdict
from steady.compare.summary import Changed, Summary, Unclear
from steady.report.document import Tone
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
_TONES: Mapping[Verdict, Tone] = {
    "regression": "worse",
    "improvement": "better",
    "unchanged": "same",
}


@dataclass(frozen=True, slots=True)
class VerdictWords:
    """A verdict in parts, none of which ends with a full stop.

    Parameters
    ----------
    first : str
        The heading.
    others : tuple of str
        Other outcomes, the most important first.
    """

    first: str
    others: tuple[str, ...] = ()

    @property
    def other_sentence(self) -> str:
        """The other outcomes as one sentence; may be empty."""
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


def mark(summary: Summary) -> str:
    """Return the verdict as a symbol; more allocation is a regression too."""
    worse = summary.allocates_more and summary.verdict != "incomplete"
    if summary.reaches_no_change and summary.verdict in ("unchanged", "same code") and not worse:
        return _MARKS["unclear"]
    return _MARKS["regression" if worse else summary.verdict]


def tone(summary: Summary) -> Tone:
    """Return the tone of a verdict; more allocation requires attention."""
    found = _TONES.get(summary.verdict, "open")
    return "open" if found != "worse" and summary.allocates_more else found


def verdict_words(summary: Summary) -> VerdictWords:
    """Return the verdict with its counts, and the expression that restricts it."""
    words, narrowing = _words(summary), summary.narrowed
    if narrowing is None:
        return words
    left = count(narrowing.left_out, "measured benchmark")
    only = repr(shorten(narrowing.only, _LONGEST_EXPRESSION))
    rest = f": {left} left out" if narrowing.left_out else ""
    return replace(words, first=f"{words.first}; narrowed to {only}{rest}")


def _words(s: Summary) -> VerdictWords:
    """Return the verdict; a problem always comes before good news."""
    if not s.comparable:
        kinds = ", ".join(s.differences)
        return VerdictWords(f"No verdict: base and head ran in different environments ({kinds})")
    more = metrics_became(s.metrics.regressions, "more", "worse")
    rest, found = (*_less(s), *_unclear(s), *_same_code(s), *_left_out(s)), _found(s)
    if s.verdict == "regression":
        parts = (found[0], *_lost(s, of_all=False), *more)
        if s.lost_first:
            parts = (*_lost(s), found[0], *more)
        return VerdictWords("; ".join(parts), (*found[1:], *rest))
    if s.verdict == "incomplete":
        return VerdictWords("; ".join((_no_pass(s), *more)), (*found, *rest))
    if more:
        return VerdictWords(more[0], (*found, *rest))
    return _calm_words(s)


def _calm_words(s: Summary) -> VerdictWords:
    """Return the verdict if nothing became worse."""
    same, left, changed = _same_code(s), _left_out(s), _changed(s)
    unclear, less = _unclear(s), _less(s)
    total = count(s.compared, "benchmark")
    if s.verdict == "accepted":
        many = count(s.accepted, "change is", "changes are")
        others = (*changed, *unclear, *less, *same, *left[1:])
        return VerdictWords(f"{many} accepted, and nothing else became worse", others)
    if s.verdict == "improvement":
        return VerdictWords(", but ".join([changed[0], *unclear]), (*less, *same, *left))
    if s.reaches_no_change:
        if s.verdict == "same code":
            return VerdictWords("No benchmark reaches the changed code", (*same, *left))
        # Some may use changed fields or resources.
        found = _in_those_measured(s, total)
        return VerdictWords("No benchmark reaches a changed method", (found, *less, *same, *left))
    if s.verdict == "unclear":
        parts = [_nothing_found(less), unclear_words(s.unclear, f" of {total}")]
        return VerdictWords(", but ".join(parts), (*same, *left))
    if s.verdict == "same code":
        run = count(s.same_code + s.controls.measured, "benchmark runs", "benchmarks run")
        return VerdictWords(f"Nothing changed: {run} the same code", tuple(left))
    return VerdictWords(f"{_nothing_found(less)} in {total}", (*same, *left))


def _in_those_measured(s: Summary, total: str) -> str:
    return unclear_words(s.unclear, f" of {total}") if s.unclear else f"No change found in {total}"


def metrics_became(changed: Changed, allocates: str, became: str) -> list[str]:
    """Return the number of benchmarks with a worse, or better, metric; empty if there are none.

    >>> metrics_became(Changed(2, 1, 0.5, "worse", allocation=True), "more", "worse")
    ['1 benchmark allocates more']
    """
    if not changed:
        return []
    if changed.allocation:
        allocate = count(changed.benchmarks, "benchmark allocates", "benchmarks allocate")
        return [f"{allocate} {allocates}"]
    return [f"{count(changed.benchmarks, 'benchmark')} became {became} in a secondary metric"]


def _less(s: Summary) -> list[str]:
    return metrics_became(s.metrics.improvements, "less", "better")


def _nothing_found(less: Sequence[str]) -> str:
    return "; ".join((*less, "no other change found")) if less else "No change found"


def why_unclear(unclear: Unclear) -> str:
    """Return the reasons why benchmarks are unclear, with counts if there are several."""
    counts = {
        "too noisy": unclear.noisy,
        "with too few runs": unclear.few,
        "not in steady state": unclear.cold,
    }
    reasons = [why for why, number in counts.items() if number]
    if len(reasons) > 1:
        return f"unclear ({', '.join(f'{counts[why]:,} {why}' for why in reasons)})"
    if unclear.cold:
        return reasons[0]
    return "too few runs to tell" if unclear.few else "too noisy to tell"


def unclear_words(unclear: Unclear, of: str = "") -> str:
    """Return the number of unclear benchmarks, with the reasons."""
    why = why_unclear(unclear)
    verb = "had" if why.startswith("too few") else "was" if unclear.total == 1 else "were"
    verb = "are" if why.startswith("unclear") else verb
    return f"{unclear.total:,}{of} {verb} {why}"


def _unclear(s: Summary) -> list[str]:
    return [unclear_words(s.unclear)] if s.unclear else []


def _no_pass(s: Summary) -> str:
    """Return the missing results, which prevent a pass."""
    lost = "; ".join(_lost(s))
    if not lost:
        lost = "Nothing was compared"
        late = sum(s.not_run.values())
        if s.new:
            lost += ": base has no results"
        elif late:
            were = count(
                late, "benchmark that may have changed was", "benchmarks that may have changed were"
            )
            lost += f": {were} not measured"
    return f"{lost}, so this is not a pass"


def _lost(s: Summary, *, of_all: bool = True) -> list[str]:
    """Return the number of benchmarks without a result to compare; empty if there are none."""
    lost = s.lost
    if not lost:
        return []
    one, without = lost.total == 1, lost.failed + lost.missing
    happened = "did not run"
    if lost.incomparable == lost.total:
        happened = "cannot be compared"
    elif lost.gone == lost.total:
        happened = f"{'was' if one else 'were'} removed or renamed"
    elif lost.incomparable:
        happened = f"{'has' if one else 'have'} no result to compare"
    elif lost.unfinished == without:
        happened = "did not run to the end"
    elif lost.failed == lost.total:
        happened = "failed"
    elif lost.skipped == lost.total:
        happened = f"{'was' if one else 'were'} skipped in head"
    total = f" of {count(lost.total + s.with_controls, 'benchmark')}" if of_all else ""
    return [f"{lost.total:,}{total} {happened}"]


def _found(s: Summary) -> list[str]:
    """Return the number of changes, or of benchmarks without a change if there are none."""
    if changed := _changed(s):
        return changed
    known = s.compared - s.unclear.total
    if not known:
        return []
    accepted = "Accepted changes aside, no change" if s.accepted else "No change"
    counts = f"of {share(s.min_change)} or more"
    counts = "that counts" if s.own_thresholds else counts
    return [f"{accepted} {counts} was found in {count(known, 'benchmark')}"]


def _same_code(s: Summary) -> list[str]:
    """Return the number of benchmarks with the same code; empty if all were measured."""
    if not s.same_code:
        return []
    same = s.same_code + s.controls.measured
    of = f"{same:,} of {count(s.total, 'benchmark')}"
    verb = "runs" if same == 1 else "run"
    were = "was" if s.same_code == 1 else "were"
    part = f" {s.same_code:,} of them" if s.controls.measured else ""
    return [f"{of} {verb} the same code, and{part} {were} not measured"]


def _left_out(s: Summary) -> list[str]:
    """Return the numbers of accepted changes and ignored benchmarks."""
    parts = [f"{count(s.accepted, 'change is', 'changes are')} accepted"] * bool(s.accepted)
    ignored = f"{count(s.ignored, 'benchmark is', 'benchmarks are')} ignored"
    return parts + [ignored] * bool(s.ignored)


def _changed(s: Summary) -> list[str]:
    parts = []
    total = f" of {count(s.compared, 'benchmark')}"
    for changed in filter(None, (s.regressions, s.improvements)):
        parts.append(f"{changed.changes:,}{total} became {changed.meaning}{_by(changed)}")
        total = ""
    return parts


def _by(changed: Changed) -> str:
    if not math.isfinite(changed.largest):
        return ""
    if changed.changes == 1:
        return f", by {percent(changed.largest)}"
    few = "one by" if changed.largest > TENFOLD else "by up to"
    return f", {few} {percent(changed.largest)}"

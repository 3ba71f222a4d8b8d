"""The picture of one benchmark in a file of its own: a full run, or what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from steady.compare import Change, Comparison
from steady.errors import InputError
from steady.model import Identity, Suite
from steady.optimize.planner import data_digest, optimize
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.report import figures as in_figures
from steady.report import fork_pictures
from steady.report.document import Tone
from steady.report.figures import readable
from steady.report.names import words_for
from steady.report.picture_file import Text, sheet
from steady.report.strips import Strips
from steady.report.wording import not_compared
from steady.text import numbers

_TONES: Mapping[str, Tone] = {"regression": "worse", "improvement": "better"}
_ALONE = "No plan was given, so this one is made for the benchmark alone."

Part = Text | Markup


@dataclass(frozen=True, eq=False)
class Plot:
    """What is drawn of a benchmark, from top to bottom."""

    identity: Identity
    parts: tuple[Part, ...]

    def svg(self, *, dark: bool = True) -> str:
        """Return the file; with `dark` it follows what the readers of a browser prefer."""
        label = self.identity.label
        return sheet((Text(label, "title"), *self.parts), title=label, dark=dark)


def plot_run(
    suite: Suite,
    identity: Identity,
    plan: Plan | None = None,
    *,
    detector: str = "kb-kssd",
    similarity: str = "heuristic",
) -> Plot:
    """Draw the forks of one run over their iterations, and what a plan makes of them.

    Parameters
    ----------
    suite : Suite
        Results of a full run.
    identity : Identity
        Which benchmark.
    plan : Plan, optional
        The plan that was made from it. Without one, it is made for this benchmark alone.
    detector, similarity : str
        With which methods that is done.

    Raises
    ------
    InputError
        If the plan was made from other results, or the benchmark has no values.
    """
    if not suite[identity].measurements.size:
        raise InputError(f"{identity.label} has no values to draw")
    note = ""
    if plan is None:
        suite = Suite((suite[identity],), suite.harness)
        plan, note = _alone(suite, detector, similarity)
    elif plan.data_digest != data_digest(suite):
        raise InputError(
            "the plan was made from other results; give the results of its full run, or leave out "
            "--plan"
        )
    drawn = fork_pictures.draw_forks([identity], [("full", suite)], plan)
    entry = None if plan is None else plan.get(identity)
    words = words_for(identity)
    parts: list[Part] = []
    if entry is not None:
        parts += [Text(words(_planned(entry)), "lead"), Text(words(_sentence(entry.reason)))]
    parts += [Text(note)] if note else []
    parts += _drawn(drawn.pictures[0].figures)
    legend = fork_pictures.SERIES_LEGEND
    if entry is not None and entry.starts:
        legend += f" {fork_pictures.STARTS_LEGEND}"
    return Plot(identity, (*parts, Text(words(legend))))


def _alone(suite: Suite, detector: str, similarity: str) -> tuple[Plan | None, str]:
    """Return a plan for a suite of one benchmark, and what to say of it."""
    try:
        return optimize(suite, detector=detector, similarity=similarity), _ALONE
    except InputError as error:
        return None, f"No plan can be made: {error.problem}."


def plot_change(comparison: Comparison, identity: Identity, base: Suite, head: Suite) -> Plot:
    """Draw what changed from base to head, and the forks of both.

    Parameters
    ----------
    comparison : Comparison
        Of the whole suite.
    identity : Identity
        Which benchmark.
    base, head : Suite
        The two runs.

    Raises
    ------
    InputError
        If it was not compared; the message says why.
    """
    compared = {c.identity: c for c in (*comparison.changes, *comparison.controls)}
    if identity not in compared:
        raise InputError(_why_not(comparison, identity))
    change = compared[identity]
    strips = Strips.of(replace(comparison, changes=(change,)), base, head)
    tone: Tone = "open" if change.accepted else _TONES.get(change.outcome, "same")
    words = words_for(identity)
    parts: list[Part] = [Text(_outcome(change), "lead", tone), Text(_sides(change))]
    strip = strips.strip(identity, tone)
    parts += [] if strip is None else [strips.axis, strip, Text(words(strips.legend))]
    parts += [Text(words(_sentence(note))) for note in change.notes]
    drawn = fork_pictures.draw_forks([identity], [("base", base), ("head", head)], None)
    parts += _drawn(drawn.pictures[0].figures if drawn.pictures else ())
    return Plot(identity, (*parts, Text(fork_pictures.SERIES_LEGEND)))


def _drawn(figures: Sequence[fork_pictures.Figure]) -> Iterator[Part]:
    for figure in figures:
        yield figure.drawing
        yield Text(figure.caption)


def _planned(entry: BenchmarkPlan) -> str:
    if entry.status != "reduced":
        return "The plan keeps the full run"
    full = entry.full
    before = full.warmup_iterations
    each = f"({before} + {full.iterations})" if before else f"{full.iterations}"
    planned = f"{entry.forks} × ({entry.warmup} warm-up + {entry.iterations})"
    return f"The plan: {planned} instead of {full.forks} × {each}"


def _outcome(change: Change) -> str:
    accepted = ", accepted" if change.accepted else ""
    name = f"{change.outcome.capitalize()}{accepted}"
    return f"{name}: {in_figures.with_interval(in_figures.change_in_words(change), change)}"


def _sides(change: Change) -> str:
    shown = readable(change)
    base, head = (numbers.value(side.center) for side in (shown.base, shown.head))
    excluded = in_figures.excluded(change)
    known = change.outcome not in _TONES and "%" in excluded
    beyond = f" A change of more than {excluded} is excluded." if known else ""
    return f"Base {base} {shown.unit}, head {head} {shown.unit}.{beyond}"


def _why_not(comparison: Comparison, identity: Identity) -> str:
    ledger = comparison.ledger
    reasons = dict.fromkeys(ledger.same_code, "it runs the same code in both versions")
    reasons |= {one.identity: one.reason for one in ledger.not_run}
    reasons |= {one.identity: one.reason for one in ledger.ignored}
    reasons |= {one: what for one, what, _ in not_compared(comparison)}
    why = reasons.get(identity, "only one of the two results has it")
    return f"{identity.label} was not compared: {why}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"

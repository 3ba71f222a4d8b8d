"""The picture of a plan: for each benchmark, a bar for the current run and one for the plan.

GitHub shows an SVG as an image, to which styles of the page do not apply. So there is one file for
light and one for dark pages, each with its own background, so that either is readable.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup
from rich.cells import cell_len

from steady.model import ExecutionConfiguration
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.report.markup import element, shown
from steady.report.names import ShortNames
from steady.report.plan_report import former, largest_savings, repetitions, run_before, saved
from steady.text.escape import shorten
from steady.text.numbers import NO_BREAK, count, duration

PICTURES: Mapping[str, str] = {"light": "plan-light.svg", "dark": "plan-dark.svg"}
"""File names by theme of the page."""

MOST_ROWS = 40
"""Maximum number of benchmarks to draw, those that save most first. The others are counted."""

WIDTH = 800
"""Width of a description on GitHub in pixels, and of the picture in its units."""

_NAMES, _BARS, _NUMBERS = 16.0, 304.0, 784.0  # left edges, and the right edge of the numbers
_LONGEST_BAR = 300.0
_ROW, _TOP, _BOTTOM = 22.0, 92.0, 12.0
_BEFORE, _AFTER = 14.0, 8.0  # heights of bars
_LONGEST_NAME = 37  # in terminal columns, of which wide characters take two
_MOST_TICKS = 4
_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600)
_FONT = (
    "-apple-system, BlinkMacSystemFont, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, "
    "sans-serif"
)


@dataclass(frozen=True, slots=True)
class Colors:
    """The colors of one theme, the same as GitHub's.

    Parameters
    ----------
    page, text, faint, line : str
        Background, text, small text, and lines.
    outline, warmup_before : str
        Outline of the current run, and its start-up and warm-up.
    warmup, measured : str
        Start-up and warm-up of the planned run, and its measured iterations.
    """

    page: str
    text: str
    faint: str
    line: str
    outline: str
    warmup_before: str
    warmup: str
    measured: str


COLORS: Mapping[str, Colors] = {
    "light": Colors(
        *("#ffffff", "#1f2328", "#59636e", "#d1d9e0"), *("#818b98", "#dfe4ea", "#80bcff", "#0550ae")
    ),
    "dark": Colors(
        *("#0d1117", "#f0f6fc", "#9198a1", "#2f353d"), *("#7d8590", "#2a313a", "#2b5d9b", "#79c0ff")
    ),
}


def description(plan: Plan) -> str:
    """Return the alternative text of the picture."""
    rows = count(min(len(plan), MOST_ROWS), "benchmark")
    return f"Seconds of {rows} before and after: {former(plan)} → {duration(plan.seconds)}"


def draw_plan(plan: Plan, theme: str) -> str:
    """Draw a plan.

    Parameters
    ----------
    plan : Plan
        The plan.
    theme : {"light", "dark"}
        Theme of the page.

    Returns
    -------
    str
        A deterministic SVG document without styles, scripts or links.
    """
    colors = COLORS[theme]
    entries = largest_savings(plan)
    drawn, left = entries[:MOST_ROWS], entries[MOST_ROWS:]
    longest = max((max(e.seconds, run_before(plan, e)[1]) for e in drawn), default=0.0) or 1.0
    scale, names = _LONGEST_BAR / longest, ShortNames.of(plan)
    bottom = _TOP + _ROW * len(drawn)
    height = bottom + _BOTTOM + (_ROW if left else 0.0)
    rows = (
        _row(plan, entry, names, scale, _TOP + _ROW * index, colors)
        for index, entry in enumerate(drawn)
    )
    drawing = element(
        "svg",
        element("title", description(plan)),
        element("rect", width=WIDTH, height=height, fill=colors.page),
        *_head(plan, colors),
        *_ticks(longest, scale, bottom, colors),
        *rows,
        *_others(plan, left, bottom, colors),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height:g}",
        width=WIDTH,
        height=height,
        role="img",
        font_family=_FONT,
        font_size=12.0,
        fill=colors.text,
    )
    return f"{drawing}\n".replace("><", ">\n<")


def _head(plan: Plan, colors: Colors) -> Iterator[Markup]:
    """Draw the total and the legend."""
    total = f"{former(plan)} → {duration(plan.seconds)} ({saved(plan)})"
    yield element("text", total, x=_NAMES, y=26.0, font_size=15.0, font_weight="600")
    before = "today" if plan.today_seconds is not None else "before"
    x = _NAMES
    legend: tuple[tuple[str, str, str | None, float], ...] = (
        (f"{before}: start and warm-up", colors.warmup_before, colors.outline, _BEFORE),
        (f"{before}: measured", "none", colors.outline, _BEFORE),
        ("after: start and warm-up", colors.warmup, None, _AFTER),
        ("after: measured", colors.measured, None, _AFTER),
    )
    for text, fill, stroke, height in legend:
        yield _bar(x, 47.0, 22.0, height, fill, stroke)
        yield element("text", text, x=x + 28, y=51.0, fill=colors.faint)
        x += 50 + 6.2 * len(text)


def _ticks(longest: float, scale: float, bottom: float, colors: Colors) -> Iterator[Markup]:
    """Draw grid lines at round durations, with labels above."""
    hours = -(-longest // (3600 * _MOST_TICKS)) * 3600
    step = next((tick for tick in _TICKS if longest <= tick * _MOST_TICKS), hours)
    for index in range(int(longest / step + 1e-9) + 1):
        x = _BARS + scale * step * index
        yield element("path", d=f"M{x:.1f} {_TOP - 4:g}V{bottom:g}", stroke=colors.line)
        text = _round_duration(step * index) if index else "0"
        yield element(
            "text", text, x=x, y=_TOP - 10, fill=colors.faint, font_size=11.0, text_anchor="middle"
        )


def _round_duration(seconds: float) -> str:
    """Format a duration, omitting the smaller unit if it is zero."""
    text = duration(seconds)
    return text.rpartition(f"{NO_BREAK}00{NO_BREAK}")[0] or text


def _row(
    plan: Plan, entry: BenchmarkPlan, names: ShortNames, scale: float, top: float, colors: Colors
) -> Markup:
    """Draw one benchmark: its name, both bars, and the numbers."""
    run, seconds = run_before(plan, entry)
    label = shown(names.label(entry.identity))
    middle, baseline = top + _ROW / 2, top + _ROW / 2 + 4
    before = measured_seconds(entry, run, seconds)
    after = measured_seconds(entry, entry.configuration, entry.seconds)
    turn = _BARS + scale * (entry.seconds - after)
    bars = (
        _bar(_BARS, middle, scale * (seconds - before), _BEFORE, colors.warmup_before),
        _bar(_BARS, middle, scale * seconds, _BEFORE, "none", colors.outline),
        _bar(_BARS, middle, scale * (entry.seconds - after), _AFTER, colors.warmup),
        _bar(turn, middle, scale * after, _AFTER, colors.measured),
    )
    change = f"{duration(seconds)} → {duration(entry.seconds)}"
    numbers = f"{duration(entry.seconds)} · full run" if entry.status != "reduced" else change
    runs = f"{repetitions(run)} → {repetitions(entry.configuration)}"
    return element(
        "g",
        element("title", f"{label}: {change}, {names.words('forks')} {runs}"),
        # A nested picture clips text that a font makes wider than its column.
        element(
            "svg",
            element("text", _fitted(label), x=_NAMES, y=baseline - top),
            y=top,
            width=_BARS - 6,
            height=_ROW,
        ),
        *bars,
        element("text", numbers, x=_NUMBERS, y=baseline, text_anchor="end", fill=colors.faint),
    )


def measured_seconds(entry: BenchmarkPlan, run: ExecutionConfiguration, seconds: float) -> float:
    """Return the seconds of measured iterations in a run; the rest is start-up and warm-up.

    A plan has the cost of the full run and of the reduced one. If their forks differ in length, the
    real length of an iteration follows from the difference; it can exceed the configured length.

    Parameters
    ----------
    entry : BenchmarkPlan
        The benchmark.
    run : ExecutionConfiguration
        Configuration of one of its runs.
    seconds : float
        Cost of the run.
    """
    longer = _iteration_seconds(entry) - entry.full.iteration_seconds
    each = run.iteration_seconds + max(longer, 0.0)
    share = run.iterations / (run.warmup_iterations + run.iterations)
    if each <= 0:
        return seconds * share
    # With 0 forks, benchmarks run in the harness's own process.
    return min(max(run.forks, 1) * run.iterations * each, seconds * share)


def _iteration_seconds(entry: BenchmarkPlan) -> float:
    """Return the seconds of an iteration of the full run; if unknown, the configured seconds."""
    full, run = entry.full, entry.configuration
    more = full.warmup_iterations + full.iterations - run.warmup_iterations - run.iterations
    if not (full.forks and run.forks and more) or run.iteration_seconds != full.iteration_seconds:
        return full.iteration_seconds
    return (entry.full_seconds / full.forks - entry.seconds / run.forks) / more


def _bar(
    x: float, middle: float, width: float, height: float, fill: str, stroke: str | None = None
) -> Markup:
    """Draw a bar around a center line; a bar without width is omitted."""
    return element(
        "rect", x=x, y=middle - height / 2, width=max(width, 0.0), height=height, fill=fill,
        stroke=stroke,
    )  # fmt: skip


def _fitted(label: str) -> str:
    """Shorten, in the middle, a name that is too wide for its column."""
    limit = len(label)
    while cell_len(shorten(label, limit)) > _LONGEST_NAME:
        limit -= 1
    return shorten(label, limit)


def _others(
    plan: Plan, left: Sequence[BenchmarkPlan], bottom: float, colors: Colors
) -> Iterator[Markup]:
    """Draw a line with the total time of the omitted benchmarks."""
    if not left:
        return
    before = sum(run_before(plan, entry)[1] for entry in left)
    after = sum(entry.seconds for entry in left)
    text = f"{count(len(left), 'more benchmark')}: {duration(before)} → {duration(after)}"
    yield element("text", text, x=_NAMES, y=bottom + 16, fill=colors.faint)

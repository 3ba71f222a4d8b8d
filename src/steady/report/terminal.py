"""A comparison on a terminal: the same content as the comment, plain where nobody sees colours."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from steady.compare import Change, Comparison, Estimate
from steady.model import Identity
from steady.optimize.plan import Plan
from steady.report.acknowledged import accepted_changes, accepted_sentence
from steady.report.escape import log_lines, visible
from steady.report.names import ShortNames, names_of
from steady.report.numbers import (
    change_in_words,
    change_interval,
    change_percent,
    count,
    detectable,
    excluded,
    interval,
    runs_of,
    value,
)
from steady.report.scaling import readable
from steady.report.whole_words import WholeWords
from steady.report.wording import (
    difference_sentence,
    excluded_sentence,
    headline,
    method_line,
    names_sentence,
    next_step,
    not_compared_by_reason,
    notes_by_text,
    savings_sentence,
    unclear_title,
    verdict_sentence,
)

_STYLES = {
    "not comparable": "bold yellow",
    "regression": "bold red",
    "incomplete": "bold yellow",
    "acknowledged": "bold yellow",
    "improvement": "bold green",
    "unclear": "bold yellow",
    "unchanged": "bold",
}
_NAMED = 3
_MOST_ROWS = 1_000  # of one table or list, the most important first
_NARROWEST = 120  # columns; in fewer, the numbers leave no room for the names
_WITHOUT_TERMINAL = 4000  # columns: a file or a pipe has no width, and searching wants whole lines


def terminal(
    comparison: Comparison, plan: Plan | None = None, *, width: int = 100, color: bool = False
) -> str:
    """Write a comparison as text for a terminal.

    Parameters
    ----------
    comparison, plan
        As in `steady.report.markdown.comment`.
    width : int
        Columns.
    color : bool
        Whether to use colours; without them the text is plain.

    Returns
    -------
    str
        No line of it is a command to a runner that reads the log.
    """
    file = io.StringIO()
    console = Console(
        file=file,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    console.print(_comparison(comparison, plan))
    lines = (line.rstrip() for line in file.getvalue().splitlines())
    return log_lines("\n".join(lines) + "\n")


def print_comparison(
    comparison: Comparison, plan: Plan | None = None, console: Console | None = None
) -> None:
    """Print a comparison, as wide and as colourful as the console is; see `terminal`."""
    console = console or output_console()
    width = max(console.width, _NARROWEST)
    text = terminal(comparison, plan, width=width, color=console.color_system is not None)
    console.file.write(text)


def output_console() -> Console:
    """Return the console of standard output; without a terminal it breaks no lines.

    Texts are printed as they are: brackets and colons in them are no markup.
    """
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WITHOUT_TERMINAL
    return console


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: int = 0,
    console: Console | None = None,
) -> None:
    """Print rows of plain text under the names of their columns, the first `numbers` numeric."""
    console = console or output_console()
    table = _table(columns, numbers=numbers)
    for row in rows:
        cells = [visible(cell) for cell in row]
        table.add_row(*map(Text, cells[:numbers]), *map(WholeWords, cells[numbers:]))
    console.print(table)


def _comparison(comparison: Comparison, plan: Plan | None) -> RenderableType:
    names = names_of(comparison)
    title = Text(headline(comparison).capitalize(), _STYLES[comparison.verdict])
    sentences = [excluded_sentence(comparison), next_step(comparison, plan)]
    sentences += [savings_sentence(plan)] if plan is not None else []
    if names.prefix:
        sentences.append(visible(names_sentence(names.prefix)))
    would_be = "" if comparison.comparable else "Would-be "
    unclear, unchanged = comparison.unclear, comparison.unchanged
    parts: list[RenderableType] = [
        Text.assemble(title, ". ", verdict_sentence(comparison)),
        *_changes(f"{would_be}Regressions", comparison.regressions, names, "red"),
        *_list("Acknowledged", _acknowledged(comparison, names)),
        *_list("Not compared", _not_compared(comparison, names)),
        *_list("Different surroundings", _differences(comparison)),
        *_list("To be aware of", _notes(comparison, names)),
        *_changes(f"{would_be}Improvements", comparison.improvements, names, "green"),
        *_changes(unclear_title(comparison), unclear, names, "", "excluded"),
        *_changes(f"{len(unchanged):,} unchanged", unchanged, names, "", "excluded"),
        *_list("Ignored, as the settings say", _ignored(comparison, names)),
        Text(""),
        *(Text(sentence) for sentence in sentences if sentence),
        Text(method_line(comparison), "dim"),
    ]
    return Group(*parts)


def _changes(
    title: str,
    changes: Sequence[Change],
    names: ShortNames,
    style: str,
    told: str = "detectable",
) -> Iterable[RenderableType]:
    if not changes:
        return
    table = _table(("change", "base", "head", "runs", told, "benchmark"), numbers=5)
    for change in changes[:_MOST_ROWS]:
        label = WholeWords(visible(names.label(change.identity)))
        table.add_row(*_numbers(readable(change), style), label)
    yield from (Text(f"\n{title}", "bold"), table)
    yield from map(Text, _rest(changes))


def _score(estimate: Estimate) -> str:
    """Return a line with what the harness's own tools show; none where nobody knows it."""
    return "" if estimate.score is None else f"\nscore {value(estimate.score)}"


def _numbers(change: Change, style: str) -> list[Text]:
    """Return what a row says beside the name; intervals only of what changed."""
    unit = visible(change.unit)
    base, head = (f"{value(side.center)} {unit}" for side in (change.base, change.head))
    changed = change.outcome in ("regression", "improvement")
    if not changed:
        by = change_percent(change)
    else:
        by = f"{change_in_words(change)}\n{change_interval(change)}"
        base = f"{base}\n{interval(change.base)}{_score(change.base)}"
        head = f"{head}\n{interval(change.head)}{_score(change.head)}"
    return [
        Text(by, style),
        Text(base),
        Text(head),
        Text(runs_of(change)),
        Text(detectable(change) if changed else excluded(change)),
    ]


def _table(columns: Sequence[str], *, numbers: int = 0) -> Table:
    """Make a table whose first columns hold numbers; the others wrap where they must."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    for index, column in enumerate(columns):
        table.add_column(
            column,
            justify="right" if index < numbers else "left",
            overflow="fold",
            no_wrap=index < numbers,
        )
    return table


def _list(title: str, lines: Sequence[str]) -> Iterable[RenderableType]:
    if lines:
        yield Text(f"\n{title}", "bold")
        yield from (Padding(Text(line), (0, 0, 0, 2)) for line in lines[:_MOST_ROWS])
        yield from (Padding(Text(line), (0, 0, 0, 2)) for line in _rest(lines))


def _rest(rows: Sequence[object]) -> list[str]:
    """Count the rows that nobody would read to their end, and that take a second a thousand."""
    left = len(rows) - _MOST_ROWS
    return [f"{left:,} more: `--output json` has them all"] if left > 0 else []


def _acknowledged(comparison: Comparison, names: ShortNames) -> list[str]:
    return [
        f"{visible(names.label(change.identity))}: {visible(accepted_sentence(change, entry))}"
        for change, entry in accepted_changes(comparison)
    ]


def _ignored(comparison: Comparison, names: ShortNames) -> list[str]:
    return [
        f"{visible(names.label(one.identity))}: {visible(one.reason)}"
        for one in comparison.ledger.ignored
    ]


def _not_compared(comparison: Comparison, names: ShortNames) -> list[str]:
    return [
        f"{_named(identities, names)}: {visible(what)}"
        + (f"; renamed to {visible(names.label(guess))}?" if guess else "")
        for identities, what, guess in not_compared_by_reason(comparison)
    ]


def _differences(comparison: Comparison) -> list[str]:
    return [
        f"{d.what}: {visible(d.base) or 'none'} in base, {visible(d.head) or 'none'} in head, "
        f"{difference_sentence(d)}"
        for d in comparison.differences
    ]


def _notes(comparison: Comparison, names: ShortNames) -> list[str]:
    lines = [visible(names.words(remark)) for remark in comparison.remarks]
    for text, identities in notes_by_text(comparison):
        named = _named(identities, names)
        lines.append(
            f"{count(len(identities), 'benchmark')}: {visible(names.words(text))} ({named})"
        )
    return lines


def _named(identities: Sequence[Identity], names: ShortNames) -> str:
    named = ", ".join(visible(names.label(identity)) for identity in identities[:_NAMED])
    more = len(identities) - _NAMED
    return f"{named} and {more:,} more" if more > 0 else named

"""The terminal says what the comment says, plainly where nobody sees colours."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from steady.compare import Comparison, Ledger
from steady.model import Identity
from steady.optimize.suite_plan import Plan
from steady.report.terminal import print_comparison, print_table, terminal

MakeComparison = Callable[..., Comparison]


def test_each_heading_is_explained_where_it_stands(make_comparison: MakeComparison) -> None:
    changed, same = make_comparison(1), make_comparison(unchanged=1)
    sizes = "Detectable: the smallest change that these results could show."
    assert f"\nRuns: forks × iterations. {sizes}\n" in terminal(changed, width=200)
    assert "\nRuns: forks × iterations.\n" in terminal(same, width=200)
    assert "Runs:" not in terminal(changed, width=60)


def test_what_the_heading_says_is_not_said_again(make_comparison: MakeComparison) -> None:
    none, some = (make_comparison(unclear=3, unchanged=many) for many in (0, 2))
    first, *_ = terminal(none, width=200).replace("\u00a0", " ").splitlines()
    assert first == "No change found, but 3 of 3 benchmarks were too noisy to tell."
    first, *_ = terminal(some, width=200).replace("\u00a0", " ").splitlines()
    assert first == "No change found, but 3 of 5 benchmarks were too noisy to tell."


def test_the_same_content_as_the_comment(eventful: Comparison, plan: Plan) -> None:
    text = terminal(eventful, plan, width=160).replace("\u00a0", " ")
    assert text.startswith("2 of 4 benchmarks became slower, by up to 42.0 %")
    for part in (
        r"A\.slow +\+42\.0 % \(slower\) +100\.0 ns/op +142\.0 ns/op +3 × 10 +3\.0 %\n",
        r" +\+40\.0 % to \+44\.0 %\n",
        r"B\.broken: failed in head: OutOfMemoryError \| x",
        r"removed or renamed: only in base; renamed to B\.newName\?",
        r"CPU: EPYC 7763 in base, Xeon 8370C in head, in 4 benchmarks",
        r"1 benchmark: only 2 of 3 forks of head left a result \(A\.slow\)",
        r"1 unchanged",
        r"Planned run: 23 min 00 s instead of 40 min 00 s",
        r"All names begin with org\.example, which",
        r"Rule moderated-t, confidence 99 %",
    ):
        assert re.search(part, text), part


@pytest.mark.parametrize("width", [60, 80, 200])
def test_lines_are_no_wider_than_the_terminal_and_plain(eventful: Comparison, width: int) -> None:
    text = terminal(eventful, width=width)
    assert "\x1b" not in text
    assert all(line == line.rstrip() and len(line) <= width for line in text.splitlines())


WIDTHS = (60, 80, 100, 160)
NAMES = ("NumericBenchmark.editDistance", "CollectionBenchmark.countWords [size=1000]")


@pytest.fixture
def long_names(make_comparison: MakeComparison) -> Comparison:
    """Return changes and an unclear one, of names that leave little room."""
    found = make_comparison(regressions=2, unclear=1)
    names = (*NAMES, "TokenBenchmark.signRequests")
    changes = tuple(
        replace(change, identity=Identity(f"dev.steady.demo.{name}"))
        for change, name in zip(found.changes, names, strict=True)
    )
    return replace(found, changes=changes, ledger=Ledger(tuple(c.identity for c in changes)))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_name_comes_first_and_is_whole_or_on_two_lines(
    long_names: Comparison, width: int
) -> None:
    lines = terminal(long_names, width=width).replace("\u00a0", " ").splitlines()
    assert max(map(len, lines)) <= width
    for name in (*NAMES, "TokenBenchmark.signRequests"):
        first, *others = re.findall(r"[^. ]+\.?", name)
        place = next(i for i, line in enumerate(lines) if line.strip().startswith(first))
        block = lines[place : place + 3]
        assert all(any(word in line for line in block) for word in others)
        assert any("%" in line for line in block)
        assert any(" % to " in line for line in block)


def test_in_a_terminal_that_is_too_narrow_lines_run_on(long_names: Comparison) -> None:
    text = terminal(long_names, width=30).replace("\u00a0", " ")
    row = r"\n NumericBenchmark\. +\S+ % \(slower\)\n editDistance +\S+ % to \S+ %\n"
    assert re.search(row, text)


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (60, "benchmark change"),
        (80, "benchmark change base head"),
        (92, "benchmark change base head detectable"),
        (100, "benchmark change base head runs detectable"),
        (160, "benchmark change base head runs detectable"),
    ],
)
def test_a_table_leaves_out_what_a_terminal_has_no_room_for(
    long_names: Comparison, width: int, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    file = io.StringIO()
    print_comparison(long_names, console=Console(file=file, width=width, color_system=None))
    text = file.getvalue()
    headings = [line.split() for line in text.splitlines() if line.startswith(" benchmark")]
    assert headings[0] == columns.split()
    assert ("Runs: forks" in text) == any("runs" in heading for heading in headings)


def test_what_is_excluded_stands_beside_an_unclear_change(long_names: Comparison) -> None:
    for width in WIDTHS:
        text = terminal(long_names, width=width).replace("\u00a0", " ")
        assert re.search(r"\n benchmark .*at most\n", text), width


def test_a_number_stands_on_the_line_of_its_percent_sign(eventful: Comparison) -> None:
    for width in range(40, 80):
        lines = terminal(eventful, width=width).splitlines()
        assert not any(line.lstrip().startswith("%") for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
def test_other_tables_begin_with_the_name_too(width: int) -> None:
    file = io.StringIO()
    rows = [("5 × 40", "3 of 5", "no: fork 4", "org.example.NumericBenchmark.editDistance")]
    columns = ("forks", "steady", "forks agree", "benchmark")
    print_table(columns, rows, numbers=3, console=Console(file=file, width=width))
    text = file.getvalue()
    assert max(map(len, text.splitlines())) <= max(width, 65)
    assert text.index("NumericBenchmark.") < text.index("5 × 40")
    assert all(cell in text for cell in (*rows[0][:3], "NumericBenchmark.", "editDistance"))


def test_colours_only_where_they_are_asked_for(eventful: Comparison) -> None:
    assert "\x1b[" in terminal(eventful, color=True)


def test_console_decides_about_colours() -> None:
    comparison = Comparison((), Ledger(()))
    for is_terminal in (True, False):
        file = io.StringIO()
        console = Console(
            file=file, force_terminal=is_terminal, color_system="standard" if is_terminal else None
        )
        print_comparison(comparison, console=console)
        assert ("\x1b[" in file.getvalue()) == is_terminal
        assert "so this is not a pass" in file.getvalue()


def test_hostile_text_is_written_out_and_starts_no_command(hostile: Comparison) -> None:
    text = terminal(hostile, width=60)
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    assert "[b]" not in terminal(hostile, color=True)


def test_markup_of_the_terminal_library_is_text() -> None:
    file = io.StringIO()
    print_table(["a", "b"], [["[red]x[/red]", "1\n2"]], console=Console(file=file, width=60))
    assert "[red]x[/red]" in file.getvalue()
    assert r"1\n2" in file.getvalue()


def test_without_a_terminal_no_line_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    name = "com.example." + "LongNameOfAClass." * 20 + "method"
    print_table(("seconds", "benchmark"), [("1", name)], numbers=1)
    assert name in capsys.readouterr().out

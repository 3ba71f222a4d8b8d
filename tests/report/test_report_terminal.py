"""The report on a terminal: layout, colours and escaping."""

import io
import re
import time
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType
from rich.table import Table

from steady.compare import Comparison
from steady.model import Identity
from steady.report.content import content
from steady.report.terminal import output_console, print_report, print_table
from steady.report.terminal_table import WholeWords, narrowest
from tests.looped import looped
from tests.report.from_comparison import terminal
from tests.report.made import counted, eventful, hostile, of, unlike

WIDTHS = (60, 80, 100, 160)
NAMES = ("NumericBenchmark.editDistance", "CollectionBenchmark.countWords [size=1000]")


def long_names() -> Comparison:
    """Return two changes and an unclear benchmark with long names."""
    names = (f"dev.steady.demo.{name}" for name in (*NAMES, "TokenBenchmark.signRequests"))
    found = zip(names, counted(regressions=2, unclear=1).changes, strict=True)
    return of(*(replace(one, identity=Identity(name)) for name, one in found))


@pytest.mark.parametrize("width", [60, 80, 200])
def test_lines_are_no_wider_than_the_terminal_and_plain(width: int) -> None:
    text = terminal(eventful(), width=width)
    assert "\x1b" not in text
    assert all(line == line.rstrip() and len(line) <= width for line in text.splitlines())
    assert "\x1b[" in terminal(eventful(), width=width, color=True)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_name_is_the_first_column_on_at_most_two_lines(width: int) -> None:
    lines = terminal(long_names(), width=width).replace("\u00a0", " ").splitlines()
    assert max(map(len, lines)) <= width
    for name in (*NAMES, "TokenBenchmark.signRequests"):
        first, *others = re.findall(r"[^. ]+\.?", name)
        place = next(i for i, line in enumerate(lines) if line.strip().startswith(first))
        block = lines[place : place + 3]
        assert all(any(word in line for line in block) for word in others)
        assert any("%" in line for line in block)
        assert any(" % to " in line for line in block)
    # An unclear change has its upper bound in the same table.
    assert any(re.fullmatch(r" benchmark .*at most", line) for line in lines)


def test_lines_overflow_a_terminal_that_is_too_narrow() -> None:
    text = terminal(long_names(), width=30).replace("\u00a0", " ")
    row = r"\n NumericBenchmark\. +\S+ % \(slower\)\n editDistance +\S+ % to \S+ %\n"
    assert re.search(row, text)


@looped(
    ("width", "columns"),
    [
        (60, "benchmark change"),
        (80, "benchmark change base head"),
        (92, "benchmark change base head detectable"),
        (100, "benchmark change base head runs detectable"),
        (160, "benchmark change base head runs detectable"),
    ],
)
def test_columns_that_do_not_fit_are_omitted(width: int, columns: str) -> None:
    file = io.StringIO()
    console = Console(file=file, width=width, color_system=None, _environ={})
    print_report(content(long_names()), console)
    text = file.getvalue()
    headings = [line.split() for line in text.splitlines() if line.startswith(" benchmark")]
    assert headings[0] == columns.split()
    assert ("Runs: forks" in text) == any("runs" in heading for heading in headings)


def test_a_number_and_its_percent_sign_are_on_one_line() -> None:
    for width in range(40, 80, 3):
        lines = terminal(eventful(), width=width).splitlines()
        assert not any(line.lstrip().startswith("%") for line in lines)


def test_a_shared_reason_is_given_once() -> None:
    reason = "base ran iterations of 1 s without warm-up, head iterations of 2 s without warm-up"
    text = " ".join(terminal(unlike(reason)).split())
    assert text.count(reason) == 1
    assert "and 37 more" in text


@pytest.mark.parametrize("width", WIDTHS)
def test_other_tables_begin_with_the_name(width: int) -> None:
    file = io.StringIO()
    rows = [("5 × 40", "3 of 5", "no: fork 4", "org.example.NumericBenchmark.editDistance")]
    columns = ("forks", "steady", "forks agree", "benchmark")
    print_table(columns, rows, numbers=3, console=Console(file=file, width=width))
    text = file.getvalue()
    assert max(map(len, text.splitlines())) <= max(width, 65)
    assert text.index("NumericBenchmark.") < text.index("5 × 40")
    assert all(cell in text for cell in (*rows[0][:3], "NumericBenchmark.", "editDistance"))


@looped("is_terminal", [True, False])
def test_colours_depend_on_the_console(is_terminal: bool) -> None:
    file = io.StringIO()
    console = Console(
        file=file, force_terminal=is_terminal, color_system="standard" if is_terminal else None
    )
    print_report(content(counted()), console)
    assert ("\x1b[" in file.getvalue()) == is_terminal
    assert "so this is not a pass" in file.getvalue()


def test_hostile_text_is_escaped_and_starts_no_command() -> None:
    text = terminal(hostile(), width=60)
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    assert "[b]" not in terminal(hostile(), color=True)
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
    monkeypatch.setenv("COLUMNS", "40")  # an explicit width is used
    assert output_console().width == 40


NAME = "org.jctools.jmh.throughput.QueueThroughputBackoffNone [qCapacity=132000, qType=Mpsc]"


def written(text: RenderableType, width: int) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=width, _environ={}).print(text)
    return [line.rstrip() for line in file.getvalue().splitlines()]


@looped("width", range(30, 90, 7))
def test_a_name_is_broken_only_at_dots_and_spaces(width: int) -> None:
    lines = written(WholeWords(NAME), width)
    assert max(map(len, lines)) <= width
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", NAME)
    assert all(re.search(r"[./,_]$|\w$|\]$", line) for line in lines)
    assert not any(line.endswith("QueueThroughput") for line in lines)


def test_a_name_is_whole_if_it_fits_and_complete_otherwise() -> None:
    assert written(WholeWords(NAME), 200) == [NAME]
    assert "".join(written(WholeWords("x" * 100), 30)) == "x" * 100
    # A column is never narrower than its longest word.
    table = Table(box=None)
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_row("123", WholeWords(NAME))
    assert "QueueThroughputBackoffNone" in "\n".join(written(table, 40))


@looped("text", ["NumericBenchmark.editDistance", "a b c", "a.b [n=1] (thrpt)", "a"])
def test_the_narrowest_column_takes_a_text_on_two_lines(text: str) -> None:
    width = narrowest(text)
    assert len(written(WholeWords(text), width)) <= 2
    assert max(map(len, re.split(r"[. ]", text))) <= width


def test_the_width_of_very_long_names_is_computed_quickly() -> None:
    began = time.process_time()
    for index in range(200):
        narrowest(f"{'a.' * 500}{index}")
    assert time.process_time() - began < 1

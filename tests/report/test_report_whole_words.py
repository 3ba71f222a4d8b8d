"""Names and sentences in a table are broken between words."""

import io
import re
import time

import pytest
from rich.console import Console
from rich.table import Table

from steady.report.whole_words import WholeWords, narrowest
from tests.looped import looped

NAME = "org.jctools.jmh.throughput.QueueThroughputBackoffNone [qCapacity=132000, qType=Mpsc]"


def written(text: str, width: int) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=width, _environ={}).print(WholeWords(text))
    return [line.rstrip() for line in file.getvalue().splitlines()]


@looped("width", range(30, 90, 7))
def test_a_name_is_broken_at_its_dots_and_spaces_only(width: int) -> None:
    lines = written(NAME, width)
    assert max(map(len, lines)) <= width
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", NAME)
    assert all(re.search(r"[./,_]$|\w$|\]$", line) for line in lines)
    assert not any(line.endswith("QueueThroughput") for line in lines)


def test_a_word_wider_than_the_column_loses_nothing() -> None:
    assert "".join(written("x" * 100, 30)) == "x" * 100


def test_a_column_is_never_narrower_than_its_longest_word() -> None:
    file = io.StringIO()
    table = Table(box=None)
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_row("123", WholeWords(NAME))
    Console(file=file, width=40, _environ={}).print(table)
    assert "QueueThroughputBackoffNone" in file.getvalue()


def test_the_whole_stands_on_one_line_where_there_is_room() -> None:
    assert written(NAME, 200) == [NAME]


@pytest.mark.parametrize(
    "text", ["NumericBenchmark.editDistance", "a b c", "a.b [n=1] (thrpt)", "a"]
)
def test_the_narrowest_column_takes_a_text_on_two_lines(text: str) -> None:
    def lines(width: int) -> int:
        file = io.StringIO()
        Console(file=file, width=width).print(WholeWords(text))
        return len(file.getvalue().splitlines())

    width = narrowest(text)
    assert lines(width) <= 2
    assert max(map(len, re.split(r"[. ]", text))) <= width


def test_the_width_of_very_long_names_is_found_soon() -> None:
    began = time.process_time()
    for index in range(1000):
        narrowest(f"{'a.' * 500}{index}")
    assert time.process_time() - began < 5

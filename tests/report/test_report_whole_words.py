"""Names and sentences in a table are broken between words."""

import io
import re

from rich.console import Console
from rich.table import Table

from steady.report.terminal_cells import WholeWords
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

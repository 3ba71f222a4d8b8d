import pytest
from hypothesis import given
from hypothesis import strategies as st
from jmh_forks import LINE

from steady.harness.jmh.configure.benchmark_list import (
    FIELDS,
    BenchmarkListEntry,
    UnknownFormatError,
    decode,
    encode,
)
from steady.harness.jmh.time_value import TimeValue
from tests.looped import looped

# Lines that the annotation processors of JMH 1.37 and 1.21 wrote for benchmarks like those in
# project/; PLAIN has what nobody annotated, `jmh_forks.LINE` the rest.
PLAIN = (
    "JMH S 9 lab.Lab.A S 41 lab.jmh_generated.Lab_A_inherited_jmhTest S 9 inherited "
    "S 10 Throughput E A 1 1 1 E E E E E E E E E E E E E E E E E "
)
OLD_LINE = LINE.replace(
    "8 xAA===== 8 yAA===== 4 text 3 8 hBALAIGA 8 jBA===== 8 pDAIAgHA",
    "1 1 1 2 4 text 3 3 a,b 1 c 3 é x",
)
GROUP = (
    "JMH S 7 lab.Lab S 34 lab.jmh_generated.Lab_pair_jmhTest S 4 pair S 3 All E "
    "A 2 1 2 1 1 L 2 6 reader 6 writer E E E E E E E E E E E E E E E E "
)
VALUES = [{"n": n, "text": text} for n in "12" for text in ("a,b", "c", "é x")]


@looped("line", [PLAIN, LINE, OLD_LINE, GROUP])
def test_records_round_trip(line: str) -> None:
    record = BenchmarkListEntry.parse(line)
    assert str(record) == line
    assert len(record.fields) == len(FIELDS) == 23


def test_fields_of_a_record() -> None:
    plain, full, pair = map(BenchmarkListEntry.parse, (PLAIN, LINE, GROUP))
    assert (plain.name, plain.mode, plain.threads) == ("lab.Lab.A.inherited", "thrpt", 1)
    assert (full.name, full.mode, full.threads) == ("lab.Lab.params", "avgt", 2)
    assert (pair.name, pair.mode, pair.threads) == ("lab.Lab.pair", "all", 3)


@looped(
    ("threads", "groups", "expected"),
    [
        ("E", "A 1 1 1", 1),
        ("I 1 4", "A 1 1 1", 4),
        ("I 1 4", "A 2 1 2 1 1", 6),
        ("I 2 -1", "A 1 1 1", None),
    ],
)
def test_threads_are_rounded_up_to_whole_groups(
    threads: str, groups: str, expected: int | None
) -> None:
    line = PLAIN.replace("E A 1 1 1", f"{threads} {groups}")
    assert BenchmarkListEntry.parse(line).threads == expected


@looped("line", [LINE, OLD_LINE])
def test_parameter_values_with_and_without_armour(line: str) -> None:
    record = BenchmarkListEntry.parse(line)
    assert record.runs_exactly(VALUES)
    assert record.runs_exactly(VALUES[::-1])
    assert not record.runs_exactly(VALUES[:-1])
    assert not record.runs_exactly([*VALUES[:-1], {"n": "2", "text": "d"}])
    assert not record.runs_exactly([{}])
    assert BenchmarkListEntry.parse(PLAIN).runs_exactly([{}])


@looped(
    ("values", "read"),
    [
        ("k 1 8 hBALAIGA", ["a,b", "hBALAIGA"]),  # ambiguous: armoured or not
        ("k 1 2 🙂", ["🙂"]),  # lengths count UTF-16 code units
    ],
)
def test_ambiguous_parameter_values(values: str, read: list[str]) -> None:
    line = f"{PLAIN[:-8]}M 1 1 {values} E E E "
    record = BenchmarkListEntry.parse(line)
    assert str(record) == line
    assert all(record.runs_exactly([{"k": value}]) for value in read)


def test_only_planned_fields_change() -> None:
    edited = (
        BenchmarkListEntry.parse(LINE)
        .with_iterations("warmup", 12, TimeValue(1, "s"), 3)
        .with_iterations("measurement", 100, None, 1)
        .with_forks(10)
    )
    assert str(edited) == LINE.replace(
        "I 1 1 T 5 10 ms E I 1 1 T 5 10 ms I 1 2 I 1 1",
        "I 2 12 T 3 1 s I 1 3 I 3 100 T 5 10 ms I 1 1 I 2 10",
    )
    assert str(BenchmarkListEntry.parse(str(edited))) == str(edited)


@looped(
    ("line", "message"),
    [
        ("", "does not begin with 'JMH '"),
        ("lab.Lab.params", "does not begin with 'JMH '"),
        (PLAIN + "E ", "more than 23 fields"),
        (LINE.replace("I 1 2 A", "I 1 x A"), "is not a whole number"),
        (LINE.replace("I 1 2 A", "I 0  A"), "is not a whole number"),
        (LINE.replace("A 1 1 1", "A 1 1 x"), "is not a whole number"),
        (LINE.replace("A 1 1 1", "A 1 1 ²"), "is not a whole number"),
        (PLAIN[:-2], "the text at its character"),
        (PLAIN.replace("S 10 Throughput", "I 10 Throughput"), r"field 4 \(mode\) is of kind 'I'"),
        (PLAIN.replace("S 10 Throughput", "E"), r"field 4 \(mode\) is of kind 'E'"),
        (PLAIN.replace("S 10 Throughput", "S 11 Throughput"), "does not end"),
        (PLAIN.replace("S 10 Throughput", "S x Throughput"), "no length"),
        (PLAIN.replace("S 10 Throughput", "S 99999999999 Throughput"), "no length"),
    ],
)
def test_unknown_formats_are_rejected(line: str, message: str) -> None:
    with pytest.raises(UnknownFormatError, match=message):
        BenchmarkListEntry.parse(line)


@given(st.data())
def test_damaged_lines_are_rejected_or_round_trip(data: st.DataObject) -> None:
    line = data.draw(st.sampled_from([PLAIN, LINE, OLD_LINE, GROUP]))
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    damaged = line[:start] + data.draw(st.text("EISTLAMU 0129=x", max_size=5)) + line[end:]
    try:
        record = BenchmarkListEntry.parse(damaged)
    except UnknownFormatError:
        return
    assert str(record).rstrip() == damaged.rstrip()


def test_armour_equals_that_of_jmh_1_37() -> None:
    for text, armoured in (
        *(("1", "xAA====="), ("2", "yAA====="), ("c", "jBA====="), ("a,b", "hBALAIGA")),
        *(("é x", "pDAIAgHA"), ("", "")),
    ):
        assert encode(text) == armoured
        assert decode(armoured) == text
    for plain in ("1", "100", "ABCDEFG", "ABCDEFG=", "========", "xAA=====x"):
        assert decode(plain) is None


@given(st.text(st.characters(exclude_categories=[])), st.text("ABCabc012+/= ,", max_size=20))
def test_only_armoured_text_is_decoded(text: str, other: str) -> None:
    assert decode(encode(text)) == text
    decoded = decode(other)
    assert decoded is None or encode(decoded) == other

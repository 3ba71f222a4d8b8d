"""Selection by `--only`, and the few Go processes that it needs."""

import pytest

from steady.errors import InputError
from steady.harness.go.bench_pattern import patterns
from steady.harness.only import Only
from steady.model import Identity
from tests.looped import looped

LOOP = "example.com/zap.BenchmarkLoop"
TOPS = {
    "example.com/json": ("BenchmarkUnmarshal", "BenchmarkUnmarshalString", "BenchmarkSlow"),
    "example.com/zap": ("BenchmarkLoop", "BenchmarkZapJSON"),
}


@looped(
    ("text", "name", "wanted"),
    [
        ("BenchmarkLoop$", LOOP, True),
        ("BenchmarkLoop$", f"{LOOP}/in=3", True),  # as go test -bench does
        ("^BenchmarkLoop$", LOOP, True),
        (r"\(2 processors\)", LOOP, True),
        ("^Benchmark/^in=3$", f"{LOOP}/in=3/deep", True),
        ("Typo|Loop", LOOP, True),
        ("(?i)typo|LOOP", LOOP, True),
        ("[|]|Loop", LOOP, True),
        ("^Loop", LOOP, False),
        ("BenchmarkLoop/x", LOOP, False),
        ("Loop$/^x$", LOOP, False),
        (r"Loop \(4 processors\)", LOOP, False),
    ],
)
def test_a_name_is_asked_for(text: str, name: str, *, wanted: bool) -> None:
    assert Only(text).wants(Identity(name, threads=2)) == wanted


@looped(
    ("text", "lost"),
    [
        ("Loop|Slow", ()),
        ("Loop|Typo|Slow|Tpyo", ("Typo", "Tpyo")),
        ("Benchmark(Loop|Typo)$", ("Benchmark(Typo)$",)),
        (r"(S|T)\1?low", (r"(T)\1?low",)),
        (r"(mark\(Loop|markSlow)", ()),  # the first group is not the one that looks like it
        ("(?i)loop|typo", ("(?i)typo",)),
        (r"(L)oop|\1", ()),  # only together do they say anything
    ],
)
def test_the_alternatives_that_nothing_matches_are_known(text: str, lost: tuple[str, ...]) -> None:
    names = (LOOP, "example.com/json.BenchmarkSlow")
    assert Only(text).unmatched(map(Identity, names)) == lost


def test_an_invalid_expression_is_one_sentence() -> None:
    with pytest.raises(InputError, match=r"'\(' is not a regular expression"):
        Only("(")


@looped(
    ("text", "expected"),
    [
        ("Unmarshal", ["^BenchmarkUnmarshal$", "^BenchmarkUnmarshalString$"]),
        ("^BenchmarkUnmarshal$", ["^BenchmarkUnmarshal$"]),
        ("json.BenchmarkUnmarshal/small$", ["^BenchmarkUnmarshal$/small$"]),
        ("example.com/json.BenchmarkSlow/a/b=1", ["^BenchmarkSlow$/a/b=1"]),
        ("BenchmarkSlow/a.*b", ["^BenchmarkSlow$"]),
        ("BenchmarkSlow/(a|b)", ["^BenchmarkSlow$"]),
        ("Slow/a", ["^BenchmarkSlow$"]),
        ("BenchmarkSl.*small", ["^BenchmarkSlow$"]),
        ("Loop|Slow", ["^BenchmarkSlow$", "^BenchmarkLoop$"]),
        ("BenchmarkSlow/a|BenchmarkSlow/b", ["^BenchmarkSlow$"]),
        (r"Loop \(2 processors\)", ["^BenchmarkLoop$"]),
        ("BenchmarkTypo", []),
        ("zap", ["^BenchmarkLoop$", "^BenchmarkZapJSON$"]),
    ],
)
def test_only_binaries_that_may_contain_it_are_run(text: str, expected: list[str]) -> None:
    assert list(patterns(Only(text), TOPS, 2).values()) == expected


@looped("text", ["size=10", "/small", "."])
def test_a_possible_sub_benchmark_of_any_is_searched_in_all(text: str) -> None:
    assert len(patterns(Only(text), TOPS, 2)) == 5

"""What a pattern means: stars, labels, packages left out, and nothing else."""

from __future__ import annotations

import re
import time

from hypothesis import given
from hypothesis import strategies as st

from steady.model import Identity
from steady.settings import matches

GET = Identity("org.example.Bench.get")
SIZED = Identity("org.example.Bench.get", "thrpt", (("n", "10"), ("file", "a.json")), 4)


MEANT = "org.example.Bench.get example.Bench.get Bench.get get * ** Bench.* org.*.get B*h.g*t *get"
OTHERS = """ench.get Bench bench.get Bench.get2 B?nch.get Bench.[g]et Bench.ge[t] (Bench|X).get
    Bench.get.* *getget org.example.Bench.get*t"""


def test_it_means_the_benchmark_with_and_without_parameters() -> None:
    for pattern in MEANT.split():
        assert matches(pattern, GET), pattern
        assert matches(pattern, SIZED), pattern
    for pattern in (*OTHERS.split(), "", " Bench.get"):
        assert not matches(pattern, GET), pattern


def test_the_label_tells_parameters_mode_and_threads_apart() -> None:
    label = "Bench.get [n=10, file=a.json] (thrpt, 4 threads)"
    assert matches(label, SIZED)
    assert matches("Bench.get [n=10,*", SIZED)
    assert matches("*(thrpt, 4 threads)", SIZED)
    assert not matches("Bench.get [n=1*(avgt)", SIZED)
    # A dot in a parameter ends no package.
    assert not matches("json] (thrpt, 4 threads)", SIZED)


def test_a_dot_in_the_cases_of_go_begins_nothing() -> None:
    one = Identity("example.com/shop/text.v2.BenchmarkWords/ratio=1.5/a.b", threads=8)
    for pattern in ("5/a.b", "b", "5*", "*.b (8 processors)*x", "5/a.b (8 processors)"):
        assert not matches(pattern, one)
    for pattern in (
        "BenchmarkWords/ratio=1.5/a.b",
        "v2.BenchmarkWords/*",
        "com/shop/text.v2.BenchmarkWords*",
        "BenchmarkWords/ratio=1.5/a.b (8 processors)",
        "*1.5/a.b",
    ):
        assert matches(pattern, one)


NAMES = st.text("abA.*[", min_size=1, max_size=12)


@given(NAMES, NAMES)
def test_it_is_what_a_regular_expression_would_say(pattern: str, name: str) -> None:
    expression = ".*".join(map(re.escape, pattern.split("*")))
    tails = [name, *(name[i + 1 :] for i, c in enumerate(name) if c == ".")]
    expected = any(re.fullmatch(expression, tail, re.DOTALL) for tail in tails)
    assert matches(pattern, Identity(name)) == expected


def test_no_pattern_takes_long() -> None:
    hostile = Identity("a" * 5_000)
    started = time.process_time()
    assert not matches("*a" * 250 + "*b", Identity("a" * 5_000 + "b" + "c"))
    assert matches("*a" * 250, hostile)
    assert time.process_time() - started < 5  # by tries of all ways it never ends

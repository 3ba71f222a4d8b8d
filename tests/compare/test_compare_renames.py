"""A lost benchmark and a new one of a like name look like a rename."""

from __future__ import annotations

import time

from steady.compare.ledger_filling import find_renames
from steady.model import Identity


def test_a_moved_class_is_guessed_and_the_likelier_name_wins() -> None:
    old = Identity("org.example.codec.JsonBenchmark.parse")
    near, far = Identity("org.example.json.JsonBenchmark.parse"), Identity("com.z.Q.parse")
    assert find_renames([old], [far, near]) == [(old, near)]


def test_other_parameters_or_mode_are_no_rename() -> None:
    old = Identity("Bench.parse", params=(("n", "1"),))
    others = [Identity("Bench.parse2", params=(("n", "2"),)), Identity("Bench.parse2", "thrpt")]
    assert find_renames([old], others) == []


def test_each_name_is_guessed_once() -> None:
    lost = [Identity("Bench.parseOne"), Identity("Bench.parseTwo")]
    assert find_renames(lost, [Identity("Bench.parseOneX")]) == [
        (lost[0], Identity("Bench.parseOneX"))
    ]


def test_many_lost_and_new_benchmarks_cost_little() -> None:
    lost = [Identity(f"org.Bench.before{i}" + "x" * 2000) for i in range(3000)]
    new = [Identity(f"org.Bench.after{i}" + "x" * 2000) for i in range(3000)]
    start = time.process_time()
    find_renames(lost, new)
    assert time.process_time() - start < 10


def test_other_cases_of_a_benchmark_of_go_are_no_rename() -> None:
    old, new = (Identity(f"codec.BenchmarkDecode/ratio={ratio}") for ratio in (1.5, 2.5))
    assert find_renames([old], [new]) == []
    moved = Identity("codec/v2.BenchmarkDecode/ratio=1.5")
    assert find_renames([old], [new, moved]) == [(old, moved)]

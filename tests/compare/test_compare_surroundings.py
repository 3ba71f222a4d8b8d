"""Where base and head ran, side by side."""

from __future__ import annotations

from steady.compare.surroundings import Difference, find_differences
from steady.model import Environment

BASE = Environment("EPYC", "Linux 6.8", "21.0.5", "OpenJDK 21.0.5+11", ("-Xmx1g",))


def test_the_same_surroundings_are_no_difference() -> None:
    assert find_differences([(BASE, BASE)] * 3) == ()


def test_every_kind_is_told_with_the_number_of_benchmarks() -> None:
    head = Environment("Xeon", "Linux 6.9", "22", "OpenJDK 22", ())
    assert find_differences([(BASE, head), (BASE, head), (BASE, BASE)]) == (
        Difference("CPU", "EPYC", "Xeon", 2),
        Difference("operating system", "Linux 6.8", "Linux 6.9", 2),
        Difference("JDK", "21.0.5", "22", 2),
        Difference("JVM", "OpenJDK 21.0.5+11", "OpenJDK 22", 2),
        Difference("JVM arguments", "-Xmx1g", "", 2),
    )


def test_what_touches_most_benchmarks_comes_first() -> None:
    one, two = Environment(cpu="Xeon 1"), Environment(cpu="Xeon 2")
    found = find_differences([(BASE, one), (BASE, two), (BASE, two)])
    assert [(d.head, d.benchmarks) for d in found] == [("Xeon 2", 2), ("Xeon 1", 1)]


def test_what_a_harness_did_not_say_is_no_difference() -> None:
    assert find_differences([(BASE, Environment()), (Environment(), BASE)]) == ()


def test_no_arguments_are_a_difference_where_the_harness_tells_them() -> None:
    found = find_differences([(Environment(jdk="21", jvm_args=("-Xss1m",)), Environment(jdk="21"))])
    assert found == (Difference("JVM arguments", "-Xss1m", "", 1),)

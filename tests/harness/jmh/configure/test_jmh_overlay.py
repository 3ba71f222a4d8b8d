from dataclasses import replace

import pytest

from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry, UnknownFormatError
from steady.harness.jmh.configure.plan_rendering import make_overlay
from steady.model import ExecutionConfiguration
from steady.plan.suite_plan import BenchmarkPlan
from tests.harness.planned import planned
from tests.looped import looped

LARGE = ExecutionConfiguration(5, 20, 30, 1.0, 2.0)


def line(name: str, mode: str = "AverageTime", threads: str = "E", params: str = "E") -> str:
    owner, _, method = name.rpartition(".")
    return (
        f"JMH S {len(owner)} {owner} S 1 g S {len(method)} {method} S {len(mode)} {mode} "
        f"{threads} A 1 1 1 E E E E E E E E E E E E E {params} E E E "
    )


def listed(*lines: str) -> bytes:
    return "".join(f"{one}\n" for one in lines).encode()


NUMBERS = "M 1 1 n 2 1 1 1 2"


def test_each_method_gets_its_own_configuration() -> None:
    plans = [planned("p.B.a"), planned("p.B.b", LARGE)]
    overlay = make_overlay(plans, listed(line("p.B.a"), line("p.B.b"), line("p.B.unplanned")))
    first, second, third = overlay.content.decode().splitlines()
    assert "E I 1 2 T 6 100 ms I 1 1 I 1 3 T 6 200 ms I 1 1 I 1 1 E" in first
    assert "E I 2 20 T 3 1 s I 1 1 I 2 30 T 3 2 s I 1 1 I 1 5 E" in second
    assert third == line("p.B.unplanned")
    assert overlay.names == ("p.B.a", "p.B.b")
    assert overlay.served == {plan.identity for plan in plans}
    assert overlay.unlisted == ()


def test_single_shot_iterations_keep_their_time() -> None:
    once = ExecutionConfiguration(1, 2, 3, 0.0, 0.0, 4, 5)
    overlay = make_overlay([planned("p.B.a", once, "ss")], listed(line("p.B.a", "SingleShotTime")))
    assert "E I 1 2 E I 1 4 I 1 3 E I 1 5 I 1 1 E" in overlay.content.decode()


A, A_IN_LARGE = planned("p.B.a"), planned("p.B.a", LARGE, n="2")
OF_NUMBERS = line("p.B.a", params=NUMBERS)
LEFT_TO_GROUPS = {
    "values with different plans": ([planned("p.B.a", n="1"), A_IN_LARGE], [OF_NUMBERS]),
    "a value without plan": ([planned("p.B.a", n="1")], [OF_NUMBERS]),
    "a value that is not annotated": (
        [planned("p.B.a", n="1"), planned("p.B.a", n="7")],
        [OF_NUMBERS],
    ),
    "a mode without plan, which the same name would run as well": (
        [A],
        [line("p.B.a"), line("p.B.a", "Throughput")],
    ),
    "the mode of all modes": ([A], [line("p.B.a", "All")]),
    "another mode": ([A], [line("p.B.a", "Throughput")]),
    "other threads": ([planned("p.B.a", threads=4)], [line("p.B.a")]),
    "all processors": ([planned("p.B.a", threads=4)], [line("p.B.a", threads="I 2 -1")]),
}


@looped(("plans", "lines"), LEFT_TO_GROUPS.values())
def test_plans_that_one_record_cannot_express_are_not_served(
    plans: list[BenchmarkPlan], lines: list[str]
) -> None:
    overlay = make_overlay(plans, listed(*lines))
    assert (overlay.served, overlay.names) == (frozenset(), ())
    assert overlay.content == listed(*lines)


def test_served_benchmarks() -> None:
    for plans, lines in (
        # All parameter values have one plan.
        ([planned("p.B.a", n="1"), planned("p.B.a", n="2")], [OF_NUMBERS]),
        # JMH uses the first of two equal records.
        ([A], [line("p.B.a"), line("p.B.a", threads="I 1 2")]),
    ):
        assert make_overlay(plans, listed(*lines)).served == {plan.identity for plan in plans}
    # Only the annotated number of threads is served.
    more = planned("p.B.a", LARGE, threads=8)
    overlay = make_overlay([A, more, planned("p.B.gone")], listed(line("p.B.a")))
    assert overlay.served == {A.identity}
    assert overlay.unlisted == ("p.B.gone",)


def test_comments_blank_lines_and_line_endings_are_preserved() -> None:
    content = f"# list\r\n\r\n{line('p.B.x')}\r\n  \n{line('p.B.y')}".encode()
    assert make_overlay([planned("p.B.z")], content).content == content
    edited = make_overlay([planned("p.B.x")], content).content.decode()
    assert edited.split("\r\n")[2].startswith("JMH S 3 p.B ")
    assert edited.endswith(f"\r\n  \n{line('p.B.y')}")
    BenchmarkListEntry.parse(edited.split("\r\n")[2])


@looped(
    ("content", "message"),
    [(b"\xff\n", "not UTF-8"), (listed(line("p.B.a")) + b"JMH 2.0 {}\n", "^line 2: ")],
)
def test_unknown_formats_are_reported(content: bytes, message: str) -> None:
    with pytest.raises(UnknownFormatError, match=message):
        make_overlay([planned("p.B.a")], content)


def test_different_batch_size_is_reported() -> None:
    batches = BenchmarkListEntry.parse(line("p.B.a", "SingleShotTime")).with_iterations(
        "measurement", 5, None, 5000
    )
    content = listed(str(batches), line("p.B.b"))
    once = ExecutionConfiguration(1, 2, 3, 0.0, 0.0)
    overlay = make_overlay([planned("p.B.a", once, "ss"), planned("p.B.b")], content)
    assert overlay.other_batches == ("p.B.a",)
    same = replace(once, batch_size=5000)
    assert make_overlay([planned("p.B.a", same, "ss")], content).other_batches == ()

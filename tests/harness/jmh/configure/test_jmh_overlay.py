from __future__ import annotations

from dataclasses import replace

import pytest

from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry, UnknownFormatError
from steady.harness.jmh.configure.overlay import make_overlay
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import BenchmarkPlan
from tests.looped import looped

SMALL = ExecutionConfiguration(1, 2, 3, 0.1, 0.2)
LARGE = ExecutionConfiguration(5, 20, 30, 1.0, 2.0)


def line(name: str, mode: str = "AverageTime", threads: str = "E", params: str = "E") -> str:
    owner, _, method = name.rpartition(".")
    return (
        f"JMH S {len(owner)} {owner} S 1 g S {len(method)} {method} S {len(mode)} {mode} "
        f"{threads} A 1 1 1 E E E E E E E E E E E E E {params} E E E "
    )


def planned(
    name: str,
    configuration: ExecutionConfiguration = SMALL,
    mode: str = "avgt",
    threads: int = 1,
    **params: str,
) -> BenchmarkPlan:
    identity = Identity(name, mode, tuple(params.items()), threads)
    return BenchmarkPlan(identity, configuration, LARGE, 1.0, 2.0, "reduced", "")


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


def test_all_values_of_parameters_with_one_plan_are_served() -> None:
    plans = [planned("p.B.a", n="1"), planned("p.B.a", n="2")]
    overlay = make_overlay(plans, listed(line("p.B.a", params=NUMBERS)))
    assert overlay.served == {plan.identity for plan in plans}


@pytest.mark.parametrize(
    ("plans", "lines"),
    [
        pytest.param(
            [planned("p.B.a", n="1"), planned("p.B.a", LARGE, n="2")],
            [line("p.B.a", params=NUMBERS)],
            id="values with different plans",
        ),
        pytest.param(
            [planned("p.B.a", n="1")], [line("p.B.a", params=NUMBERS)], id="a value without plan"
        ),
        pytest.param(
            [planned("p.B.a", n="1"), planned("p.B.a", n="7")],
            [line("p.B.a", params=NUMBERS)],
            id="a value that is not annotated",
        ),
        pytest.param(
            [planned("p.B.a")],
            [line("p.B.a"), line("p.B.a", "Throughput")],
            id="a mode without plan, which the same name would run as well",
        ),
        pytest.param([planned("p.B.a")], [line("p.B.a", "All")], id="the mode of all modes"),
        pytest.param([planned("p.B.a")], [line("p.B.a", "Throughput")], id="another mode"),
        pytest.param([planned("p.B.a", threads=4)], [line("p.B.a")], id="other threads"),
        pytest.param(
            [planned("p.B.a", threads=4)], [line("p.B.a", threads="I 2 -1")], id="all processors"
        ),
    ],
)
def test_what_one_record_cannot_say_is_left_to_groups(
    plans: list[BenchmarkPlan], lines: list[str]
) -> None:
    overlay = make_overlay(plans, listed(*lines))
    assert overlay.served == frozenset()
    assert overlay.names == ()
    assert overlay.content == listed(*lines)


def test_of_two_thread_counts_the_annotated_one_is_served() -> None:
    plans = [planned("p.B.a"), planned("p.B.a", LARGE, threads=8)]
    overlay = make_overlay(plans, listed(line("p.B.a")))
    assert overlay.served == {plans[0].identity}


def test_of_two_records_alike_the_first_counts_as_for_jmh() -> None:
    first = line("p.B.a")
    overlay = make_overlay([planned("p.B.a")], listed(first, line("p.B.a", threads="I 1 2")))
    assert overlay.served == {planned("p.B.a").identity}


def test_planned_benchmarks_that_the_jar_lacks_are_named() -> None:
    overlay = make_overlay([planned("p.B.a"), planned("p.B.gone")], listed(line("p.B.a")))
    assert overlay.unlisted == ("p.B.gone",)


def test_comments_blank_lines_and_line_ends_stay() -> None:
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
def test_unknown_formats_are_told(content: bytes, message: str) -> None:
    with pytest.raises(UnknownFormatError, match=message):
        make_overlay([planned("p.B.a")], content)


def test_a_plan_of_another_operation_is_noticed() -> None:
    batches = BenchmarkListEntry.parse(line("p.B.a", "SingleShotTime")).with_iterations(
        "measurement", 5, None, 5000
    )
    content = listed(str(batches), line("p.B.b"))
    once = ExecutionConfiguration(1, 2, 3, 0.0, 0.0)
    overlay = make_overlay([planned("p.B.a", once, "ss"), planned("p.B.b")], content)
    assert overlay.other_batches == ("p.B.a",)
    same = replace(once, batch_size=5000)
    assert make_overlay([planned("p.B.a", same, "ss")], content).other_batches == ()

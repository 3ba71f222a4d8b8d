"""Workflow commands: at most ten of a kind, the worst first, none forged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from steady.action.annotations import SHOWN_PER_KIND, workflow_commands
from steady.compare import Comparison

MakeComparison = Callable[..., Comparison]


def test_every_kind_of_event(eventful: Comparison) -> None:
    lines = workflow_commands(eventful)
    assert lines[0] == (
        "::error title=Benchmark regression::A.slow is slower: +42.0 %25 (+40.0 %25 to +44.0 %25)"
    )
    assert lines[1].startswith("::error title=Benchmark regression::A.throughput is slower: −20.0")
    assert lines[2] == (
        "::warning title=Benchmarks in different surroundings::"
        "Base and head ran in different surroundings (CPU, JVM arguments)."
    )
    assert lines[3] == (
        "::warning title=Benchmark without result::B.broken: failed in head: OutOfMemoryError | x"
    )
    assert [line.partition("::B.")[2].partition(":")[0] for line in lines[3:7]] == [
        "broken", "unit", "lost", "oldName",
    ]  # fmt: skip
    assert lines[7].startswith("::notice title=Benchmark improvement::A.fast is faster")
    assert len(lines) == 8


def test_at_most_ten_of_a_kind_and_the_last_counts_the_rest(
    make_comparison: MakeComparison,
) -> None:
    lines = workflow_commands(make_comparison(25, 10, 3))
    errors = [line for line in lines if line.startswith("::error")]
    assert len(errors) == SHOWN_PER_KIND
    assert "method24 " in errors[0]
    assert errors[-1] == "::error title=Benchmarks::16 more of this kind in the report"
    assert sum(line.startswith("::notice") for line in lines) == 10


def test_regressions_may_be_warnings(make_comparison: MakeComparison) -> None:
    [line] = workflow_commands(make_comparison(1), regressions="warning")
    assert line.startswith("::warning title=Benchmark regression::")


def test_without_a_verdict_there_are_no_regressions(eventful: Comparison) -> None:
    lines = workflow_commands(replace(eventful, comparable=False))
    assert not any("regression" in line or "improvement" in line for line in lines)
    assert lines[0].startswith("::warning title=Benchmarks not comparable::Base and head ran")


def test_nothing_compared_is_a_warning(make_comparison: MakeComparison) -> None:
    assert workflow_commands(make_comparison()) == [
        "::warning title=Benchmarks incomplete::Nothing was compared, so this is not a pass."
    ]
    assert workflow_commands(make_comparison(unchanged=2)) == []


def test_hostile_text_stays_one_printable_command_a_line(hostile: Comparison) -> None:
    lines = workflow_commands(hostile)
    assert len(lines) == 3
    for line in lines:
        assert line.isprintable()
        kind, _, rest = line.removeprefix("::").partition(" title=")
        assert kind in ("error", "warning")
        assert rest.partition("::")[0] in (
            "Benchmark regression",
            "Benchmarks in different surroundings",
            "Benchmark without result",
        )
        assert len(line) < 2000

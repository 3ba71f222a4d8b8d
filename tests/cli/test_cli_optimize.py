"""``steady optimize``: every suggested command, typed as printed, and plans made again."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from written_runs import write_full_run

from steady.model import FloatArray
from steady.optimize import read_plan
from steady.options.kinds import TIME
from steady.options.parser import parse
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand
from tests.cli.shell import Shell, write_values
from tests.looped import looped


def quiet(seed: int, forks: int = 5, iterations: int = 40) -> FloatArray:
    return 1 + 0.005 * np.random.default_rng(seed).standard_normal((forks, iterations))


def warming(seed: int, iterations: int) -> FloatArray:
    """Forks that get four times faster within fifty iterations."""
    falls = np.interp(np.arange(iterations), [0, 50], [4.0, 1.0])
    return quiet(seed, iterations=iterations) * falls


def three(names: str = "abc") -> None:
    """Write full.json with quiet benchmarks of one letter each."""
    write_values("full.json", {name: quiet(seed) for seed, name in enumerate(names)})


@pytest.mark.parametrize(
    ("benchmarks", "budget"),
    [({"a": quiet(1), "b": quiet(2)}, "50"), ({"a": quiet(1), "b": warming(2, 40)}, "300")],
)
def test_a_too_short_time_budget_suggests_a_sufficient_one(
    benchmarks: dict[str, FloatArray], budget: str, shell: Shell
) -> None:
    write_values("full.json", benchmarks)
    ended = shell(f"optimize full.json --out plans --time-budget={budget}")
    assert ended.code == 2
    [command] = ended.commands
    assert "--time-budget" in command
    assert shell(command).code == 0


def test_benchmarks_without_steady_state_get_suggestions(shell: Shell) -> None:
    write_values("full.json", {"a.quiet": quiet(1), "b.warms": warming(2, 40)})
    ended = shell("optimize full.json --budget 20% --jar b.jar")
    assert ended.code == 0
    assert read_plan(".steady/plan.json")["b.warms"].status == "full"
    measure, add, reduce = ended.lines
    assert measure == (
        r"steady run --full 5x80 --jar b.jar --only 'b\.warms' --iteration-seconds 1 --out longer"
    )
    write_values("longer/results.json", {"b.warms": warming(2, 80)})
    ended = shell(add)
    assert (ended.code, ended.lines) == (0, [])
    plan = read_plan(".steady/plan.json")
    assert [entry.status for entry in plan.benchmarks] == ["reduced", "reduced"]
    assert shell(reduce).code == 0
    assert read_plan(".steady/plan.json")["b.warms"].status == "reduced"


STUCK = np.where(np.arange(200).reshape(5, 40) == 83, 0.0, quiet(1))


@looped(
    ("bad", "unit", "asked", "good"),
    [
        (quiet(1, forks=1), "ns/op", "--full 5x40 ", quiet(1)),
        (quiet(1, iterations=6), "ns/op", "--full 5x10 ", quiet(1, iterations=10)),
        # Iterations without an operation get more time.
        (STUCK, "ops/s", "--iteration-seconds 1 ", quiet(1)),
    ],
)
def test_insufficient_benchmarks_can_be_measured_again(
    bad: FloatArray, unit: str, asked: str, good: FloatArray, shell: Shell
) -> None:
    write_values("full.json", {"a": bad}, unit=unit, seconds=0.5)
    ended = shell("optimize full.json")
    assert ended.code == 0
    measure, add = ended.lines
    assert asked in measure
    assert "--only" not in measure
    write_values("longer/results.json", {"a": good}, unit=unit)
    ended = shell(add)
    assert (ended.code, ended.lines) == (0, [])
    assert "too few" not in ended.out


def test_suggested_commands_keep_operands_after_a_flag(shell: Shell) -> None:
    three("a")
    ended = shell("optimize full.json --out plans")
    assert (ended.code, ended.lines) == (0, []), "every benchmark has a plan"
    ended = shell("optimize --update full.json --out=plans --time-budget=1")
    assert ended.code == 2
    assert ended.commands
    for command in ended.commands:
        assert command.startswith("steady optimize full.json --time-budget ")
        assert command.endswith(" --update --out plans")


def test_a_single_go_benchmark_can_be_measured_again(shell: Shell) -> None:
    name = "github.com/go-chi/chi.BenchmarkMux/size=8"
    write_values("full.json", {"x/y.BenchmarkQuiet": quiet(1), name: quiet(1, forks=1)})
    measure, _ = shell("optimize full.json").lines
    command = parse(shlex.split(measure)[1:])
    assert isinstance(command, RunCommand)
    assert command.only == re.escape(name)


def test_update_replans_some_benchmarks(shell: Shell) -> None:
    three()
    assert shell("optimize full.json").code == 0
    before = read_plan(".steady/plan.json")
    write_values("again.json", {"c": quiet(5), "d": quiet(6)})
    assert shell("optimize again.json --update").code == 0
    after = read_plan(".steady/plan.json")
    assert [identity.name for identity in after] == ["a", "b", "c", "d"]
    assert after["a"] == before["a"]
    assert after.data_digest != before.data_digest
    # A different budget does not update the plan.
    kept = Path(".steady/plan.json").read_bytes()
    ended = shell("optimize full.json --update --budget 5%")
    assert ended.code == 2
    assert "made with budget 0.03, not 0.05" in ended.err
    assert Path(".steady/plan.json").read_bytes() == kept


def test_a_second_plan_reports_changes_since_the_first(shell: Shell) -> None:
    three("abcdefg")
    assert "last plan" not in shell("optimize full.json").said
    assert "No benchmark's run changed since the last plan." in shell("optimize full.json").said
    said = shell("optimize full.json --strategy uoptime --threshold 0.2").out.replace("\xa0", " ")
    counted = " ".join(said.split())
    assert "Compared with the last plan, " in counted
    assert "The strategy is uoptime instead of error-budget." in counted
    assert "One run takes " in counted
    rows = re.findall(
        r"^  \w: 5 × \(\d+ \+ \d+\) → \d+ × \(\d+ \+ \d+\) \(.+\)$", said, re.MULTILINE
    )
    assert len(rows) == 5
    assert "  and 2 more\n" in said
    three("abcdefg")
    Path(".steady/plan.json").write_text("[]")
    ended = shell("optimize full.json")
    assert ended.code == 0
    problem = ".steady/plan.json, $: expected an object, found a list."
    assert f"steady: The last plan cannot be compared: {problem}\n" in ended.err
    assert read_plan(".steady/plan.json").strategy == "error-budget"


def test_a_detect_plan_reports_detectable_changes(shell: Shell) -> None:
    three()
    ended = shell("optimize full.json --detect 5%")
    assert ended.code == 0
    said = "A change of 5 % is detectable in 3 of 3 benchmarks with a probability of 80 %."
    assert said in ended.said
    assert read_plan(".steady/plan.json").options["detect"] == 0.05
    assert "A change of 5 % is detectable in" in shell("plan .steady").said


@looped(
    ("options", "message"),
    [
        ("--detect 2%", "give a larger detect or a smaller min_change"),
        ("--detect 5", "expected a percentage above 0"),
        ("--detect 5% --strategy uoptime", "'uoptime' has no option 'detect'"),
        ("--power 80%", "'error-budget' has no option 'power'"),
        ("--out none --update", "none"),  # --update requires a plan
    ],
)
def test_planning_errors_are_one_sentence(options: str, message: str, shell: Shell) -> None:
    three("a")
    ended = shell(f"optimize full.json {options}")
    assert ended.code == 2
    assert message in ended.err


@looped(("text", "seconds"), [("600", 600.0), ("45s", 45.0), ("10m", 600.0), ("1.5h", 5400.0)])
def test_durations_in_seconds_minutes_and_hours(text: str, seconds: float) -> None:
    assert TIME.parse(text) == seconds
    command = parse(["optimize", "full", "--time-budget", text])
    assert command == OptimizeCommand(results=("full",), time_budget=seconds)


@looped("text", ["", "m", "0", "-5m", "10d", "nan", "inf", "ten"])
def test_invalid_durations_are_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a time; write 600, 10m or 1\.5h"):
        TIME.parse(text)


def test_annotations_are_written_as_a_patch(shell: Shell) -> None:
    write_values("full.json", {"p.A.quiet": quiet(1, iterations=60)})
    source = Path("src", "A.java")
    source.parent.mkdir()
    source.write_text(
        "package p;\nimport org.openjdk.jmh.annotations.*;\n"
        "public class A {\n    @Benchmark\n    public void quiet() { }\n}\n"
    )
    ended = shell("optimize full.json --format series --annotations src")
    assert ended.code == 0
    assert "no annotations are written for" in ended.said
    assert shell("optimize full.json --annotations absent").code == 0, (
        "annotations exist only for JMH"
    )
    write_full_run(Path("jmh.json"))
    assert shell("optimize jmh.json --annotations absent").code == 2
    ended = shell("optimize jmh.json --annotations src")
    assert "the sources lack these benchmarks of the plan: org.example.Be" in ended.said
    assert "no annotation has to change, so there is no annotations.patch" in ended.said
    assert not Path(".steady", "annotations.patch").exists()
    text = source.read_text().replace("package p", "package org.example")
    source.write_text(text.replace("class A", "class Bench").replace("quiet", "alpha"))
    ended = shell("optimize jmh.json --annotations src/A.java")
    assert f"wrote {Path('.steady', 'annotations.patch')}" in ended.said
    assert "@Fork(" in Path(".steady", "annotations.patch").read_text()

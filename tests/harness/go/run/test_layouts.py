"""Function layouts of Go's test binaries: where they lie, which rounds run them, and real ones."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import steady
from steady.engine import Trial
from steady.errors import InputError
from steady.harness.go.run.go_runs import GoRuns
from steady.harness.go.run.layouts import LayoutOrder, layouts_of, plain_binary
from steady.harness.go.run.test_binaries import binaries
from steady.harness.trial import Version
from steady.model import ExecutionConfiguration, Identity, Suite
from steady.optimize import write_plan
from steady.readers import load
from tests.harness.go.building import FLAGS, build, build_shop
from tests.harness.program_trials import plan_of, written

SIDES = ("base", "head")
HOW = ExecutionConfiguration(1, 0, 3, 0.01, 0.01)
HEADER = "goos: linux\\ngoarch: amd64\\npkg: p\\ncpu: A cpu\\n"
BINARY = f"""#!/bin/sh
case "$*" in *test.list=*) echo BenchmarkX; exit ;; esac
[ -f testdata ] || exit 3
printf '{HEADER}'
for one in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
  case "$*" in *test.count=$one" "*|*test.count=$one) last=$one ;; *benchtime=1x*) last=1 ;; esac
done
number=0
while [ $number -lt $last ]; do
  number=$((number + 1))
  printf 'BenchmarkX \\t'
  printf ' 100\\t%s.5 ns/op\\n' TIME
done
"""
"""Prints its own number as the time, and fails outside the folder of the plain binary."""


def versions(folder: Path, layouts: Mapping[str, Sequence[int]]) -> Path:
    """Write scripts that stand in for test binaries of base and head."""
    for side in SIDES:
        own = {"p.test": BINARY.replace("TIME", "900")}
        own |= {f"_layouts/{n}/p.test": BINARY.replace("TIME", f"{n}00") for n in layouts[side]}
        written(folder / side, {**own, "testdata": ""})
    return folder


def measured(folder: Path, resume: bool = False) -> dict[str, Suite]:
    """Run six rounds of base and head, and return the results of each."""
    sides = [folder / side for side in SIDES]
    plan = plan_of("go", replace(HOW, forks=6), "p.BenchmarkX")
    write_plan(plan, folder / "plan.json")
    options: dict[str, Any] = {"plan": folder / "plan.json", "all_rounds": True}
    steady.run(*sides, out=folder / "out", same_code="run", resume=resume, **options)
    return {side: load(folder / "out" / f"{side}.txt") for side in SIDES}


def trial(side: str, number: int, *, screening: bool = False, name: str = "p.BenchmarkX") -> Trial:
    return Trial(0, number, side, Identity(name), HOW, 1.0, 60.0, screening=screening)


def orders(seed: int, rounds: int, names: Sequence[str]) -> list[tuple[str, str]]:
    order = LayoutOrder(SIDES, seed)
    pairs = []
    for number in range(rounds):
        base, head = (order.choose(names, trial(side, 2 * number)) for side in SIDES)
        pairs.append((base, head))
    return pairs


@pytest.mark.parametrize("names", ["12", "123", "1234567"])
def test_each_version_runs_each_layout_equally_often_and_never_that_of_the_other(
    names: str,
) -> None:
    for seed in range(20):
        pairs = orders(seed, 4 * len(names), names)
        assert all(base != head for base, head in pairs)
        for side in zip(*pairs, strict=True):
            for start in range(0, len(side), len(names)):
                assert sorted(side[start : start + len(names)]) == sorted(names)
        assert pairs == orders(seed, 4 * len(names), names)
    assert len({tuple(orders(seed, 4, "123")) for seed in range(20)}) > 5


def test_the_order_differs_between_benchmarks_and_counts_their_own_rounds() -> None:
    order, names = LayoutOrder(SIDES, 7), ("1", "2", "3")
    chosen = [
        tuple(order.choose(names, trial("base", n, name=f"p.Benchmark{x}")) for n in range(3))
        for x in "ABCDEFGH"
    ]
    assert len(set(chosen)) > 1
    rounds = [order.choose(names, trial("base", n)) for n in (0, 3, 6)]
    assert sorted(rounds) == [*names]
    assert rounds == [order.choose(names, trial("base", n)) for n in (0, 3, 6)]
    # A screening round is a round of its own.
    first = LayoutOrder(SIDES, 7)
    both = [
        first.choose(names, trial("base", 0, screening=screening)) for screening in (True, False)
    ]
    assert both == rounds[:2]


def test_one_layout_or_none_leaves_no_choice() -> None:
    assert Counter(orders(1, 5, ["4"])) == {("4", "4"): 5}
    assert Counter(orders(1, 5, [])) == {("", ""): 5}


def test_layouts_are_no_binaries_of_their_own(tmp_path: Path) -> None:
    folder = versions(tmp_path, {"base": [10, 2], "head": []}).resolve()
    plain = folder / "base" / "p.test"
    assert binaries(folder / "base") == (plain,)
    assert [*layouts_of(plain)] == ["2", "10"]
    for layout in layouts_of(plain).values():
        assert plain_binary(layout) == plain
    # A package may have such a name; without a plain binary beside the folder, it is no layout.
    written(folder / "other", {"_layouts/1/q.test": "#!/bin/sh\n", "_layouts/new/p.test": ""})
    assert [path.name for path in binaries(folder / "other")] == ["q.test", "p.test"]


def test_the_rounds_run_the_layouts_and_the_results_name_them(tmp_path: Path) -> None:
    results = measured(versions(tmp_path, {"base": [1, 2, 3], "head": [3, 1, 2, 4]}))
    for side in SIDES:
        (benchmark,) = results[side].benchmarks
        assert Counter(benchmark.layouts) == {"1": 2, "2": 2, "3": 2}
        times = benchmark.measured.mean(axis=1).tolist()
        assert times == [int(layout) * 100 + 0.5 for layout in benchmark.layouts]
    base, head = (results[side].benchmarks[0].layouts for side in SIDES)
    assert all(one != other for one, other in zip(base, head, strict=True))


def test_a_version_without_layouts_makes_both_run_the_plain_binary(tmp_path: Path) -> None:
    results = measured(versions(tmp_path, {"base": [1, 2, 3], "head": []}))
    for side in SIDES:
        (benchmark,) = results[side].benchmarks
        assert benchmark.layouts == ()
        assert set(benchmark.measured.ravel().tolist()) == {900.5}


def test_an_interrupted_run_keeps_the_layouts_of_its_forks(tmp_path: Path) -> None:
    folder = versions(tmp_path, dict.fromkeys(SIDES, (1, 2, 3)))
    whole = measured(folder)
    journal = folder / "out" / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:6]))
    resumed = measured(folder, resume=True)
    for side in SIDES:
        kept, again = (one[side].benchmarks[0] for one in (whole, resumed))
        assert again.layouts[:3] == kept.layouts[:3]
        times = again.measured.mean(axis=1).tolist()
        assert times == [int(layout) * 100 + 0.5 for layout in again.layouts]


def test_a_layout_without_execute_permission_is_an_error(tmp_path: Path) -> None:
    info = b"\xff Go buildinf:" + bytes([8, 2]) + bytes(16) + b"\x08go1.26.0" + b"\x00"
    versions(tmp_path, dict.fromkeys(SIDES, ()))
    layout = tmp_path / "head" / "_layouts" / "1" / "p.test"
    layout.parent.mkdir(parents=True)
    layout.write_bytes(b"\x7fELF" + info)
    with pytest.raises(InputError, match=r"1/p\.test: is not executable.*`chmod \+x "):
        GoRuns().check([Version(side, tmp_path / side) for side in SIDES])


@pytest.mark.needs("go")
def test_real_layouts_have_the_same_benchmarks_and_other_addresses(tmp_path: Path) -> None:
    plain = build_shop(tmp_path / "shop")
    for number in (1, 2):
        flags = (*FLAGS, f"-ldflags=-randlayout={number}")
        build(tmp_path / "shop", f"out/_layouts/{number}", flags=flags, packages="./text")
    (binary,) = binaries(plain)
    every = [binary, *layouts_of(binary).values()]
    assert len(every) == 3
    assert all(one.read_bytes() != other.read_bytes() for one, other in pairwise(every))
    listed = [set(GoRuns().benchmarks(Version("results", path))) for path in every]
    assert listed[0] == listed[1] == listed[2]
    version = Version("results", plain)
    runs, identity = GoRuns(), next(iter(listed[0]))
    seen = []
    with runs.open([version], tmp_path) as session:
        for number in range(2):
            own = Trial(number, number, "results", identity, HOW, 1.0, 60.0)
            session.measure(own, tmp_path / "result.txt")
            seen.append(session.layout(own))
    assert sorted(seen) == ["1", "2"]

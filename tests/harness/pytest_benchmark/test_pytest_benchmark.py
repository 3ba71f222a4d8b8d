"""The real pytest-benchmark: its list, the run of a process, and messages on failures."""

import math
import re
import site
import sys
import venv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from steady.errors import InputError
from steady.harness.pytest_benchmark.kind import make_runs, takes
from steady.harness.runs import DEFAULTS, Turn
from steady.harness.trial import NotReachedError, Trial, TrialError, Version
from steady.model import Identity
from steady.readers import load
from tests.harness.program_trials import (
    PYTEST,
    SLICED,
    expect_no_results,
    in_turn,
    listed,
    measured,
    program,
    refused,
    took_turns,
    written,
)
from tests.looped import looped

RECORDED = Path(__file__).parents[2] / "readers" / "recorded" / "programs"

SHOP = program("shop")

ALL = [
    "b/test_shop.py::test_total",
    "b/test_shop.py::test_cases[a/b [1]]",
    r"b/test_shop.py::test_cases[\xe9::\xfc]",
    "b/test_shop.py::test_cases[x.y ]",
    "b/test_shop.py::TestPrice::test_method",
    "b/test_shop.py::test_pedantic",
    "b/test_shop.py::test_failing",
    "b/test_shop.py::test_silent",
    "b/test_shop.py::test_skipped",
]

RUNS = make_runs(DEFAULTS)


def project(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a check-out whose own environment has pytest."""
    return written(folder, {**files, ".venv/bin/pytest": PYTEST})


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return project(tmp_path / "shop", {"b/test_shop.py": SHOP})


def test_benchmarks_are_listed_as_pytest_names_them(shop: Path) -> None:
    assert listed(make_runs, shop) == ALL
    assert listed(make_runs, shop, "pytest", "b", "-k", "cases or pedantic") == [*ALL[1:4], ALL[5]]
    assert listed(make_runs, shop, sys.executable, "-m", "pytest", "-k", "no_benchmark") == []


def test_each_benchmark_runs_alone(shop: Path, tmp_path: Path) -> None:
    for name in ALL[:6:2]:
        (benchmark,) = measured(RUNS, shop, name, tmp_path).values()
        assert benchmark.identity.name == name
        assert benchmark.unit == "s/op"
        assert len(benchmark.measured) == 1
        times = benchmark.measured[np.isfinite(benchmark.measured)]
        assert (times > 0).all()
        assert (times < 0.01).all()  # the fixture that sleeps is no part of it
        size = (tmp_path / "result.json").stat().st_size
        assert size < 20_000  # without min-time it has 500 KB


def test_nothing_of_steady_can_be_imported_by_chance(tmp_path: Path) -> None:
    text = (
        "import importlib.util\n\ndef test_modules(benchmark):\n"
        "    found = [n for n in ('kind', 'results') if importlib.util.find_spec(n)]\n"
        "    assert benchmark(list, found) == []\n"
    )
    target = project(tmp_path / "p", {"test_p.py": text})
    assert measured(RUNS, target, "test_p.py::test_modules", tmp_path)


@looped(
    "options",
    [
        "-n auto --dist loadfile --benchmark-disable --benchmark-skip",
        "--benchmark-json=own.json --benchmark-max-time=3 --benchmark-autosave"
        " --benchmark-compare --benchmark-warmup=on -q -q",
    ],
)
def test_a_project_may_have_options_of_its_own(shop: Path, options: str, tmp_path: Path) -> None:
    project(shop, {"pytest.ini": f"[pytest]\naddopts = {options}\n"})
    assert listed(make_runs, shop) == ALL
    assert [one.name for one in measured(RUNS, shop, ALL[0], tmp_path)] == [ALL[0]]
    assert not (shop / "own.json").exists()
    assert not [*(shop / ".benchmarks").rglob("*.json")]


def test_a_benchmark_without_a_result_has_a_reason(shop: Path, tmp_path: Path) -> None:
    reasons = {
        ALL[6]: "^ValueError: invalid literal for int\\(\\) with base 10: 'x'",
        ALL[7]: r"^wrote no result \(Benchmark fixture was not used at all in this test!\)",
        ALL[8]: r"^wrote no result \(b/test_shop\.py:28: no luck today\)",
        "b/test_shop.py::test_gone": "^pytest does not find it when it runs alone",
    }
    expect_no_results(RUNS, shop, tmp_path, reasons)


def test_a_failed_listing_is_one_sentence(tmp_path: Path) -> None:
    switched_off = {"test_a.py": "", "pytest.ini": "[pytest]\naddopts = -p no:benchmark\n"}
    cases: list[tuple[Mapping[str, str], tuple[str, ...], str]] = [
        ({"test_a.py": "import nowhere\n"}, (), "ModuleNotFoundError: No module named 'nowhere'"),
        ({"test_a.py": "def broken(:\n"}, (), "SyntaxError: "),
        ({"test_a.py": ""}, ("pytest", "absent"), "file or directory not found: absent"),
        ({"test_a.py": ""}, ("pytest", "--foo"), "unrecognized arguments: --foo"),
        (switched_off, (), "pytest-benchmark is not installed there, or it is disabled"),
        ({"conftest.py": "1 / 0\n"}, (), "ZeroDivisionError: division by zero"),
    ]
    for number, (files, command, said) in enumerate(cases):
        target = project(tmp_path / str(number), files)
        text = refused(make_runs, target, *command)
        assert text.startswith(f"{target}: pytest cannot list its tests: ")
        assert said in text
    text = refused(make_runs, tmp_path, "nowhere/pytest")
    assert "holds no nowhere/pytest that can be executed; install" in text
    assert "is not a folder; give the check-out" in refused(make_runs, tmp_path / "absent")


def test_commands_that_run_pytest() -> None:
    for command in ("pytest", "py.test b", "uv run pytest", "python -m pytest b", "a/bin/pytest"):
        assert takes(command.split(), Path())
    for command in ("make bench", "echo my pytest-like thing", "./x a b c pytest"):
        assert not takes(command.split(), Path())


def test_two_processes_are_interleaved_by_the_clock(shop: Path, tmp_path: Path) -> None:
    slower = SHOP.replace("sum(range(2_000)))\n\n@", "sum(range(20_000)))\n\n@")
    changed = project(tmp_path / "changed", {"b/test_shop.py": slower})
    outcomes, obstacle, ratio = in_turn(RUNS, [shop, changed], ALL[0], tmp_path)
    assert obstacle == ""
    assert took_turns(outcomes)
    assert ratio > 2  # ten times the work, whatever else the machine does


def run_shared(
    sides: Sequence[Path], names: Sequence[str], folder: Path
) -> tuple[dict[str, list[Turn | TrialError]], Sequence[Path]]:
    """Run benchmarks of base and head in one process of each; return the outcomes by name."""
    versions = [Version(name, side) for name, side in zip(("base", "head"), sides, strict=True)]
    trials = [
        Trial(2 * place + side, 0, version.name, Identity(name), SLICED, 1.0, 20.0)
        for place, name in enumerate(names)
        for side, version in enumerate(versions)
    ]
    paths = [folder / f"{trial.number}.json" for trial in trials]
    with RUNS.open(versions, folder) as session:
        outcomes = iter(session.measure_shared(trials, paths, math.inf))
    return {name: [next(outcomes), next(outcomes)] for name in names}, paths


def test_benchmarks_of_a_file_share_a_process_and_always_run_the_same_one(
    shop: Path, tmp_path: Path
) -> None:
    assert {RUNS.shared_process(Identity(name)) for name in ALL} == {"b/test_shop.py"}
    assert RUNS.shared_process(Identity("no file")) == ""
    slower = SHOP.replace("sum(range(2_000)))\n\n@", "sum(range(20_000)))\n\n@")
    changed = project(tmp_path / "changed", {"b/test_shop.py": slower})
    names = [ALL[0], ALL[6], ALL[4], ALL[7], ALL[8], "b/test_shop.py::test_gone", ALL[2], ALL[1]]
    outcomes, paths = run_shared([shop, changed], names, tmp_path)
    good = {ALL[0], ALL[4], ALL[2], ALL[1]}
    assert {name for name, own in outcomes.items() if took_turns(own)} == good
    for name, own in outcomes.items():
        # Others failed by themselves, not because of their neighbours.
        assert not any(isinstance(one, NotReachedError) for one in own)
        errors = [str(one) for one in own if isinstance(one, TrialError)]
        reason = "it has no result in a process with other benchmarks"
        assert errors == ([] if name in good else [reason] * 2)
    for name, base, head in zip(names, paths[::2], paths[1::2], strict=True):
        assert (base.exists(), head.exists()) == (name in good,) * 2
        if name not in good:
            continue
        one, other = load(base), load(head)
        assert list(one) == list(other) == [Identity(name)]
        assert one[Identity(name)].environment.vm.startswith("Python ")
        ratio = np.nanmedian(other[Identity(name)].measured) / np.nanmedian(
            one[Identity(name)].measured
        )
        assert (ratio > 2) == (name == ALL[0])
    seconds = [end.seconds for name in good for end in outcomes[name] if isinstance(end, Turn)]
    assert all(one is not None and one > 0 for one in seconds)


CRASHES = """
import os
def test_first(benchmark):
    benchmark(sum, range(100))
def test_crashes(benchmark):
    os._exit(7)
def test_last(benchmark):
    benchmark(sum, range(100))
"""


def test_a_crash_leaves_the_results_before_it(tmp_path: Path) -> None:
    target = project(tmp_path / "p", {"test_c.py": CRASHES})
    names = [f"test_c.py::test_{one}" for one in ("first", "crashes", "last")]
    outcomes, _ = run_shared([target, target], names, tmp_path)
    assert took_turns(outcomes[names[0]])
    kinds = [[type(one) for one in outcomes[name]] for name in names[1:]]
    assert kinds == [[TrialError] * 2, [NotReachedError] * 2]


def test_several_files_are_several_processes_and_files_of_means_are_refused(tmp_path: Path) -> None:
    text = (RECORDED / "pytest-benchmark.json").read_text()
    other = tmp_path / "other.json"
    other.write_text(re.sub(r"0\.000(\d+)", r"0.0002\1", text).replace("e-05", "e-06"))
    suite = load([RECORDED / "pytest-benchmark.json", other])
    assert suite["python_benchmarks.py::test_work"].measured.shape == (2, 3)
    with pytest.raises(InputError, match="lacks individual values; run with --benchmark-json"):
        load(RECORDED / "pytest-benchmark-means.json")


def test_two_virtual_environments_run_what_lies_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path / "here", {"benchmarks/test_x.py": program("installed")}))
    for name in ("old", "new"):
        venv.create(name)
        (packages,) = Path(name).glob("lib/python*/site-packages")
        (packages / "shop.py").write_text(f"NAME = {name!r}\n", encoding="utf-8")
        (packages / "others.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
    words = ("python", "-m", "pytest", "benchmarks")
    assert listed(make_runs, Path("old"), *words) == ["benchmarks/test_x.py::test_name"]
    for name in ("old", "new"):
        runs = make_runs(replace(DEFAULTS, command=words))
        measured(runs, Path(name), "benchmarks/test_x.py::test_name", tmp_path, timeout=300.0)
        assert Path("seen").read_text(encoding="utf-8") == f"{name} {Path(name).resolve()}"

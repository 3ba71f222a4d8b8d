"""Programs that speak Criterion.rs's command line: listed, run alone and in turn, and hostile."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from steady.cli.main import main
from steady.errors import InputError
from steady.harness.criterion.benches import benches, holds, takes
from steady.harness.criterion.kind import CriterionBenches, bench_options, make_runs
from steady.harness.runs import DEFAULTS
from steady.harness.trial import TrialError, Version
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import write_plan
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.programs.program_runs import Place
from steady.readers import load
from tests.harness.program_trials import in_turn, listed, made, measured, took_turns, written
from tests.looped import looped

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "criterion"
NAMES = ("plain", "odd/a.b+c(d) [e]*/7", "-dash", "panics", "aborts", "hangs")

MANIFEST = """\
[package]
name = "p"
version = "0.1.0"
edition = "2021"

[features]
criterion = []

[[bench]]
name = "p"
harness = false
"""
BENCH = """\
fn main() {
    if std::env::args().any(|word| word == "--help") {
        println!("This executable is a Criterion.rs benchmark.");
    }
    println!("{}: benchmark", env!("CARGO_PKG_NAME"));
}
"""


def test_each_is_listed_and_runs_alone_by_its_exact_name(
    criterion_programs: Path, tmp_path: Path
) -> None:
    program = criterion_programs / "base"
    assert listed(make_runs, program) == [*NAMES]
    for name in NAMES[:3]:
        (one,) = measured(make_runs(DEFAULTS), program, name, tmp_path).values()
        assert one.identity.name == name
        assert one.measurements.shape[1] == 40
        assert one.metrics["elements_per_second"].values.shape == one.measurements.shape
        assert sorted(path.name for path in tmp_path.iterdir()) == ["result.json", "scratch"]


@looped(
    ("name", "why"),
    [
        ("panics", "^out of luck$"),
        ("aborts", "was ended by SIGABRT"),
        ("gone", "left no result"),
        ("hangs", r"exceeded its limit of 0\.5 s"),
    ],
)
def test_what_leaves_no_result_says_why(
    criterion_programs: Path, tmp_path: Path, name: str, why: str
) -> None:
    limit = 0.5 if name == "hangs" else 30.0
    with pytest.raises(TrialError, match=why):
        measured(make_runs(DEFAULTS), criterion_programs / "base", name, tmp_path, timeout=limit)
    assert [path.name for path in tmp_path.iterdir()] == ["scratch"]


def test_two_are_alive_together(criterion_programs: Path, tmp_path: Path) -> None:
    sides = [criterion_programs / side for side in ("base", "head")]
    for _ in range(5):  # on a busy machine one may end before the other has begun
        outcomes, _, ratio = in_turn(make_runs(DEFAULTS), sides, "plain", tmp_path)
        assert ratio > 2
        if took_turns(outcomes):
            break
    assert took_turns(outcomes)


def test_a_planted_change_is_found(
    criterion_programs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    how = ExecutionConfiguration(8, 1, 5, 0.02, 0.02)
    entry = BenchmarkPlan(Identity("plain"), how, how, 1.0, 2.0, "reduced", "")
    plan = write_plan(Plan((entry,), "uoptime", harness="criterion"), tmp_path / "plan.json")
    sides = ["--base", str(criterion_programs / "base"), "--head", str(criterion_programs / "head")]
    words = ["run", *sides, "--plan", str(plan), "--all-rounds", "--only", "^plain$"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    assert main(["compare", str(tmp_path / "out"), "--output", "json"]) == 1
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert change["outcome"] == "regression"
    assert change["interval"][0] > 0


def test_options_are_those_of_the_plan() -> None:
    how = ExecutionConfiguration(3, 2, 30, 0.1, 0.2)
    assert bench_options(Identity("-a b"), how) == [
        *("--exact", "--noplot", "--warm-up-time=0.2", "--measurement-time=6"),
        *("--sample-size=300", "--", "-a b"),
    ]
    least = ExecutionConfiguration(1, 0, 1, 1.0, 1.0)  # it cannot run without warm-up
    options = bench_options(Identity("a"), least)
    assert {"--warm-up-time=0.1", "--sample-size=10"} <= {*options}


@looped("where", ["target/release/deps", "target/deps", "target", "."])
def test_programs_are_found_where_cargo_leaves_them(
    criterion_programs: Path, tmp_path: Path, where: str
) -> None:
    root = tmp_path / f"{len([*tmp_path.iterdir()])}"
    folder = root / where
    folder.mkdir(parents=True)
    shutil.copy(criterion_programs / "base", folder / "bench-7")
    shutil.copy(criterion_programs / "base", folder / "bench-7.d")
    folder.joinpath("bench-7.d").chmod(0o644)
    shutil.copy("/bin/sh", folder / "other")
    target = root / where.partition("/")[0]
    assert holds(target)
    (bench,) = benches(Place(target))
    assert bench.path == folder.absolute() / "bench-7"


def test_a_benchmark_in_two_programs_is_one_sentence(
    criterion_programs: Path, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        shutil.copy(criterion_programs / "base", tmp_path / name)
    with pytest.raises(InputError, match="has 'plain' in two programs; name one, or the check"):
        CriterionBenches().listed(Place(tmp_path))


def test_an_old_version_is_one_sentence(criterion_programs: Path, tmp_path: Path) -> None:
    written_anew = (criterion_programs / "base").read_bytes()
    assert written_anew.count(b": benchmark\n") == 1
    old = tmp_path / "old"
    old.write_bytes(written_anew.replace(b": benchmark\n", b": bench\n\0\0\0\0"))
    old.chmod(0o755)
    with pytest.raises(InputError, match=r"Criterion\.rs 0\.4 or older.*0\.5 or newer"):
        listed(make_runs, old)


def test_what_holds_none_is_one_sentence(tmp_path: Path) -> None:
    written(tmp_path / "folder", {"text": "This executable is a Criterion.rs benchmark"})
    for path in (tmp_path / "folder", tmp_path / "folder" / "text", Path("/bin/sh")):
        assert not holds(path)
        for place in (Place(path), Place(path / "absent", ("cargo", "bench"))):
            with pytest.raises(InputError, match=r"holds no benchmarks of Criterion\.rs; name a p"):
                CriterionBenches().check(place)
        with pytest.raises(InputError, match=r"holds no program of Criterion\.rs"):
            benches(Place(path))


def test_what_is_cargo_bench() -> None:
    for command in ("cargo bench", "/usr/bin/cargo +nightly bench --bench x"):
        assert takes(command.split(), Path())
    for command in ("cargo run -- bench", "pytest bench"):
        assert not takes(command.split(), Path())


def test_cargo_that_cannot_build_is_one_sentence(tmp_path: Path) -> None:
    fails = "#!/bin/sh\necho 'error[E1]: out of luck' >&2\nexit 101\n"
    written(tmp_path, {"Cargo.toml": "# criterion", "cargo": fails})
    assert holds(tmp_path)
    for command, why in (
        (("cargo", "bench"), "cargo cannot build its benchmarks: out of luck"),
        (("gone/cargo", "bench"), r"cannot be run .*; install Rust"),
        (("cargo", "bench", "--", "sort"), "leave out the second --"),
    ):
        with pytest.raises(InputError, match=why):
            benches(Place(tmp_path, (str(tmp_path / command[0]), *command[1:])))


def test_a_build_that_hangs_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steady.harness.criterion.benches._BUILDING_SECONDS", 0.2)
    written(tmp_path, {"Cargo.toml": "# criterion", "cargo": "#!/bin/sh\nsleep 60\n"})
    with pytest.raises(InputError, match=r"cannot build its benchmarks: .* longer than 0\.2\ss"):
        benches(Place(tmp_path, (str(tmp_path / "cargo"), "bench")))


def test_a_version_is_built_once_before_it_is_listed(
    criterion_programs: Path, tmp_path: Path
) -> None:
    artifact = {
        "reason": "compiler-artifact",
        "executable": str(criterion_programs / "base"),
        "manifest_path": str(tmp_path / "Cargo.toml"),
    }
    said = json.dumps(artifact, separators=(",", ":"))
    cargo = f"#!/bin/sh\necho built >> built\necho '{said}'\n"
    written(tmp_path, {"Cargo.toml": "# criterion", "cargo": cargo})
    runs, version = made(make_runs, str(tmp_path / "cargo"), "bench"), Version("base", tmp_path)
    assert runs.builder == "cargo"
    runs.build(version)
    assert [one.name for one in runs.benchmarks(version)] == [*NAMES]
    assert (tmp_path / "built").read_text() == "built\n"


@pytest.mark.needs("cargo")
def test_cargo_says_what_it_built(tmp_path: Path) -> None:
    """A package with no dependency is built in a second, and no registry is asked."""
    written(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": "", "benches/p.rs": BENCH})
    kind = CriterionBenches()
    for place in (Place(tmp_path), Place(tmp_path, ("cargo", "bench", "--bench", "p"))):
        kind.check(place)
        assert [one.name for one in kind.listed(place)] == ["p"]
        (bench,) = benches(place)
        assert bench.folder == tmp_path.resolve()
    assert [one.name for one in kind.listed(Place(tmp_path / "target"))] == ["p"]


@pytest.mark.thorough
@pytest.mark.needs("cargo")
def test_the_example_with_the_real_tool(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Criterion.rs itself takes a minute to be built, so both versions share it."""
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path / "target"))
    for side in ("base", "head"):
        ignored = shutil.ignore_patterns("target", "recorded")
        shutil.copytree(EXAMPLE, tmp_path / side, ignore=ignored)
    patch = ["patch", "--quiet", "--strip=1", f"--input={EXAMPLE / 'head.patch'}"]
    subprocess.run(patch, cwd=tmp_path / "head", check=True, timeout=60)
    for side in ("base", "head"):
        command = ["cargo", "bench", "--no-run", "--quiet"]
        subprocess.run(command, cwd=tmp_path / side, check=True, timeout=900)
    sides = ["--base", str(tmp_path / "base"), "--head", str(tmp_path / "head")]
    words = ["run", *sides, "--time-budget", "30s", "--out", str(tmp_path / "out")]
    assert main([*words, "--", "cargo", "bench"]) == 0
    capsys.readouterr()
    assert main(["compare", str(tmp_path / "out"), "--output", "json"]) in (0, 1)
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert {one["identity"]["name"] for one in changes} == {"price/99", "price/123456789"}
    for side in ("base", "head"):
        suite = load(tmp_path / "out" / f"{side}.json")
        assert all(all(one.in_turn) for one in suite.values())
        assert all(np.isfinite(one.measurements).any() for one in suite.values())

"""Criterion.rs: its files, and programs with its command line: listed, alone, interleaved."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steady.cli.main import main
from steady.errors import InputError
from steady.harness.criterion.kind import (
    CriterionBenches,
    bench_options,
    benches,
    holds,
    make_runs,
    takes,
)
from steady.harness.criterion.results import read
from steady.harness.runs import DEFAULTS
from steady.harness.trial import Version
from steady.model import Benchmark, ExecutionConfiguration, Identity
from steady.programs.program_kind import Place
from steady.readers import Document, load
from tests.harness.program_trials import (
    expect_no_results,
    in_turn,
    listed,
    made,
    measured,
    refused,
    took_turns,
    written,
)
from tests.looped import looped

SAMPLE = {"sampling_mode": "Linear", "iters": [10, 20, 30], "times": [100.0, 220.0, 330.0]}


def left(folder: Path, name: str = "sort/small/10", *, sample: object = SAMPLE) -> Path:
    """Write what Criterion.rs leaves of a benchmark; return its sample."""
    new = folder.joinpath(*name.split("/"), "new")
    new.mkdir(parents=True)
    known = {"full_id": name, "directory_name": name}
    new.joinpath("benchmark.json").write_text(json.dumps(known))
    new.joinpath("estimates.json").write_text('{"mean": {}, "median_abs_dev": {}}')
    path = new / "sample.json"
    path.write_text(json.dumps(sample))
    return path


def forked(sample: object, throughput: object = None, **note: object) -> Benchmark:
    """Read one fork of `steady run`."""
    own = {"full_id": "x", "throughput": throughput}
    fork = {"benchmark": own, "sample": sample, "steady": note}
    return read(Document(Path("f"), json.dumps({"criterion": [fork]})))["x"]


def test_totals_are_divided_by_the_number_of_operations(tmp_path: Path) -> None:
    one = load(left(tmp_path))["sort/small/10"]
    assert (one.unit, one.measurements.tolist(), one.warmup) == ("ns/op", [[10.0, 11.0, 11.0]], 0)


def test_two_folders_are_compared(tmp_path: Path) -> None:
    for side, last in (("base", 330.0), ("head", 331.0)):
        sample = SAMPLE | {"times": [100.0, 220.0, last]}
        left(tmp_path / side / "target" / "criterion", sample=sample)
    sides = ["--base", str(tmp_path / "base"), "--head", str(tmp_path / "head" / "target")]
    assert main(["compare", *sides]) == 0


def test_a_folder_means_the_newest_samples_below_it(tmp_path: Path) -> None:
    for name in ("a", "b/c", "b/d/1"):
        path = left(tmp_path / "criterion", name)
        path.parent.rename(path.parent.with_name("base"))
        left(tmp_path / "criterion", name)
    tmp_path.joinpath("criterion", "report").mkdir()
    assert [one.name for one in load(tmp_path / "criterion")] == ["a", "b/c", "b/d/1"]
    assert [one.name for one in load(tmp_path / "criterion" / "b")] == ["b/c", "b/d/1"]


def test_throughput_is_a_secondary_metric() -> None:
    cases: list[tuple[object, dict[str, str]]] = [
        ({"Elements": 100}, {"elements_per_second": "elements/s"}),
        ({"Bytes": 100}, {"bytes_per_second": "B/s"}),
        ({"BytesDecimal": 100}, {"bytes_per_second": "B/s"}),
        ({"Bits": 100}, {"bits_per_second": "bits/s"}),
        (
            {"ElementsAndBytes": {"elements": 100, "bytes": 100}},
            {"bytes_per_second": "B/s", "elements_per_second": "elements/s"},
        ),
        (None, {}),
    ]
    for throughput, rates in cases:
        one = forked(SAMPLE, throughput)
        assert {name: metric.unit for name, metric in one.metrics.items()} == rates
        for metric in one.metrics.values():
            assert np.allclose(metric.values, 100e9 / one.measurements)
            assert metric.direction == "higher"


def test_growing_samples_become_iterations_of_equal_duration() -> None:
    times = np.arange(1, 21) * 10.0
    sample = {"iters": np.arange(1, 21).tolist(), "times": times.tolist()}
    values = forked(sample, iterations=10, iteration_seconds=1.0, warmup=3)
    assert values.measurements.shape == (1, 10)
    assert np.allclose(values.measurements, 10.0)
    assert values.warmup == 0  # the samples begin after it
    assert values.configuration is not None
    assert values.configuration.warmup_iterations == 3


def test_an_iteration_counts_each_operation_once() -> None:
    sample = {"iters": [1, 3, 4], "times": [8.0, 12.0, 20.0]}
    (both,) = forked(sample, iterations=2, iteration_seconds=1.0).measurements
    assert both.tolist() == [5.0, 5.0]


@looped("broken", [{"iters": [1, 2]}, {"times": [1, 2, 0]}, {"iters": [1, -1, 1]}, {"times": []}])
def test_an_inconsistent_sample_is_one_sentence(broken: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="expected as many times as iters, each of them above 0"):
        forked(SAMPLE | broken)


def test_a_sample_has_the_name_in_the_file_beside_it(tmp_path: Path) -> None:
    path = left(tmp_path / "a")
    for name in ("benchmark.json", "estimates.json"):
        with pytest.raises(InputError, match=r"give the sample\.json beside it, or the folder ta"):
            load(path.with_name(name))
    outside = path.with_name("benchmark.json").rename(tmp_path / "benchmark.json")
    with pytest.raises(InputError, match=r"has no benchmark\.json beside it"):
        load(path)
    # It is not read through a link that leads out.
    path.with_name("benchmark.json").symlink_to(outside)
    with pytest.raises(InputError):
        load(path)


EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "criterion"
NAMES = ("plain", "odd/a.b+c(d) [e]*/7", "-dash", "panics", "aborts", "hangs")


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


def test_a_missing_result_has_a_reason(criterion_programs: Path, tmp_path: Path) -> None:
    reasons = {
        "panics": "^out of luck$",
        "aborts": "was ended by SIGABRT",
        "gone": "wrote no result",
        "hangs": r"exceeded its limit of 1\.5 s",
    }
    expect_no_results(make_runs(DEFAULTS), criterion_programs / "base", tmp_path, reasons)
    assert [path.name for path in tmp_path.iterdir()] == ["scratch"]


def test_two_programs_are_interleaved(criterion_programs: Path, tmp_path: Path) -> None:
    sides = [criterion_programs / side for side in ("base", "head")]
    for _ in range(5):  # on a busy machine one may end before the other has begun
        outcomes, _, ratio = in_turn(make_runs(DEFAULTS), sides, "plain", tmp_path)
        assert ratio > 2
        if took_turns(outcomes):
            break
    assert took_turns(outcomes)


def test_it_cannot_run_without_warm_up() -> None:
    options = bench_options(Identity("a"), ExecutionConfiguration(1, 0, 1, 1.0, 1.0))
    assert {"--warm-up-time=0.1", "--sample-size=10"} <= {*options}


@looped("where", ["target/release/deps", "target/deps", "target", "."])
def test_programs_are_found_in_cargos_folders(
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


def test_a_failed_listing_is_one_sentence(criterion_programs: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        written(tmp_path / "twice", {name: ""})
        shutil.copy(criterion_programs / "base", tmp_path / "twice" / name)
    twice = refused(make_runs, tmp_path / "twice")
    assert "has 'plain' in two programs; give one of them" in twice
    program = (criterion_programs / "base").read_bytes()
    assert program.count(b": benchmark\n") == 1
    (tmp_path / "old").write_bytes(program.replace(b": benchmark\n", b": bench\n\0\0\0\0"))
    (tmp_path / "old").chmod(0o755)
    assert re.search(
        r"Criterion\.rs 0\.4 or older.*0\.5 or newer", refused(make_runs, tmp_path / "old")
    )
    written(tmp_path / "folder", {"text": "This executable is a Criterion.rs benchmark"})
    for path in (tmp_path / "folder", tmp_path / "folder" / "text", Path("/bin/sh")):
        assert not holds(path)
        for target, command in ((path, ()), (path / "absent", ("cargo", "bench"))):
            nothing = refused(make_runs, target, *command)
            assert "contains no Criterion.rs benchmarks; give one" in nothing
        with pytest.raises(InputError, match=r"contains no Criterion\.rs program"):
            benches(Place(path))


def test_commands_that_are_cargo_bench() -> None:
    for command in ("cargo bench", "/usr/bin/cargo +nightly bench --bench x"):
        assert takes(command.split(), Path())
    for command in ("cargo run -- bench", "pytest bench"):
        assert not takes(command.split(), Path())


def test_a_failed_build_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steady.harness.criterion.kind._BUILDING_SECONDS", 1.0)
    fails = "#!/bin/sh\necho 'error[E1]: out of luck' >&2\nexit 101\n"
    hangs = "#!/bin/sh\nsleep 60\n"
    written(tmp_path, {"Cargo.toml": "# criterion", "cargo": fails, "slow/cargo": hangs})
    assert holds(tmp_path)
    for command, why in (
        (("cargo", "bench"), "cargo cannot build its benchmarks: out of luck"),
        (("gone/cargo", "bench"), r"cannot be run .*; install Rust"),
        (("cargo", "bench", "--", "sort"), "leave out the second --"),
        (("slow/cargo", "bench"), r"cannot build its benchmarks: .* longer than 1\.0\ss"),
    ):
        with pytest.raises(InputError, match=why):
            benches(Place(tmp_path, (str(tmp_path / command[0]), *command[1:])))


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
def test_built_programs_are_in_cargos_messages(tmp_path: Path) -> None:
    """A package with no dependency is built in a second, and no registry is asked."""
    shutil.copytree(Path(__file__).with_name("project"), tmp_path, dirs_exist_ok=True)
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

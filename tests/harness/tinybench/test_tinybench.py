"""The real tinybench and vitest: their lists, the run of a process, and messages on failures."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from steady.errors import InputError
from steady.harness.tinybench.kind import Tinybench, make_runs, takes
from steady.harness.trial import Trial
from steady.model import Identity
from steady.programs.program_kind import Place
from steady.readers import load
from tests.harness.program_trials import (
    SHORT,
    expect_no_results,
    in_turn,
    listed,
    made,
    measured,
    refused,
    took_turns,
)
from tests.looped import looped

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "tests" / "readers" / "recorded" / "programs"
SCRIPT = ("node", "bench.mjs")
ODD = "all > odd > é\n'$(id)'"
ALL = [
    *("total", "all > total", "all > waits", ODD),
    *("all > fails", "all > hangs", "all > dies", "all > total #2"),
]
REAL = pytest.mark.needs("npm")


def installed(source: Path, folder: Path) -> Path:
    """Copy a project, and install what it locks."""
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("node_modules"))
    command = ["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with plain tinybench."""
    folder = tmp_path_factory.mktemp("tinybench") / "project"
    return installed(Path(__file__).with_name("project"), folder)


@pytest.fixture(scope="session")
def vitest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the example, with vitest."""
    folder = tmp_path_factory.mktemp("vitest") / "project"
    return installed(ROOT / "examples" / "tinybench", folder)


@REAL
def test_each_is_listed_and_runs_alone(project: Path, tmp_path: Path) -> None:
    assert listed(make_runs, project, *SCRIPT) == ALL
    for name in (*ALL[:4], ALL[-1]):
        (benchmark,) = measured(made(make_runs, *SCRIPT), project, name, tmp_path).values()
        assert benchmark.identity.name == name
        assert benchmark.unit == "ms/op"
        assert 0 < benchmark.measured.min() < 1_000
        assert benchmark.measured.min() >= (0.5 if name == "all > waits" else 0.0)
        (entry,) = json.loads((tmp_path / "result.json").read_bytes())["tinybench"]
        assert len(entry["latency"]["samples"]) == SHORT.warmup_iterations + SHORT.iterations
        (tmp_path / "result.json").unlink()


@REAL
def test_a_missing_result_has_a_reason(project: Path, tmp_path: Path) -> None:
    reasons = {
        "all > fails": "TypeError: no luck",
        "all > dies": "was ended by SIGKILL",
        "all > gone": "wrote no result",
        "all > hangs": r"1\.5 s",
    }
    expect_no_results(made(make_runs, *SCRIPT), project, tmp_path, reasons)


@REAL
def test_two_processes_are_interleaved_by_the_clock(project: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(project, changed, symlinks=True)
    changed.joinpath("work.mjs").write_text("export const work = 100_000;\n")
    runs = made(make_runs, *SCRIPT)
    outcomes, obstacle, ratio = in_turn(runs, [project, changed], "all > total", tmp_path)
    assert took_turns(outcomes) or obstacle
    assert ratio > 2  # a hundred times the work, whatever else the machine does


@REAL
def test_a_failed_listing_is_one_sentence(project: Path) -> None:
    for command, said in (
        (("node", "gone.mjs"), "cannot list its benchmarks: Error [ERR_MODULE_NOT_FOUND]"),
        (("node", "-e", "null.x"), "cannot list its benchmarks: TypeError: "),
        (("node", "--bad", "bench.mjs"), "bad option: --bad"),
        (("nowhere/node",), "holds no nowhere/node that can be executed; install node"),
    ):
        assert said in refused(make_runs, project, *command)


def test_a_version_is_a_folder_and_a_command(tmp_path: Path) -> None:
    absent = refused(make_runs, tmp_path / "absent", *SCRIPT)
    assert "is not a folder; give the check-out" in absent
    assert "give yours after --" in refused(make_runs, tmp_path)


def test_commands_that_run_tinybench() -> None:
    for command in ("npx vitest bench", "pnpm exec vitest bench a", "node b/tinybench.mjs"):
        assert takes(command.split(), Path())
    for command in ("npx vitest", "npm run bench", "node bench.mjs"):
        assert not takes(command.split(), Path())


def test_programs_installed_by_npm_are_run_directly(tmp_path: Path) -> None:
    own = tmp_path / "node_modules" / ".bin" / "vitest"
    own.parent.mkdir(parents=True)
    own.touch()
    trial = Trial(0, 0, "base", Identity("b/a.js > x"), SHORT, 1.0, 9.0)
    for words in ("npx vitest bench b --root .", "vitest bench --root ."):
        place = Place(tmp_path, tuple(words.split()))
        command = Tinybench().program(place, trial, tmp_path / "r.json").command
        assert command[:5] == (str(own), "bench", str(tmp_path / "b/a.js"), "--root", ".")


@REAL
@pytest.mark.thorough
def test_vitest(vitest: Path, tmp_path: Path) -> None:
    names = [f"bench/shop.bench.js > {one}" for one in ("10 lines > total", "10000 lines > total")]
    command = ("npx", "vitest", "bench")
    assert sorted(listed(make_runs, vitest, *command)) == [*names, "bench/shop.bench.js > price"]
    runs = made(make_runs, *command)
    suites = [measured(runs, vitest, name, tmp_path) for name in names]
    few, many = (np.median(suite[name].measured) for suite, name in zip(suites, names, strict=True))
    assert many / few > 3
    nothing = refused(make_runs, vitest, *command, "nowhere")
    assert "cannot list its benchmarks: No benchmark files found" in nothing
    (vitest / "bench" / "broken.bench.js").write_text("import 'nowhere';\n")
    broken = refused(make_runs, vitest, *command)
    assert re.search("cannot list its benchmarks: Error: .*nowhere", broken)
    assert measured(runs, vitest, names[0], tmp_path)


@looped("name", ["tinybench", "tinybench-vitest", "tinybench-vitest-5"])
def test_each_process_has_one_value(name: str, tmp_path: Path) -> None:
    """Its samples are sorted, so that they do not show how it warmed up."""
    recorded = RECORDED / f"{name}.json"
    again = re.sub('"mean": ?', '"mean": 1', recorded.read_text())
    (tmp_path / "again.json").write_text(again)
    suite = load([recorded, tmp_path / "again.json"])
    assert {one.measured.shape for one in suite.values()} == {(2, 1)}


def test_samples_alone_are_enough(tmp_path: Path) -> None:
    text = '{"tinybench": [{"name": "a", "latency": {"samples": [1, 2, 6]}}, {"name": "b"}]}'
    (tmp_path / "a.json").write_text(text.replace(', {"name": "b"}', ""))
    assert load(tmp_path / "a.json")["a"].measured.tolist() == [[3.0]]
    (tmp_path / "b.json").write_text(text)
    suite = load(tmp_path / "b.json")
    assert [(list(suite), one.identity.name) for one in suite.failures] == [([Identity("a")], "b")]
    assert "has no 'samples'" in suite.failures[0].reason


def test_results_of_other_tests_are_not_read(tmp_path: Path) -> None:
    tests = {"numTotalTests": 1, "testResults": [{"name": "/a", "assertionResults": [{}]}]}
    (tmp_path / "a.json").write_text(json.dumps(tests))
    with pytest.raises(InputError):
        load(tmp_path / "a.json")

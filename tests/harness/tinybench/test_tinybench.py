"""tinybench and vitest themselves: what is listed, what one process runs, and why one failed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import steady
from steady.cli.main import main
from steady.errors import InputError
from steady.harness.runs import DEFAULTS, Turn
from steady.harness.tinybench.kind import Tinybench, make_runs, takes
from steady.harness.trial import Trial, TrialError, Version
from steady.model import Benchmark, ExecutionConfiguration, Identity
from steady.programs.program_runs import Place
from steady.readers import load

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "tests" / "readers" / "recorded" / "programs"
SCRIPT = ("node", "bench.mjs")
ODD = "all > odd > é\n'$(id)'"
ALL = [
    *("total", "all > total", "all > waits", ODD),
    *("all > fails", "all > hangs", "all > dies", "all > total #2"),
]
SHORT = ExecutionConfiguration(1, 1, 4, 0.01, 0.01)
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


@pytest.fixture
def changed(project: Path, tmp_path: Path) -> Path:
    """Return a copy whose tasks have ten times the work."""
    folder = tmp_path / "changed"
    shutil.copytree(project, folder, symlinks=True)
    folder.joinpath("work.mjs").write_text("export const work = 10_000;\n")
    return folder


def listed(target: Path, *command: str) -> list[str]:
    runs = make_runs(replace(DEFAULTS, command=command))
    version = Version("results", target)
    runs.check([version])
    return [one.name for one in runs.benchmarks(version)]


def measured(
    target: Path, name: str, folder: Path, command: tuple[str, ...] = SCRIPT, timeout: float = 60.0
) -> Benchmark:
    """Run a benchmark once, by itself."""
    runs = make_runs(replace(DEFAULTS, command=command))
    version = Version("results", target)
    trial = Trial(0, 0, "results", Identity(name), SHORT, 1.0, timeout)
    with runs.open([version], folder) as session:
        session.measure(trial, folder / "fork.json")
    (entry,) = json.loads((folder / "fork.json").read_bytes())["tinybench"]
    assert len(entry["latency"]["samples"]) == SHORT.warmup_iterations + SHORT.iterations
    (benchmark,) = load(folder / "fork.json").values()
    return benchmark


@REAL
def test_tasks_are_listed_with_the_names_of_their_bench(project: Path) -> None:
    assert listed(project, *SCRIPT) == ALL


@REAL
@pytest.mark.parametrize("name", [*ALL[:4], ALL[-1]])
def test_one_is_run_alone(project: Path, name: str, tmp_path: Path) -> None:
    benchmark = measured(project, name, tmp_path)
    assert benchmark.identity.name == name
    assert benchmark.unit == "ms/op"
    assert 0 < benchmark.measured.min() < 1_000
    assert (benchmark.measured.min() >= 0.5) == (name == "all > waits")


@REAL
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("all > fails", "TypeError: no luck"),
        ("all > dies", "was ended by SIGKILL"),
        ("all > gone", "left no result"),
    ],
)
def test_what_leaves_no_result_says_why(
    project: Path, name: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(TrialError, match=said):
        measured(project, name, tmp_path)
    assert not (tmp_path / "fork.json").exists()


@REAL
def test_one_that_hangs_is_stopped(project: Path, tmp_path: Path) -> None:
    with pytest.raises(TrialError, match=r"2 s"):
        measured(project, "all > hangs", tmp_path, timeout=2.0)


@REAL
def test_two_processes_take_turns_by_the_clock(
    project: Path, changed: Path, tmp_path: Path
) -> None:
    versions = [Version("base", project), Version("head", changed)]
    runs = make_runs(replace(DEFAULTS, command=SCRIPT))
    paths = [tmp_path / "base.json", tmp_path / "head.json"]
    how = replace(SHORT, iterations=9, iteration_seconds=0.05)
    trials = [
        Trial(n, 0, v.name, Identity("all > total"), how, 1.0, 60.0) for n, v in enumerate(versions)
    ]
    with runs.open(versions, tmp_path) as session:
        assert session.obstacle(trials) == ""
        turns = session.measure_in_turn(trials, paths)
        assert [isinstance(turn, Turn) for turn in turns] == [True, True]
        in_turn = [isinstance(turn, Turn) and turn.in_turn for turn in turns]
        assert all(in_turn) or session.obstacle(trials)
    base, head = (np.median(next(iter(load(path).values())).measured) for path in paths)
    assert head / base > 2  # ten times the work, whatever else the machine does


@REAL
def test_a_planted_change_is_found(
    project: Path, changed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    code = main(
        ["run", str(project), str(changed), "--out", str(out), "--only", "^all > total$",
         "--time-budget", "8s", "--harness", "tinybench", "--", *SCRIPT]
    )  # fmt: skip
    assert code == 0, capsys.readouterr().err
    base, head = load(out / "base.json"), load(out / "head.json")
    (change,) = steady.compare(base, head).changes
    assert change.ratio > 1


@REAL
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("node", "gone.mjs"), "cannot list its benchmarks: Error [ERR_MODULE_NOT_FOUND]"),
        (("node", "-e", "null.x"), "cannot list its benchmarks: TypeError: "),
        (("node", "--bad", "bench.mjs"), "bad option: --bad"),
        (("nowhere/node",), "holds no nowhere/node that can be run; install node"),
    ],
)
def test_what_cannot_be_listed_is_one_sentence(
    project: Path, command: tuple[str, ...], said: str
) -> None:
    with pytest.raises(InputError) as error:
        listed(project, *command)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_version_is_a_folder_and_a_command(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder; give the check-out"):
        listed(tmp_path / "absent", *SCRIPT)
    with pytest.raises(InputError, match="name yours behind --"):
        listed(tmp_path)


def test_which_commands_run_it() -> None:
    for command in ("npx vitest bench", "pnpm exec vitest bench a", "node b/tinybench.mjs"):
        assert takes(command.split(), Path())
    for command in ("npx vitest", "npm run bench", "node bench.mjs"):
        assert not takes(command.split(), Path())


def test_what_npm_installed_is_run_itself(tmp_path: Path) -> None:
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
    assert sorted(listed(vitest, *command)) == [*names, "bench/shop.bench.js > price"]
    few, many = (np.median(measured(vitest, name, tmp_path, command).measured) for name in names)
    assert many / few > 3
    with pytest.raises(InputError, match="cannot list its benchmarks: No benchmark files found"):
        listed(vitest, *command, "nowhere")
    (vitest / "bench" / "broken.bench.js").write_text("import 'nowhere';\n")
    with pytest.raises(InputError, match=r"cannot list its benchmarks: Error: .*nowhere"):
        listed(vitest, *command)
    assert measured(vitest, names[0], tmp_path, command)


@pytest.fixture(params=["tinybench", "tinybench-vitest", "tinybench-vitest-5"])
def recorded(request: pytest.FixtureRequest) -> Path:
    return RECORDED / f"{request.param}.json"


def test_each_process_has_one_value(recorded: Path, tmp_path: Path) -> None:
    """Its samples are sorted, so that they do not show how it warmed up."""
    again = re.sub('"mean": ?', '"mean": 1', recorded.read_text())
    (tmp_path / "again.json").write_text(again)
    suite = load([recorded, tmp_path / "again.json"])
    assert suite.harness == "tinybench"
    assert {one.measured.shape for one in suite.values()} == {(2, 1)}
    assert {one.unit for one in suite.values()} == {"ms/op"}


def test_names_and_values_of_files() -> None:
    plain = load(RECORDED / "tinybench.json")
    (failure,) = plain.failures
    assert (failure.identity.name, failure.reason) == ("failing", "its function threw an error")
    (entry, _) = json.loads((RECORDED / "tinybench.json").read_bytes())["tinybench"]
    assert plain["work"].measured == entry["latency"]["mean"]
    assert [one.name for one in load(RECORDED / "tinybench-vitest.json")] == [
        "recorded.bench.mjs > work",
        "recorded.bench.mjs > small > work",
    ]
    assert sorted(one.name for one in load(RECORDED / "tinybench-vitest-5.json")) == [
        "recorded5.bench.mjs > small > all > one",
        "recorded5.bench.mjs > small > all > two",
        "recorded5.bench.mjs > work > work",
    ]


def test_samples_alone_are_enough(tmp_path: Path) -> None:
    text = '{"tinybench": [{"name": "a", "latency": {"samples": [1, 2, 6]}}, {"name": "b"}]}'
    (tmp_path / "a.json").write_text(text.replace(', {"name": "b"}', ""))
    assert load(tmp_path / "a.json")["a"].measured.tolist() == [[3.0]]
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(InputError, match="samples"):
        load(tmp_path / "b.json")


def test_results_of_other_tests_are_not_read(tmp_path: Path) -> None:
    tests = {"numTotalTests": 1, "testResults": [{"name": "/a", "assertionResults": [{}]}]}
    (tmp_path / "a.json").write_text(json.dumps(tests))
    with pytest.raises(InputError):
        load(tmp_path / "a.json")

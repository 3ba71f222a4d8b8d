"""Any command: hyperfine's JSON, and interleaved commands, including hostile ones."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steady.cli.main import main
from steady.errors import InputError
from steady.harness.command.results import read, recognizes
from steady.harness.command.runs import make_runs
from steady.harness.runs import DEFAULTS, Turn
from steady.harness.trial import Trial, TrialError, Version
from steady.model import ExecutionConfiguration, Identity, Suite
from steady.optimize import write_plan
from steady.readers import Document, load
from tests.harness.program_trials import in_turn, made, plan_of, written
from tests.looped import looped


def document(**entry: Any) -> Document:
    usual = {"command": "./tool", "times": [0.1, 0.2]}
    return Document(Path("f.json"), json.dumps({"results": [{**usual, **entry}]}))


def test_with_and_without_memory() -> None:
    (without,) = read(document()).values()
    assert without.measured.tolist() == [[0.1, 0.2]]
    assert without.metrics == {}
    assert without.unit == "s/op"
    (one,) = read(document(memory_usage_byte=[7, 8])).values()  # since 1.19
    assert one.metrics["memory"].values.tolist() == [[7.0, 8.0]]
    assert one.metrics["memory"].direction == "lower"
    (few,) = read(document(memory_usage_byte=[7])).values()
    assert few.metrics == {}


def test_parameters_and_invalid_values() -> None:
    (identity,) = read(document(parameters={"n": "10", "file": "a b"}))
    assert identity == Identity("./tool", params=(("n", "10"), ("file", "a b")))
    for entry, why in (
        ({"times": None}, "contains no individual times; export them with --export-json"),
        ({"times": "fast"}, "times"),
        ({"command": 3}, "command"),
        ({"parameters": 3}, "parameters"),
    ):
        with pytest.raises(InputError, match=why):
            read(document(**entry))


@looped("text", ["[]", '{"results": []}', '{"results": [{}]}', '{"results": 3}'])
def test_other_results_are_not_its_own(text: str) -> None:
    assert not recognizes(Document(Path("f"), text))


@pytest.mark.needs("hyperfine")
def test_hyperfine_really_writes_it(tmp_path: Path) -> None:
    out = tmp_path / "h.json"
    options = ["-N", "-r", "3", "--export-json", str(out), "-L", "n", "0.01,0.02"]
    command = ["hyperfine", *options, "sleep {n}"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    suite = load(out)
    assert [one.params for one in suite] == [(("n", "0.01"),), (("n", "0.02"),)]
    for one in suite.values():
        assert one.measured.shape == (1, 3)
        assert float(np.min(one.measured)) > 0.01


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="commands of Unix")

PYTHON = sys.executable


def executed(
    folder: Path, command: Sequence[str], *, iterations: int = 2, timeout: float = 30.0
) -> Suite:
    """Execute a command in a folder, and read what that took."""
    runs = make_runs(replace(DEFAULTS, command=tuple(command)))
    version = Version("base", folder)
    runs.check([version])
    (identity,) = runs.benchmarks(version)
    how = ExecutionConfiguration(1, 1, iterations, 0.0, 0.0)
    with runs.open([version], folder) as session:
        session.measure(Trial(0, 0, "base", identity, how, 1.0, timeout), folder / "result.json")
    return load(folder / "result.json")


def only(suite: Suite) -> float:
    (one,) = suite.values()
    return float(one.measured.mean())


def test_executions_have_times_and_memory(tmp_path: Path) -> None:
    code = "import time; a = bytearray(100_000_000); time.sleep(0.2)"
    (one,) = executed(tmp_path, [PYTHON, "-c", code]).values()
    assert one.measured.shape == (1, 3)
    assert (one.measured > 0.2).all()
    assert (one.metrics["processor time"].values > 0).all()
    assert one.metrics["memory"].unit == "B"
    assert (one.metrics["memory"].values > 100_000_000).all()
    (small,) = executed(tmp_path, ["sleep", "0.3"]).values()
    assert (small.metrics["processor time"].values < 0.2).all()
    assert (small.metrics["memory"].values < 50_000_000).all()


def test_an_invalid_command_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no program")
    for command, why in (
        (["false"], "base: `false` ended with exit code 1$"),
        (["sh", "-c", "echo oh no >&2; exit 3"], "ended with exit code 3: oh no"),
        (["sh", "-c", "kill -9 $$"], "was ended by SIGKILL"),
        (["sh", "-c", "kill -SEGV $$"], "was ended by SIGSEGV"),
        (["no-such-tool", "x"], r"`no-such-tool x` cannot be started \(No such file"),
        (["./no-such-tool"], r"cannot be started \(No such file"),
        (["./data"], r"cannot be started \(Permission denied"),
    ):
        with pytest.raises(InputError, match=why):
            executed(tmp_path, command)


def test_a_later_failure_leaves_no_result(tmp_path: Path) -> None:
    once = "mkdir seen 2>/dev/null || { echo first >&2; echo twice >&2; exit 4; }"
    with pytest.raises(TrialError, match="ended with exit code 4: twice"):
        executed(tmp_path, ["sh", "-c", once])
    assert not (tmp_path / "result.json").exists()


def test_output_is_discarded_and_input_is_empty(tmp_path: Path) -> None:
    assert only(executed(tmp_path, ["head", "-c", "10000000", "/dev/zero"])) < 20
    assert only(executed(tmp_path, ["cat"])) < 20


def test_a_hanging_command_is_stopped(tmp_path: Path) -> None:
    hang = "mkdir seen 2>/dev/null || sleep 1000"
    begin = time.monotonic()
    with pytest.raises(TrialError, match=r"exceeded its limit of 0\.5 s"):
        executed(tmp_path, ["sh", "-c", hang], timeout=0.5)
    assert time.monotonic() - begin < 20


def test_remaining_processes_are_ended(tmp_path: Path) -> None:
    """Before the next execution, beside which it would work."""
    leaves = f"sleep 1000 & echo $! >> {tmp_path}/left; kill -0 $(head -n1 {tmp_path}/left)"
    with pytest.raises(TrialError, match="exit code 1"):
        executed(tmp_path, ["sh", "-c", leaves])
    for line in (tmp_path / "left").read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(line), 0)


SIGNS = ["a b", "$HOME", "`id`", "$(id)", ";", "|", "*", ">x", "'", '"', "\\", "", "&", "~", "#"]


def test_no_shell_interprets_the_command(tmp_path: Path) -> None:
    code = f"import sys; sys.exit(sys.argv[1:] != {SIGNS!r})"
    suite = executed(tmp_path, [PYTHON, "-c", code, *SIGNS])
    assert only(suite) > 0
    assert {one.name for one in tmp_path.iterdir()} == {"result.json", "errors-0"}


def test_a_program_of_the_folder_and_one_of_its_environment(tmp_path: Path) -> None:
    text = "#!/bin/sh\ntest -d build\n"  # it runs in the folder
    written(tmp_path, {"build/tool": text, ".venv/bin/own-tool": text})
    for word in ("./build/tool", "build/tool", "own-tool"):
        assert only(executed(tmp_path, [word])) < 20


def test_a_program_without_arguments_is_a_version(tmp_path: Path) -> None:
    tool = written(tmp_path, {"tool": "#!/bin/sh\nexec sleep 0.1\n"}) / "tool"
    runs = make_runs(DEFAULTS)
    runs.check([Version("base", tool)])
    (identity,) = runs.benchmarks(Version("base", tool))
    assert runs.operation_seconds(identity) > 0.1
    with pytest.raises(InputError, match="give the command to run in both folders"):
        runs.check([Version("base", tmp_path)])


def test_two_are_interleaved_and_one_fails_alone(tmp_path: Path) -> None:
    """One after the other, and who comes second in one iteration is the first in the next."""
    for side, text in (("base", "true"), ("head", "test $(wc -l < ../order) -lt 12")):
        written(tmp_path / side, {"tool": f"#!/bin/sh\necho {side} >> ../order\n{text}\n"})
    sides = [tmp_path / side for side in ("base", "head")]
    (base, head), _, _ = in_turn(made(make_runs, "./tool"), sides, "./tool", tmp_path)
    assert isinstance(base, Turn)
    assert not base.in_turn
    assert isinstance(head, TrialError)
    assert [(tmp_path / f"{side}.json").exists() for side in ("base", "head")] == [True, False]
    listed, order = 2, (tmp_path / "order").read_text().split()
    assert order[listed : listed + 10] == 2 * ["head", "base", "base", "head"] + ["head", "base"]


def test_a_planted_change_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for side, seconds in (("base", 0.05), ("head", 0.2)):
        written(tmp_path / side, {"tool": f"#!/bin/sh\nexec sleep {seconds}\n"})
    sides = [str(tmp_path / "base"), str(tmp_path / "head")]
    plan = plan_of("command", ExecutionConfiguration(6, 1, 4, 0.0, 0.0), "./tool x")
    options = ["--plan", str(write_plan(plan, tmp_path / "plan.json")), "--all-rounds"]
    out = str(tmp_path / "out")
    assert main(["run", *sides, *options, "--out", out, "--", "./tool", "x"]) == 0
    assert '"command": "./tool x"' in (tmp_path / "out" / "run.json").read_text()
    capsys.readouterr()
    assert main(["compare", out, "--output", "json"]) == 1
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert change["outcome"] == "regression"
    assert change["interval"][0] > 0


def test_a_mistake_is_one_sentence_and_nothing_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    options = ["--time-budget", "5s", "--out", str(out)]
    for words in (
        ["--base", "sleep 0.01", "--head", "no-such-tool x"],
        ["--base", "sleep 0.01", "--head", "sh -c 'exit 3'"],
        ["--base", "sleep 0.01", "--head", "sh -c 'no end"],
        [".", ".", "--", "no-such-tool"],
    ):
        assert main(["run", *options, *words]) == 2
        said = capsys.readouterr().err
        assert len(said.splitlines()) == 1, said
        assert not out.exists()


def test_unsupported_systems_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("os.wait4")
    with pytest.raises(InputError, match="Linux and macOS only"):
        make_runs(replace(DEFAULTS, command=("true",))).check([Version("base", tmp_path)])

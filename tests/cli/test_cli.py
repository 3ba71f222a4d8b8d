from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from written_runs import record, series

from steady.cli import main
from steady.demo import recording
from steady.optimize import read_plan
from steady.options.parser import COMMANDS, GROUPS, below
from tests.looped import looped

Write = Callable[..., Path]

SPEEDS = {
    "org.example.Bench.alpha": 1.0,
    "org.example.Bench.beta": 2.0,
    "org.example.Bench.gamma": 3.0,
}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a JMH result file and returns its path."""

    def write_results(name: str, forks: int, iterations: int, **factors: float) -> Path:
        records = [
            record(full, series(seed, forks, iterations, speed * factors.get(full[18:], 1.0)))
            for seed, (full, speed) in enumerate(SPEEDS.items(), start=forks)
        ]
        path = tmp_path / name
        path.write_text(json.dumps(records))
        return path

    return write_results


class TestExitCodes:
    def test_a_regression_fails_unless_it_is_asked_not_to(
        self, write: Write, capsys: pytest.CaptureFixture[str]
    ) -> None:
        base, head = write("base.json", 4, 12), write("head.json", 3, 12, beta=1.2)
        arguments = ["compare", "--base", str(base), "--head", str(head)]
        assert main(arguments) == 1
        out, err = capsys.readouterr()
        assert "Bench.beta" in out
        assert "exit code 1, because of --fail-on: regression" in err
        assert main([*arguments, "--fail-on", "incomplete"]) == 0
        assert main([*arguments, "--fail-on", "never"]) == 0

    @looped("beta", [1.0, 0.8])
    def test_neither_no_change_nor_an_improvement_is_a_failure(
        self, write: Write, beta: float, capsys: pytest.CaptureFixture[str]
    ) -> None:
        base, head = write("base.json", 4, 12), write("head.json", 3, 12, beta=beta)
        assert main(["compare", "--base", str(base), "--head", str(head)]) == 0
        assert "3 benchmarks" in capsys.readouterr().out

    def test_an_absent_side_of_a_run_is_a_verdict(
        self, write: Write, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """``steady run`` leaves no file of a version of which no fork worked."""
        head = write("head.json", 3, 12)
        base = head.with_name("base.json")
        head.with_name("run.json").write_text('{"steady_run": 1}')
        assert main(["compare", "--base", str(base), "--head", str(head)]) == 1
        out, err = capsys.readouterr()
        assert out.startswith("Nothing was compared")
        assert "base holds no benchmarks" in out
        assert "incomplete" in err

    @pytest.mark.parametrize("command", ["compare", "report"])
    def test_a_run_is_not_compared_with_itself(
        self,
        write: Write,
        command: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.chdir(tmp_path)
        base = write("base.json", 4, 12)
        head = tmp_path / "other.json.gz"
        head.write_bytes(gzip.compress(json.dumps(json.loads(base.read_text())[::-1]).encode()))
        assert main([command, "--base", str(base), "--head", str(head)]) == 2
        err = capsys.readouterr().err
        assert err.startswith("steady: base and head hold the same measurements, value for value")

    def test_what_cannot_be_told_is_said_and_fails_where_asked(
        self, write: Write, capsys: pytest.CaptureFixture[str]
    ) -> None:
        paths = [write(f"{side}.json", 1, 12) for side in ("base", "head")]
        for path, factor in zip(paths, (1.0, 1.5), strict=True):
            records = json.loads(path.read_text())
            for entry in records:
                metric = entry["primaryMetric"]
                metric["rawData"] = [[factor * v for v in fork] for fork in metric["rawData"]]
            path.write_text(json.dumps(records))
        arguments = ["compare", "--base", str(paths[0]), "--head", str(paths[1])]
        assert main(arguments) == 0
        err = capsys.readouterr().err
        assert "exit code 0, although 3 of 3 benchmarks had too few runs" in err
        assert main([*arguments, "--fail-on", "regression,unclear"]) == 1

    def test_what_is_missing_is_never_green(self, write: Write, tmp_path: Path) -> None:
        base, head = write("base.json", 4, 12), write("head.json", 3, 12)
        head.write_text(json.dumps(json.loads(head.read_text())[:2]))
        arguments = ["compare", "--base", str(base), "--head", str(head)]
        assert main(arguments) == 1
        assert main([*arguments, "--fail-on", "regression"]) == 0

    def test_different_surroundings_forbid_a_verdict_only_if_asked(self, write: Write) -> None:
        base, head = write("base.json", 4, 12), write("head.json", 3, 12, beta=1.2)
        head.write_text(head.read_text().replace("21.0.5", "25.0.1"))
        arguments = ["compare", "--base", str(base), "--head", str(head), "--fail-on"]
        assert main([*arguments, "not-comparable"]) == 0
        strict = [*arguments, "regression", "--environment", "require-same"]
        assert main(strict) == 0
        assert main([*strict[:-3], "not-comparable", *strict[-2:]]) == 1


class TestOptimize:
    def test_a_full_run_becomes_a_plan_and_a_configuration(
        self, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        full, out = write("full.json", 5, 60), tmp_path / ".steady"
        assert main(["optimize", str(full), "--out", str(out)]) == 0
        plan = read_plan(out / "plan.json")
        assert len(plan) == 3
        assert plan.seconds < plan.full_seconds
        assert (out / "jmh" / "1.args").is_file()
        printed = capsys.readouterr().out
        assert f"wrote {out / 'plan.json'}" in printed
        assert "saved" in printed

    def test_options_reach_the_plan(self, write: Write, tmp_path: Path) -> None:
        full, out = write("full.json", 5, 60), tmp_path / ".steady"
        options = ["--strategy", "error-budget", "--budget", "5%", "--min-forks", "2"]
        assert main(["optimize", str(full), "--out", str(out), *options]) == 0
        plan = read_plan(out / "plan.json")
        assert plan.strategy == "error-budget"
        assert plan.options["budget"] == 0.05
        assert plan.options["min_forks"] == 2


class TestOutput:
    def test_the_report_is_what_compare_prints(
        self, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        base, head = write("base.json", 4, 12), write("head.json", 3, 12, beta=1.2)
        sides = ["--base", str(base), "--head", str(head)]
        out = tmp_path / "report"
        assert main(["report", *sides, "--out", str(out)]) == 1
        names = {"comment.md", "summary.md", "report.html", "comparison.json"}
        assert {path.name for path in out.iterdir()} == names
        capsys.readouterr()
        for output, name in (("markdown", "comment.md"), ("json", "comparison.json")):
            main(["compare", *sides, "--output", output])
            assert capsys.readouterr().out == (out / name).read_text()

    def test_compare_writes_to_a_file_where_asked(self, write: Write, tmp_path: Path) -> None:
        base, head = write("base.json", 4, 12), write("head.json", 3, 12)
        for output in ("terminal", "markdown", "json"):
            target = tmp_path / output
            main(["compare", "--base", str(base), "--head", str(head), "--output", output,
                  "--out", str(target)])  # fmt: skip
            assert "Bench" in target.read_text()

    def test_analyze_says_where_each_fork_is_steady(
        self, write: Write, capsys: pytest.CaptureFixture[str]
    ) -> None:
        full = str(write("full.json", 5, 60))
        assert main(["analyze", full]) == 0
        assert "5 of 5" in capsys.readouterr().out
        assert main(["analyze", full, "--json"]) == 0
        entries = json.loads(capsys.readouterr().out)["benchmarks"]
        assert [entry["identity"]["name"] for entry in entries] == list(SPEEDS)
        assert all(len(entry["starts"]) == 5 for entry in entries)

    def test_methods_lists_every_registry(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["methods"]) == 0
        out = capsys.readouterr().out
        for name in (
            "kb-kssd",
            "heuristic",
            "rciw3-mean",
            "error-budget",
            "moderated-t",
            "jmh-log",
        ):
            assert name in out

    def test_a_failed_benchmark_is_told(
        self, write: Write, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = write("base.json", 4, 12)
        records = json.loads(path.read_text())
        records[0]["primaryMetric"]["rawData"][0][3] = "NaN"
        path.write_text(json.dumps(records))
        assert main(["analyze", str(path)]) == 0
        assert "steady: org.example.Bench.alpha failed:" in capsys.readouterr().err


HOSTILE = "../x|`@everyone`<script>alert(1)</script>\n::error::y\x1b[31m $(touch owned) ; rm -rf"

BAD_FILES = {
    "empty": b"",
    "cut": b'[{"jmhVersion": "1.37", "benchmark": "a',
    "object": b"{}",
    "list": b"[]",
    "numbers": b"[1, 2]",
    "text": b"Benchmark  Mode  Cnt  Score\n",
    "binary": bytes(range(256)),
    "deep": b"[" * 100_000,
    "gzip": gzip.compress(b"[")[:-4],
}


NO_VERDICT = [
    (kind, command)
    for command in ("analyze", "optimize", "compare", "report", "plan")
    for kind in BAD_FILES
    # An empty side is a verdict: see the test below.
    if (kind, command) not in (("list", "compare"), ("list", "report"))
]


@looped(("kind", "command"), NO_VERDICT)
def test_bad_input_is_one_sentence_and_exit_code_2(
    kind: str, command: str, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(BAD_FILES[kind])
    good, out = str(write("good.json", 4, 12)), str(tmp_path / "out")
    arguments = {
        "analyze": ["analyze", str(bad)],
        "optimize": ["optimize", str(bad), "--out", out],
        "compare": ["compare", "--base", good, "--head", str(bad)],
        "report": ["report", "--base", str(bad), "--head", good, "--out", out],
        "plan": ["compare", "--base", good, "--head", good, "--plan", str(bad)],
    }
    assert main(arguments[command]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("steady: ")
    assert "bad.json" in captured.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["compare", "report"])
def test_a_side_without_benchmarks_is_a_verdict(
    command: str, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "none.json").write_bytes(BAD_FILES["list"])
    sides = ["--base", str(write("good.json", 4, 12)), "--head", str(tmp_path / "none.json")]
    out = ["--out", str(tmp_path / "out")] if command == "report" else []
    assert main([command, *sides, *out]) == 1
    written = [path.read_text() for path in tmp_path.glob("out/comment.md")]
    assert "head holds no benchmarks" in "".join([capsys.readouterr().out, *written])


@looped("command", ["optimize", "compare", "report"])
@looped("value", [1.7e308, 1e-300])
def test_values_that_no_measurement_has_are_one_sentence_and_exit_code_2(
    command: str, value: float, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = write("results.json", 5, 60), str(tmp_path / "out")
    records = json.loads(path.read_text())
    records[1]["primaryMetric"]["rawData"] = [[value] * 60] * 5
    records[1]["benchmark"] = HOSTILE
    path.write_text(json.dumps(records))
    arguments = {
        "optimize": ["optimize", str(path), "--out", out],
        "compare": ["compare", "--base", str(path), "--head", str(path), "--output", "json"],
        "report": ["report", "--base", str(path), "--head", str(path), "--out", out],
    }
    assert main(arguments[command]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "holds a value that no measurement has; values are 0, or of a size" in captured.err
    assert "\x1b" not in captured.err
    assert not (tmp_path / "out").exists()


def test_hostile_names_are_data_everywhere(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    full, base, head = write("full.json", 5, 60), write("b.json", 4, 12), write("h.json", 3, 12)
    for path in (full, base, head):
        path.write_text(
            path.read_text().replace("org.example.Bench.beta", json.dumps(HOSTILE)[1:-1])
        )
    assert main(["report", "--base", str(base), "--head", str(head), "--out", "report"]) == 0
    assert main(["optimize", str(full), "--out", str(tmp_path / ".steady")]) in (0, 2)
    assert not (tmp_path / "owned").exists()
    for name in ("comment.md", "summary.md"):
        text = (tmp_path / "report" / name).read_text()
        assert "\x1b" not in text
        assert not any(line.startswith("::") for line in text.splitlines())
    assert "<script>alert" not in (tmp_path / "report" / "report.html").read_text()


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        (
            "--min-change",
            "3x",
            "such as 5%, or a fraction below 1 such as 0.05, got '3x'",
        ),
        ("--min-change", "-1", "expected a percentage below 100 such as 5%"),
        ("--min-change", "5", "expected a percentage below 100 such as 5%"),
        ("--confidence", "1", "expected a percentage above 0 and below 100 such as 99%"),
        ("--rule", "vote", "invalid choice: 'vote'"),
    ],
)
def test_a_bad_option_says_what_to_write(
    option: str, value: str, message: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(write("base.json", 4, 12))
    with pytest.raises(SystemExit) as exit_info:
        main(["compare", "--base", path, "--head", path, f"{option}={value}"])
    assert exit_info.value.code == 2
    assert message in capsys.readouterr().err


def test_fail_on_is_checked_before_anything_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--base", "x", "--head", "y", "--fail-on", "red"]) == 2
    assert "fail-on is 'red'; give one or more of regression" in capsys.readouterr().err


@looped(
    ("words", "reader", "left"),
    [("analyze --json full.json", "head -n 1", "{\n"), ("methods", "true", "")],
)
def test_the_reader_may_leave(
    write: Write, tmp_path: Path, words: str, reader: str, left: str
) -> None:
    write("full.json", 5, 60)
    program = f"{sys.executable} -m steady.cli {words} | {reader}"
    run = subprocess.run(
        ["bash", "-c", f"{program}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert (run.returncode, run.stdout, run.stderr) == (0, left, "")


@pytest.mark.parametrize("seed", ["-1", "1.5", "x", "9" * 5000])
def test_a_seed_that_is_none_says_what_to_write(
    seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_info:
        main(["run", "--full", "5x60", "--out", "x", f"--seed={seed}"])
    assert exit_info.value.code == 2
    assert "is not a seed; write a whole number, such as 7" in capsys.readouterr().err


def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        with pytest.raises(SystemExit) as exit_info:
            main([command, "--help"])
        assert exit_info.value.code == 0
        kind = below(command).get(command)
        says = GROUPS[command] if kind is None else kind.described()
        assert says.startswith(f"steady {command}: ")
        assert " ".join(says.split()) in " ".join(capsys.readouterr().out.split())


class TestPlan:
    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        folder = tmp_path_factory.mktemp("demo") / ".steady"
        with recording() as recorded:
            assert main(["optimize", str(recorded.full), "--out", str(folder)]) == 0
        return folder

    def test_shows_the_plan_of_a_folder_or_file(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["plan", str(folder)]) == 0
        shown = capsys.readouterr().out
        assert "DigestBenchmark" in shown
        assert main(["plan", str(folder / "plan.json")]) == 0
        assert capsys.readouterr().out == shown

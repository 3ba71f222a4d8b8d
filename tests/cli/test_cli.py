"""Each command: its exit codes, files, and errors for bad input."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from written_runs import NAMES, record, series, write_full_run, write_run

from steady.demo import recording
from steady.optimize import read_plan
from steady.options.parser import COMMANDS, GROUPS, subcommands
from tests.cli.shell import Shell, write_sides
from tests.looped import looped

COMPARE = "compare --base base.json --head head.json"


class TestExitCodes:
    def test_a_regression_fails_unless_fail_on_excludes_it(self, shell: Shell) -> None:
        write_sides(1.2)
        ended = shell(COMPARE)
        assert ended.code == 1
        assert "Bench.beta" in ended.out
        assert "exit code 1, because of --fail-on: regression" in ended.err
        for fail_on in ("incomplete", "never"):
            assert shell(f"{COMPARE} --fail-on {fail_on}").code == 0

    @looped("beta", [1.0, 0.8])
    def test_unchanged_and_improved_results_succeed(self, beta: float, shell: Shell) -> None:
        write_sides(beta)
        ended = shell(COMPARE)
        assert ended.code == 0
        assert "3 benchmarks" in ended.out

    def test_a_missing_or_empty_side_of_a_run_is_incomplete(self, shell: Shell) -> None:
        """``steady run`` writes no file for a version without a successful fork."""
        write_run(Path("head.json"))
        Path("run.json").write_text('{"steady_run": 1}')
        ended = shell(COMPARE)
        assert ended.code == 1
        assert ended.out.startswith("Nothing was compared")
        assert "base contains no benchmarks" in ended.out
        assert "incomplete" in ended.err
        Path("base.json").write_text("[]")
        assert "base contains no benchmarks" in shell(COMPARE).out
        assert shell("report --base base.json --head head.json --out out").code == 1
        assert "base contains no benchmarks" in Path("out/comment.md").read_text()

    @pytest.mark.parametrize("command", ["compare", "report"])
    def test_a_run_is_not_compared_with_itself(self, command: str, shell: Shell) -> None:
        write_run(Path("base.json"))
        backwards = json.dumps(json.loads(Path("base.json").read_text())[::-1])
        Path("other.json.gz").write_bytes(gzip.compress(backwards.encode()))
        ended = shell(f"{command} --base base.json --head other.json.gz")
        assert ended.code == 2
        same = "steady: base and head contain identical measurements"
        assert ended.err.startswith(same)

    def test_unclear_results_are_reported_and_fail_on_request(self, shell: Shell) -> None:
        for seed, (side, factor) in enumerate((("base", 1.0), ("head", 1.5))):
            records = [record(name, series(seed, 1, 12, factor)) for name in NAMES]
            Path(f"{side}.json").write_text(json.dumps(records))
        ended = shell(COMPARE)
        assert ended.code == 0
        assert "exit code 0, although 3 of 3 benchmarks had too few runs" in ended.err
        assert shell(f"{COMPARE} --fail-on regression,unclear").code == 1

    def test_missing_results_fail(self, shell: Shell) -> None:
        write_run(Path("base.json"))
        write_run(Path("head.json"), dict.fromkeys(NAMES[:2], 1.0))
        assert shell(COMPARE).code == 1
        assert shell(f"{COMPARE} --fail-on regression").code == 0

    def test_a_different_environment_prevents_a_verdict_only_on_request(self, shell: Shell) -> None:
        write_sides(1.2, jdkVersion="25.0.1")
        assert shell(f"{COMPARE} --fail-on not-comparable").code == 0
        strict = f"{COMPARE} --environment require-same --fail-on"
        assert shell(f"{strict} regression").code == 0
        assert shell(f"{strict} not-comparable").code == 1


def test_optimize_makes_a_plan_and_a_configuration(shell: Shell) -> None:
    write_full_run(Path("full.json"))
    ended = shell("optimize full.json")
    assert ended.code == 0
    plan = read_plan(".steady/plan.json")
    assert len(plan) == 3
    assert plan.seconds < plan.full_seconds
    assert Path(".steady/jmh/1.args").is_file()
    assert "wrote .steady/plan.json" in ended.out
    assert "wrote .steady/report.html" in ended.out
    assert "<title>Plan: " in Path(".steady/report.html").read_text()
    assert "saved" in ended.out
    options = "--strategy error-budget --budget 5% --min-forks 2"
    assert shell(f"optimize full.json {options}").code == 0
    plan = read_plan(".steady/plan.json")
    assert plan.strategy == "error-budget"
    assert plan.options["budget"] == 0.05
    assert plan.options["min_forks"] == 2


class TestOutput:
    def test_the_report_contains_the_output_of_compare(self, shell: Shell) -> None:
        write_sides(1.2)
        assert shell("report --base base.json --head head.json --out report").code == 1
        names = {"comment.md", "summary.md", "report.html", "comparison.json"}
        assert {path.name for path in Path("report").iterdir()} == names
        for output, name in (("markdown", "comment.md"), ("json", "comparison.json")):
            assert shell(f"{COMPARE} --output {output}").out == Path("report", name).read_text()
        for output in ("terminal", "markdown", "json"):
            shell(f"{COMPARE} --output {output} --out {output}")
            assert "Bench" in Path(output).read_text()

    def test_analyze_prints_steady_states_and_failures(self, shell: Shell) -> None:
        write_full_run(Path("full.json"))
        assert "5 of 5" in shell("analyze full.json").out
        entries = json.loads(shell("analyze full.json --json").out)["benchmarks"]
        assert [entry["identity"]["name"] for entry in entries] == list(NAMES)
        assert all(len(entry["starts"]) == 5 for entry in entries)
        records = json.loads(Path("full.json").read_text())
        records[0]["primaryMetric"]["rawData"][0][3] = "NaN"
        Path("full.json").write_text(json.dumps(records))
        ended = shell("analyze full.json")
        assert ended.code == 0
        assert "steady: org.example.Bench.alpha failed:" in ended.err

    def test_methods_lists_every_registry(self, shell: Shell) -> None:
        out = shell("methods").out
        names = ("kb-kssd", "heuristic", "rciw3-mean", "error-budget", "moderated-t", "jmh-log")
        assert [name for name in names if name not in out] == []

    def test_plan_shows_the_plan_of_a_folder_or_file(self, shell: Shell) -> None:
        with recording() as recorded:
            assert shell("optimize --out .steady", str(recorded.full)).code == 0
        shown = shell("plan .steady")
        assert "DigestBenchmark" in shown.out
        assert shell("plan .steady/plan.json") == shown


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
READING = {
    "analyze": "analyze bad.json",
    "optimize": "optimize bad.json --out out",
    "compare": "compare --base good.json --head bad.json",
    "report": "report --base bad.json --head good.json --out out",
    "plan": "compare --base good.json --head good.json --plan bad.json",
}


@looped(
    ("kind", "command"),
    # An empty side is a verdict: see above.
    [(k, c) for c in READING for k in BAD_FILES if k != "list" or c not in ("compare", "report")],
)
def test_bad_input_is_one_sentence_and_exit_code_2(kind: str, command: str, shell: Shell) -> None:
    Path("bad.json").write_bytes(BAD_FILES[kind])
    write_run(Path("good.json"))
    ended = shell(READING[command])
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.startswith("steady: ")
    assert "bad.json" in ended.err
    assert not Path("out").exists()


@looped("command", ["optimize", "compare", "report"])
@looped("value", [1.7e308, 1e-300])
def test_impossible_values_are_one_sentence_and_exit_code_2(
    command: str, value: float, shell: Shell
) -> None:
    for path in ("good.json", "bad.json"):
        records = [record(NAMES[0], series(1, 5, 60)), record(HOSTILE, [[value] * 60] * 5)]
        Path(path).write_text(json.dumps(records))
    ended = shell(READING[command])
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert "has a value out of range; the magnitude of a value is 0, or from" in ended.err
    assert "\x1b" not in ended.err
    assert not Path("out").exists()


def test_malicious_names_are_treated_as_data(shell: Shell) -> None:
    write_sides()
    write_full_run(Path("full.json"))
    for path in map(Path, ("full.json", "base.json", "head.json")):
        path.write_text(path.read_text().replace(NAMES[1], json.dumps(HOSTILE)[1:-1]))
    assert shell("report --base base.json --head head.json --out report").code == 0
    assert shell("optimize full.json").code in (0, 2)
    assert not Path("owned").exists()
    for name in ("comment.md", "summary.md"):
        text = Path("report", name).read_text()
        assert "\x1b" not in text
        assert not any(line.startswith("::") for line in text.splitlines())
    assert "<script>alert" not in Path("report/report.html").read_text()


@looped(
    ("command", "message"),
    [
        ("compare --min-change=3x", "such as 5%, or a fraction below 1 such as 0.05, got '3x'"),
        ("compare --min-change=-1", "expected a percentage below 100 such as 5%"),
        ("compare --min-change=5", "expected a percentage below 100 such as 5%"),
        ("compare --confidence=1", "expected a percentage above 0 and below 100 such as 99%"),
        ("compare --rule=vote", "invalid choice: 'vote'"),
        *(
            (f"run --seed={seed}", "is not a seed; write a whole number, such as 7")
            for seed in ("-1", "1.5", "x", "9" * 5000)
        ),
        # It is checked before anything is read.
        (
            "compare --base x --head y --fail-on red",
            "fail-on is 'red'; give one or more of regression",
        ),
    ],
)
def test_a_bad_option_suggests_valid_values(command: str, message: str, shell: Shell) -> None:
    ended = shell(command)
    assert ended.code == 2
    assert message in ended.err


@looped(
    ("words", "reader", "left"),
    [("analyze --json full.json", "head -n 1", "{\n"), ("methods", "true", "")],
)
def test_a_closed_pipe_is_no_error(words: str, reader: str, left: str) -> None:
    write_full_run(Path("full.json"))
    program = f"{sys.executable} -m steady.cli {words} | {reader}"
    run = subprocess.run(
        ["bash", "-c", f"{program}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert (run.returncode, run.stdout, run.stderr) == (0, left, "")


@looped("command", COMMANDS)
def test_every_command_has_help(command: str, shell: Shell) -> None:
    ended = shell(f"{command} --help")
    assert ended.code == 0
    kind = subcommands(command).get(command)
    says = GROUPS[command] if kind is None else kind.described()
    assert says.startswith(f"steady {command}: ")
    assert " ".join(says.split()) in ended.said

"""The plan for Go: what shares a process, the script, and both with the real Go."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.emit import emit
from steady.emit.go_groups import group_for_go
from steady.emit.go_pattern import exact_pattern, sibling_pattern, split_name
from steady.errors import InputError
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.plan import BenchmarkPlan, Plan
from steady.readers import load

SMALL = ExecutionConfiguration(2, 1, 2, 0.001, 0.001)
COUNTED = ExecutionConfiguration(3, 0, 2, 0.0, 0.0, 5, 5)
MODULE = Path(__file__).parent.parent / "readers" / "recorded" / "go" / "module"
PLAIN = "recorded.Recorded.work/plain.Benchmark"


def planned(
    name: str, configuration: ExecutionConfiguration = SMALL, threads: int = 1
) -> BenchmarkPlan:
    identity = Identity(name, threads=threads)
    return BenchmarkPlan(identity, configuration, configuration, 1.0, 2.0, "reduced", "")


def plan_of(*benchmarks: BenchmarkPlan) -> Plan:
    return Plan(benchmarks, "uoptime", harness="go")


@pytest.mark.parametrize(
    ("name", "package", "benchmark"),
    [
        ("BenchmarkX", "", "BenchmarkX"),
        ("p.BenchmarkX", "p", "BenchmarkX"),
        ("example.com/a.v2.BenchmarkX/b=1.5", "example.com/a.v2", "BenchmarkX/b=1.5"),
        ("a/Benchmarks.BenchmarkX/a.BenchmarkY", "a/Benchmarks", "BenchmarkX/a.BenchmarkY"),
        ("BenchmarkX/a.BenchmarkY", "", "BenchmarkX/a.BenchmarkY"),
        ("p.Benchmark_x", "p", "Benchmark_x"),
    ],
)
def test_names_are_split(name: str, package: str, benchmark: str) -> None:
    assert split_name(name) == (package, benchmark)


@pytest.mark.parametrize("name", ["", "org.Bench.get", "p.Benchmarks", ".BenchmarkX"])
def test_names_that_are_not_gos(name: str) -> None:
    with pytest.raises(ValueError, match="is no name of a Go benchmark"):
        split_name(name)


def test_patterns_are_exact() -> None:
    assert exact_pattern("BenchmarkX") == "^BenchmarkX$"
    assert exact_pattern("BenchmarkX/a.b[1]|c/d") == r"^BenchmarkX$/^a\.b\[1\]\|c$/^d$"
    assert sibling_pattern(["BenchmarkX/a", "BenchmarkX/b."]) == r"^BenchmarkX$/^(a|b\.)$"
    assert sibling_pattern(["BenchmarkX", "BenchmarkY"]) == "^(BenchmarkX|BenchmarkY)$"


def parts_of(pattern: str) -> list[str]:
    """Split a pattern as testing.splitRegexp does; without alternatives outside of brackets."""
    parts, part, square, curly, i = [], "", 0, 0, 0
    while i < len(pattern):
        character = pattern[i]
        square = max(square + (character == "[") - (character == "]"), 0)
        if square == 0:
            curly += (character == "(") - (character == ")")
        if character == "\\":
            part += character
            i += 1
        elif character == "/" and square == curly == 0:
            parts.append(part)
            part = ""
            i += 1
            continue
        else:
            assert character != "|" or square or curly
        part += pattern[i]
        i += 1
    return [*parts, part]


@given(st.lists(st.text("a.[](){}|\\^$*+?ü#", max_size=4), min_size=1, max_size=3))
def test_any_name_has_one_part_an_element(elements: list[str]) -> None:
    import re

    name = "/".join(["BenchmarkX", *elements])
    parts = parts_of(exact_pattern(name))
    assert len(parts) == len(elements) + 1
    for part, element in zip(parts, ["BenchmarkX", *elements], strict=True):
        assert re.fullmatch(part, element)
        assert not re.fullmatch(part, element + "a")


def test_equal_configurations_of_siblings_share_a_process() -> None:
    groups = group_for_go(
        [
            planned("p.BenchmarkA"),
            planned("p.BenchmarkB/x"),
            planned("p.BenchmarkC"),
            planned("p.BenchmarkB/y"),
            planned("p.BenchmarkB/z", COUNTED),
            planned("p.BenchmarkD", threads=4),
            planned("q.BenchmarkA"),
        ]
    )
    assert [(g.package, g.benchmarks, g.threads) for g in groups] == [
        ("p", ("BenchmarkA", "BenchmarkC"), 1),
        ("p", ("BenchmarkB/x", "BenchmarkB/y"), 1),
        ("p", ("BenchmarkB/z",), 1),
        ("p", ("BenchmarkD",), 4),
        ("q", ("BenchmarkA",), 1),
    ]
    assert [g.benchtime.text for g in groups][1:3] == ["1ms", "5x"]


def test_thousands_of_siblings_are_parted() -> None:
    names = [f"p.BenchmarkX/{'long' * 10}{i}" for i in range(2000)]
    groups = group_for_go(map(planned, names))
    assert len(groups) > 1
    assert all(len(group.pattern) <= 30_000 for group in groups)
    assert [f"p.{name}" for group in groups for name in group.benchmarks] == names


@pytest.mark.parametrize(
    ("benchmark", "problem"),
    [
        (planned("org.Bench.get"), "no name of a Go benchmark"),
        (planned("BenchmarkX"), "its package is not known"),
        (planned("-p.BenchmarkX"), "white space or control characters"),
        (planned("p.BenchmarkX/a b"), "white space or control characters"),
        (planned("p.BenchmarkX/\udc80"), "not Unicode text"),
        (planned("p.BenchmarkX", threads=0), "0 processors"),
        (planned("p.BenchmarkX", ExecutionConfiguration(0, 0, 1, 1.0, 1.0)), "forks cannot be 0"),
        (planned("p.BenchmarkX", ExecutionConfiguration(1, 1, 1, 2.0, 1.0)), "warm-up iterations"),
    ],
)
def test_what_go_cannot_be_told_is_one_sentence(benchmark: BenchmarkPlan, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        emit(plan_of(benchmark), "unused")


def test_a_jar_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leave it out"):
        emit(plan_of(planned("p.BenchmarkX")), tmp_path, benchmark_list=b"")


def test_an_empty_plan_is_a_note(tmp_path: Path) -> None:
    emitted = emit(plan_of(), tmp_path)
    assert emitted.files == ()
    assert emitted.notes


HOSTILE = ["$(touch canary)", "`touch${IFS}canary`", "';touch${IFS}canary;'", "@expected@", "\\"]


@pytest.mark.needs("shellcheck")
def test_shellcheck_finds_nothing(tmp_path: Path) -> None:
    emit(plan_of(*(planned(f"p.BenchmarkX/{n.replace(' ', '_')}") for n in HOSTILE)), tmp_path)
    command = ["shellcheck", "--shell=sh", str(tmp_path / "run.sh")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == ""
    assert done.returncode == 0


FAKE_GO = r"""#!/bin/sh
# Answers go list and go test -c; the binary that it makes notes its arguments and prints results.
case $1 in
  list) pwd ;;
  test)
    [ ! -f "$FAKE/broken" ] || { echo "does not compile"; exit 1; }
    cat >"$4" <<'END'
#!/bin/sh
call=$(($(cat "$FAKE/calls" 2>/dev/null || echo 0) + 1))
echo "$call" >"$FAKE/calls"
printf '%s\n' "$@" >"$FAKE/arguments.$call"
while [ -f "$FAKE/wait.$call" ]; do sleep 0.05; done
cat "$FAKE/output.$call" 2>/dev/null
END
    chmod +x "$4"
    ;;
esac
"""
SHELLS = {"dash": ["dash"], "bash": ["bash", "--posix"], "busybox": ["busybox", "sh"]}


class Run:
    """A folder with a script, a module, and a go that pretends."""

    def __init__(self, folder: Path, shell: list[str]) -> None:
        self.folder, self.shell = folder, shell
        self.fake, self.results = folder / "fake", folder / "results"
        for name in ("bin", "fake", "module"):
            (folder / name).mkdir()
        (folder / "module" / "go.mod").write_text("module p\n")
        go = folder / "bin" / "go"
        go.write_text(FAKE_GO)
        go.chmod(0o755)

    def prints(self, call: int, *lines: str) -> None:
        text = "\n".join(["goos: linux", "pkg: p", *lines, "PASS", ""])
        (self.fake / f"output.{call}").write_text(text)

    def start(self) -> subprocess.Popen[str]:
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.Popen(
            [*self.shell, ".steady/run.sh", "module", "results"],
            cwd=self.folder,
            env={"PATH": path, "FAKE": str(self.fake)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self) -> tuple[int, str]:
        process = self.start()
        _, errors = process.communicate(timeout=60)
        return process.returncode, errors

    def arguments(self, call: int) -> list[str]:
        return (self.fake / f"arguments.{call}").read_text().splitlines()


@pytest.fixture(params=[name for name in SHELLS if shutil.which(name)] or ["sh"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    return Run(tmp_path, SHELLS.get(request.param, [request.param]))


def lines(name: str, *times: int) -> list[str]:
    return [f"{name}   \t    1000\t        {time} ns/op\t  0 B/op" for time in times]


def test_rounds_of_all_groups_become_one_file(run: Run) -> None:
    emit(
        plan_of(planned("p.BenchmarkA"), planned("p.BenchmarkB", COUNTED, 4)),
        run.folder / ".steady",
    )
    for call, first in ((1, 10), (3, 20)):
        run.prints(call, *lines("BenchmarkA", first, first + 1, first + 2))
    for call in (2, 4, 5):
        run.prints(call, *lines("BenchmarkB-4", call, call))
    assert run() == (0, "steady: building p\n")
    assert run.arguments(1) == [
        "-test.run=^$",
        "-test.bench=^BenchmarkA$",
        "-test.benchtime=1ms",
        "-test.count=3",
        "-test.cpu=1",
        "-test.benchmem",
    ]
    assert run.arguments(5)[1:5] == [
        "-test.bench=^BenchmarkB$",
        "-test.benchtime=5x",
        "-test.count=2",
        "-test.cpu=4",
    ]
    suite = load(run.results / "results.txt")
    one, other = suite.benchmarks
    assert one.identity == Identity("p.BenchmarkA")
    assert one.measurements.tolist() == [[10, 11, 12], [20, 21, 22]]
    assert one.configuration == SMALL
    assert other.identity == Identity("p.BenchmarkB", threads=4)
    assert other.measurements.tolist() == [[2, 2], [4, 4], [5, 5]]
    assert other.configuration == COUNTED
    assert (run.results / "results.log").read_text().count("PASS") == 5
    assert sorted(path.name for path in run.results.iterdir()) == ["results.log", "results.txt"]


def test_prints_of_a_benchmark_do_not_hide_its_warmup(run: Run) -> None:
    emit(plan_of(planned("p.BenchmarkA")), run.folder / ".steady")
    torn = ["BenchmarkA   \tit prints 12 lines", "    1000\t        9.5 ns/op"]
    run.prints(1, *torn, *torn, *lines("BenchmarkA", 7))
    run.prints(2, *lines("BenchmarkA", 7, 8, 9))
    assert run()[0] == 0
    (benchmark,) = load(run.results / "results.txt").benchmarks
    assert benchmark.warmup == 1
    assert benchmark.measurements.tolist() == [[9.5, 9.5, 7], [7, 8, 9]]


def test_what_left_no_result_is_named_and_the_rest_is_kept(run: Run) -> None:
    emit(plan_of(planned("p.BenchmarkA"), planned("p.BenchmarkB", COUNTED)), run.folder / ".steady")
    run.prints(1, *lines("BenchmarkA", 1, 2, 3))
    run.prints(3, *lines("BenchmarkA", 1, 2, 3))
    run.prints(2, "--- FAIL: BenchmarkB", "    b_test.go:7: broken")
    code, errors = run()
    assert code == 1
    assert "1 of the plan's benchmarks did not leave all results" in errors
    assert "p.BenchmarkB: 0 of 6 results" in errors
    suite = load(run.results / "results.txt")
    assert [i.name for i in suite] == ["p.BenchmarkA"]
    assert [f.reason for f in suite.failures] == ["b_test.go:7: broken"]


def test_a_package_that_does_not_compile_is_said(run: Run) -> None:
    emit(plan_of(planned("p.BenchmarkA")), run.folder / ".steady")
    (run.fake / "broken").touch()
    code, errors = run()
    assert code == 2
    assert "p cannot be built" in errors
    assert "does not compile" in (run.results / "results.log").read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_run_keeps_what_was_measured(run: Run, number: signal.Signals) -> None:
    emit(plan_of(planned("p.BenchmarkA"), planned("p.BenchmarkB", COUNTED)), run.folder / ".steady")
    run.prints(1, *lines("BenchmarkA", 1, 2, 3))
    (run.fake / "wait.2").touch()
    process = run.start()
    deadline = time.monotonic() + 30
    while not (run.fake / "arguments.2").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    (run.fake / "wait.2").unlink()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "what was measured so far is kept" in errors
    assert not (run.fake / "arguments.3").exists()
    assert [i.name for i in load(run.results / "results.txt")] == ["p.BenchmarkA"]


def test_wrong_use_is_one_sentence(run: Run) -> None:
    emit(plan_of(planned("p.BenchmarkA")), run.folder / ".steady")
    (run.folder / "module" / "go.mod").unlink()
    assert run() == (2, "steady: there is no go.mod in module\n")


def test_hostile_names_are_only_text(run: Run) -> None:
    names = [f"p.BenchmarkX/{name.replace(' ', '_')}" for name in HOSTILE]
    emit(plan_of(*map(planned, names)), run.folder / ".steady")
    assert run()[0] == 1
    assert not list(run.folder.rglob("canary"))
    assert run.arguments(1)[1].startswith(r"-test.bench=^BenchmarkX$/^(\$\(touch_canary\)|")


@pytest.mark.needs("go")
def test_real_go_runs_every_benchmark_as_planned(tmp_path: Path) -> None:
    shutil.copytree(MODULE, tmp_path / "module")
    odd = ("Nested/a_b/c[d](e)|f", "Nested/x=1.5#01", "Nested/#00", r"Nested/ü\x01")
    names = [f"{PLAIN}{name}" for name in ("Work", "Printing", "Nested/size-8", *odd)]
    names.append("recorded.Recorded.work/failing.BenchmarkReadsTestdata")
    benchmarks = [planned(name, threads=1 + n % 2) for n, name in enumerate(names)]
    emit(plan_of(*benchmarks), tmp_path)
    command = ["sh", "run.sh", "module", "results", "-trimpath"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    suite = load(tmp_path / "results" / "results.txt")
    assert set(suite) == {benchmark.identity for benchmark in benchmarks}
    for benchmark in suite.values():
        assert benchmark.configuration == SMALL
        assert benchmark.measurements.shape == (2, 3)
        assert benchmark.warmup == 1
    assert suite.failures == ()
